"""Holds what the makers of pages share: the constructs as sources in each language, and a frame around a body."""
import json
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
CONSTRUCTS = json.loads((HERE / "constructs.json").read_text())
TITLE = "The water mill"
LEAD = "A mill turns the water of a brook into bread. This page says how its wheel is built, kept and mended, in the order in which the carpenters of the valley have done it for two hundred years."
# What plain Markdown has everywhere, and what tools add.
CORE = [
    "heading", "subheading", "emphasis", "link", "list", "ordered list", "list of paragraphs", "code", "short code",
    "code of HTML", "white space", "quote",
]
TABLE = [*CORE, "table"]
GFM = [*TABLE, "struck out"]
TASKS = [*GFM, "tasks"]
# The constructs that came later are in some languages only.
LATER = ["deep heading", "mixed list", "table of spans", "caption of a table", "note with code", "nested quote", "details", "code with tabs"]
ALL = [own["name"] for own in CONSTRUCTS if own["name"] not in LATER]
PLAIN = ["deep heading", "mixed list"]
MATH = ["formula", "displayed formula"]
# Elements of HTML in Markdown, which most tools pass on.
HTML = ["table of spans", "caption of a table", "details", "nested quote"]


def form(own, language):
    """The construct in the first of the languages that it has: `alert html markdown` is a Markdown with alerts and HTML."""
    return next((own[one] for one in language.split() if one in own), None)


# The language in which the page at hand is written; `record.py` sets it.
LANGUAGE = ["markdown"]


def source(names):
    parts = [form(own, LANGUAGE[0]) for own in CONSTRUCTS if own["name"] in names]
    return "\n\n".join(part for part in parts if part) + "\n"


def markdown(names, title=True):
    return (f"# {TITLE}\n\n" if title else "") + LEAD + "\n\n" + source(names)


def rst(names):
    return f"{TITLE}\n{'=' * len(TITLE)}\n\n{LEAD}\n\n{source(names)}"


def asciidoc(names):
    return f"= {TITLE}\n:stem: latexmath\n\n{LEAD}\n\n{source(names)}"


def run(*command, cwd=None, text=None):
    env = dict(os.environ, SOURCE_DATE_EPOCH="1700000000", TZ="UTC")
    done = subprocess.run(list(map(str, command)), cwd=cwd, input=text, capture_output=True, text=True, env=env)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr[-2000:]}{done.stdout[-1000:]}")
    return done.stdout


def page(body, head=""):
    """A page around the body that a converter writes: the site of a small mill."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{TITLE} - Mills of the valley</title>{head}</head>
<body>
<header><nav><ul><li><a href="/">Home</a></li><li><a href="/mills">Mills</a></li><li><a href="/contact">Contact</a></li></ul></nav></header>
<main>
{body}
</main>
<footer><p>Mills of the valley. <a href="/terms">Terms</a> <a href="/privacy">Privacy</a></p></footer>
</body>
</html>
"""


def from_pandoc(form, *options, names):
    """The constructs in another language of documents, without a title."""
    import pypandoc

    return run(pypandoc.get_pandoc_path(), "-f", "markdown+task_lists", "-t", form, *options, text=markdown(names, title=False))


def sphinx(theme, *extensions, conf="", builder="html", page="mill.html", program="sphinx-build"):
    """A page of Sphinx from RST, or from MyST if that is the language."""
    def write(folder, names):
        is_rst = "rst" in LANGUAGE[0]
        ending = "rst" if is_rst else "md"
        listed = [*extensions, *(["sphinx.ext.mathjax"] if is_rst else ["myst_parser"])]
        text = f'project = "Mills"\nauthor = "Miller"\nhtml_theme = "{theme}"\nextensions = {listed}\n'
        if is_rst:
            (folder / "index.rst").write_text("Mills\n=====\n\n.. toctree::\n\n   mill\n   other\n")
            (folder / "other.rst").write_text("Other mills\n===========\n\nThere are none.\n")
        else:
            text += 'myst_enable_extensions = ["dollarmath", "deflist", "tasklist", "strikethrough", "colon_fence"]\nsuppress_warnings = ["myst.*"]\n'
            (folder / "index.md").write_text("# Mills\n\n```{toctree}\nmill\nother\n```\n")
            (folder / "other.md").write_text("# Other mills\n\nThere are none.\n")
        (folder / f"mill.{ending}").write_text(rst(names) if is_rst else markdown(names))
        (folder / "conf.py").write_text(text + conf)
        run(program, "-q", "-b", builder, folder, folder / "out")
        return (folder / "out" / page).read_text()

    return write


def mkdocs(theme, *extensions, more=""):
    def write(folder, names):
        (folder / "docs").mkdir()
        listed = "".join(f"  - {own}\n" for own in extensions)
        (folder / "mkdocs.yml").write_text(
            f"site_name: Mills\nsite_url: https://example.org/\ntheme:\n  name: {theme}\n{more}markdown_extensions:\n{listed}"
        )
        (folder / "docs" / "index.md").write_text("# Mills\n\nAll mills.\n")
        (folder / "docs" / "mill.md").write_text(markdown(names))
        (folder / "docs" / "other.md").write_text("# Other mills\n\nThere are none.\n")
        run("mkdocs", "build", "-q", cwd=folder)
        return (folder / "site" / "mill" / "index.html").read_text()

    return write


def converter(*command):
    def write(folder, names):
        return page(run(*command, text=markdown(names)))

    return write


def node(script):
    def write(folder, names):
        (folder / "mill.md").write_text(markdown(names))
        (folder / "convert.js").write_text(script)
        return page(run("node", folder / "convert.js", folder / "mill.md"))

    return write
