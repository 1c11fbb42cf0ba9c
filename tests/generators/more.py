"""Lists further makers of pages: their themes and options, libraries of Markdown, block editors and exporters."""
import json
import os
import pathlib

import pypandoc

import frame
from frame import HERE, HTML, MATH, PLAIN, TITLE, asciidoc, converter, markdown, mkdocs, node, page, rst, run, sphinx

ALL, CORE, TABLE, GFM, TASKS = ([*own, *PLAIN] for own in (frame.ALL, frame.CORE, frame.TABLE, frame.GFM, frame.TASKS))

PANDOC = pypandoc.get_pandoc_path()
EXTRA = [*TABLE, "note", "definitions"]
# Of the constructs, those of RST, and those of Markdown that passes HTML on.
RST = [*(own for own in ALL if own != "tasks"), "table of spans", "caption of a table", "note with code", "nested quote"]
WITH_HTML = [*GFM, *HTML]


def python(script):
    """A library of Python: `text` is the Markdown, `out` what it writes."""
    def write(folder, names):
        (folder / "convert.py").write_text(f"import sys\ntext = sys.stdin.read()\n{script}\nprint(out)\n")
        return page(run("python", folder / "convert.py", text=markdown(names)))

    return write


def module(script):
    """A library of Node as a module: `text` is the Markdown, `html` the page's, `out` what it writes."""
    def write(folder, names):
        (folder / "node_modules").symlink_to(pathlib.Path(os.environ["NODE_PATH"]))
        (folder / "mill.md").write_text(markdown(names))
        (folder / "convert.mjs").write_text("import {readFileSync} from 'fs';\n" + script.split("---")[0] + (
            "const text = readFileSync('mill.md', 'utf8');\n"
            + (script.split("---")[1] if "---" in script else "") + "\nconsole.log(out); process.exit(0);\n"))
        return page(run("node", folder / "convert.mjs", cwd=folder))

    return write


def editor(name):
    """A block editor or exporter of `editors.mjs`, which reads what remark makes of the Markdown."""
    def write(folder, names):
        (folder / "node_modules").symlink_to(pathlib.Path(os.environ["NODE_PATH"]))
        (folder / "mill.md").write_text(markdown(names))
        (folder / "editors.mjs").write_text((HERE / "editors.mjs").read_text())
        return page(run("node", "editors.mjs", name, "mill.md", cwd=folder))

    return write


def site(files, *command, out, names_title=True):
    """A tool that builds a site from files; `TEXT` in a file stands for the Markdown, `BODY` for that without title."""
    def write(folder, names):
        (folder / "node_modules").symlink_to(pathlib.Path(os.environ.get("NODE_PATH", "/nonexistent")))
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            text = text.replace("TEXT", markdown(names)).replace("BODY", markdown(names, title=False)).replace("RST", rst(names))
            (folder / name).write_text(text)
        run(*command, cwd=folder)
        return (folder / out).read_text()

    return write


def pandoc(*options, ending=".html"):
    def write(folder, names):
        (folder / "mill.md").write_text(markdown(names, title=False))
        run(pypandoc.get_pandoc_path(), "-f", "markdown+task_lists+alerts", "-s", "-M", f"title={TITLE}", *options, "-o", folder / f"mill{ending}", folder / "mill.md")
        return folder / f"mill{ending}"

    return write


def pandoc_page(*options, ending=".html"):
    def write(folder, names):
        return pandoc(*options, ending=ending)(folder, names).read_text()

    return write


def office(form, *command):
    """A page that another tool makes of a document of an office, a manual or a wiki by pandoc."""
    def write(folder, names):
        made = pandoc("-t", form, ending=f".{form}")(folder, names)
        return page(run(*[str(made) if own == "FILE" else own for own in command], cwd=folder))

    return write


def asciidoc_page(*command):
    def write(folder, names):
        (folder / "mill.adoc").write_text(asciidoc(names))
        return run(*command, folder / "mill.adoc", cwd=folder)

    return write


def docbook_of_asciidoc(folder, names):
    (folder / "mill.adoc").write_text(asciidoc(names))
    run("asciidoctor", "-b", "docbook5", "-o", folder / "mill.xml", folder / "mill.adoc")
    sheet = "/usr/share/xml/docbook/stylesheet/docbook-xsl-ns/xhtml5/docbook.xsl"
    return run("xsltproc", "--nonet", "--stringparam", "chunker.output.encoding", "UTF-8", sheet, folder / "mill.xml", cwd=folder)


def hexo(theme):
    def write(folder, names):
        modules = pathlib.Path(os.environ["NODE_PATH"])
        (folder / "node_modules").symlink_to(modules)
        (folder / "source" / "_posts").mkdir(parents=True)
        wanted = ["hexo-renderer-marked", "hexo-renderer-ejs", "hexo-renderer-stylus", "hexo-renderer-pug", "hexo-renderer-nunjucks", "hexo-generator-index", f"hexo-theme-{theme}"]
        version = json.loads((modules / "hexo" / "package.json").read_text())["version"]
        (folder / "package.json").write_text(json.dumps({"name": "mills", "hexo": {"version": version}, "dependencies": dict.fromkeys(wanted, "*")}))
        (folder / "_config.yml").write_text(f"title: Mills\nurl: https://example.org\ntheme: {theme}\npermalink: :title/\nsyntax_highlighter: highlight.js\n")
        for at, other in enumerate(["The wind mill", "The saw mill"]):
            (folder / "source" / "_posts" / f"other{at}.md").write_text(f"---\ntitle: {other}\ndate: 2024-01-0{at + 1}\ntags: [mills]\n---\n\nThere is none.\n")
        (folder / "source" / "_posts" / "mill.md").write_text(f"---\ntitle: {TITLE}\ndate: 2024-01-02\ntags: [mills]\n---\n\n" + markdown(names, title=False))
        run("npx", "hexo", "generate", cwd=folder)
        return (folder / "public" / "mill" / "index.html").read_text()

    return write


def pelican(theme, lines):
    def write(folder, names):
        (folder / "content").mkdir()
        (folder / "content" / "mill.md").write_text(f"Title: {TITLE}\nDate: 2024-01-02\nSlug: mill\nCategory: Mills\n\n" + markdown(names, title=False))
        (folder / "pelicanconf.py").write_text(
            "SITENAME='Mills'\nSITEURL='https://example.org'\nPATH='content'\nTIMEZONE='UTC'\nDEFAULT_LANG='en'\n"
            f"THEME='{theme}'\nMARKDOWN={{'extension_configs': {{'markdown.extensions.codehilite': {{'css_class': 'highlight', 'linenums': {lines}}},"
            " 'markdown.extensions.extra': {}, 'markdown.extensions.admonition': {}}, 'output_format': 'html5'}\n")
        run("pelican", "content", "-s", "pelicanconf.py", "-o", "out", cwd=folder)
        return (folder / "out" / "mill.html").read_text()

    return write


def nikola(theme):
    def write(folder, names):
        run("nikola", "init", "-qd", "site", cwd=folder)
        (folder / "site" / "posts").mkdir(exist_ok=True)
        (folder / "site" / "posts" / "mill.md").write_text(
            f"<!--\n.. title: {TITLE}\n.. slug: mill\n.. date: 2024-01-02 00:00:00 UTC\n.. tags: mills\n-->\n\n" + markdown(names, title=False))
        with open(folder / "site" / "conf.py", "a") as conf:
            conf.write(f"\nTHEME = '{theme}'\nMARKDOWN_EXTENSIONS = ['markdown.extensions.fenced_code', 'markdown.extensions.codehilite', 'markdown.extensions.extra']\n"
                       "POSTS = [('posts/*.md', 'posts', 'post.tmpl')]\n")
        run("nikola", "build", "-q", cwd=folder / "site")
        return next((folder / "site" / "output" / "posts").glob("**/mill/index.html")).read_text()

    return write


def comment(text, before="", after="", line=" * "):
    """The Markdown as a comment of a program."""
    return before + "".join(f"{line}{own}".rstrip() + "\n" for own in text.split("\n")) + after


def program(file, before, after, *command, out, line=" * "):
    def write(folder, names):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(comment(markdown(names).replace("*/", "* /"), before, after, line))
        run(*command, cwd=folder)
        return (folder / out).read_text()

    return write


def latex(*command, out):
    def write(folder, names):
        body = run(PANDOC, "-f", "markdown", "-t", "latex", "--no-highlight", "--shift-heading-level-by=-1", text=markdown(names, title=False))
        head = "\\documentclass{article}\n\\usepackage{hyperref,ulem,longtable,booktabs}\n\\providecommand{\\tightlist}{}\n\\setcounter{secnumdepth}{-2}\n\\title{" + TITLE + "}\n\\begin{document}\n\\maketitle\n"
        (folder / "mill.tex").write_text(head + body + "\n\\end{document}\n")
        run(*command, cwd=folder)
        return (folder / out).read_text()

    return write


def javadoc(folder, names):
    body = run(PANDOC, "-f", "gfm", "-t", "html", "--no-highlight", text=markdown(names, title=False)).replace("@", "&#64;").replace("*/", "*&#47;")
    (folder / "overview.html").write_text(f"<html><head><title>{TITLE}</title></head><body><main><h1>{TITLE}</h1>{body}</main></body></html>")
    (folder / "mill").mkdir()
    (folder / "mill" / "Wheel.java").write_text("package mill;\n/** The wheel. */\npublic class Wheel {}\n")
    (folder / "gate").mkdir()
    (folder / "gate" / "Gate.java").write_text("package gate;\n/** The gate. */\npublic class Gate {}\n")
    run("javadoc", "-quiet", "-Xdoclint:none", "-overview", "overview.html", "-d", "out", "mill/Wheel.java", "gate/Gate.java", cwd=folder)
    return (folder / "out" / "index.html").read_text()


def jupyter_book(folder, names):
    (folder / "_config.yml").write_text("title: Mills\nexecute:\n  execute_notebooks: off\nparse:\n  myst_enable_extensions: [dollarmath, deflist, tasklist, strikethrough, colon_fence]\n")
    (folder / "_toc.yml").write_text("format: jb-book\nroot: index\nchapters:\n  - file: mill\n")
    (folder / "index.md").write_text("# Mills\n\nAll mills.\n")
    (folder / "mill.md").write_text(markdown(names))
    run("jupyter-book", "build", "-q", folder)
    return (folder / "_build" / "html" / "mill.html").read_text()


def notebook(*options):
    def write(folder, names):
        cell = {"cell_type": "markdown", "id": "a", "metadata": {}, "source": markdown(names)}
        (folder / "mill.ipynb").write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
        run("jupyter", "nbconvert", "--to", *options, folder / "mill.ipynb", cwd=folder)
        return next(own for own in folder.glob("mill*.html")).read_text()

    return write


SPHINX = {
    name: (sphinx(name), RST, "rst")
    for name in "classic nature haiku bizstyle agogo pyramid scrolls traditional sphinxdoc pydata_sphinx_theme piccolo_theme insegel shibuya "
    "sphinxawesome_theme sphinx_nefertiti cloud bootstrap sphinx_typlog_theme sphinx_material insipid "
    "python_docs_theme plone_sphinx_theme sphinx_hextra sphinx_lv2_theme sphinx_typo3_theme "
    "sphinx_mdolab_theme".split()
}
# Themes that Sphinx 5 still builds (`sphinx-build-5` on PATH), with where they lie.
SPHINX |= {
    name: (sphinx(name, program="sphinx-build-5", conf=conf), RST, "rst")
    for name, conf in {
        "press": "", "sphinx_wagtail_theme": "import sphinx_wagtail_theme as t\nhtml_theme_path = [t.get_html_theme_path()]\nextensions += ['sphinx_wagtail_theme']\n", "sphinx_py3doc_enhanced_theme": "import sphinx_py3doc_enhanced_theme as t\nhtml_theme_path = [t.get_html_theme_path()]\n",
        "guzzle_sphinx_theme": "import guzzle_sphinx_theme as t\nhtml_theme_path = t.html_theme_path()\n",
        "bootstrap": "import sphinx_bootstrap_theme as t\nhtml_theme_path = t.get_html_theme_path()\n",
        "better": "from better import better_theme_path\nhtml_theme_path = [better_theme_path]\n",
        "readable": "import sphinx_readable_theme as t\nhtml_theme_path = [t.get_html_theme_path()]\n",
        "edx_theme": "import edx_theme as t\nhtml_theme_path = [t.get_html_theme_path()]\n",
        "karma_sphinx_theme": "", "pylons": "html_theme = 'pyramid'\nimport pylons_sphinx_themes as t\nhtml_theme_path = t.get_html_themes_path()\n",
        "sphinx_typlog_theme": "", "sphinx_material": "", "insegel": "", "piccolo_theme": "", "sphinx_lv2_theme": "", "sphinx_typo3_theme": "",
    }.items()
}
SPHINX |= {
    "alabaster-lines": (sphinx("alabaster", conf="from docutils.parsers.rst import directives\nfrom sphinx.directives.code import CodeBlock\n"
                               "CodeBlock.option_spec['linenos'] = directives.flag\nhtml_codeblock_linenos_style = 'table'\n"
                               "def setup(app):\n    old = CodeBlock.run\n    CodeBlock.run = lambda s: (s.options.update(linenos=None), old(s))[1]\n"),
                        RST, "rst"),
    "furo-lines-inline": (sphinx("furo", conf="from sphinx.directives.code import CodeBlock\nhtml_codeblock_linenos_style = 'inline'\n"
                                 "def setup(app):\n    old = CodeBlock.run\n    CodeBlock.run = lambda s: (s.options.update(linenos=None), old(s))[1]\n"),
                          RST, "rst"),
    "rtd-tabs": (sphinx("sphinx_rtd_theme", "sphinx_tabs.tabs", "sphinx_copybutton"), [*RST, "code with tabs"], "tabs-sphinx rst"),
    "book-design": (sphinx("sphinx_book_theme", "sphinx_design", "sphinx_copybutton"), [*RST, "code with tabs"], "tabs-design rst"),
    "furo-inline-tabs": (sphinx("furo", "sphinx_inline_tabs"), [*RST, "code with tabs"], "tabs-inline rst"),
    "pydata-myst": (sphinx("pydata_sphinx_theme", "sphinx_design"), [*ALL, *HTML, "note with code"], "myst html markdown"),
    "singlehtml": (sphinx("nature", builder="singlehtml", page="index.html"), [own for own in RST if own not in ("heading", "subheading", "deep heading")], "rst"),
    "dirhtml": (sphinx("classic", builder="dirhtml", page="mill/index.html"), RST, "rst"),
    "epub": (sphinx("alabaster", builder="epub", page="mill.xhtml", conf="epub_show_urls = 'no'\n"), RST, "rst"),
}
PYMDOWN = ["extra", "admonition", "pymdownx.superfences", "pymdownx.highlight", "pymdownx.arithmatex", "pymdownx.tilde", "pymdownx.tasklist",
           "pymdownx.details", "pymdownx.tabbed:\n      alternate_style: true"]
MKDOCS = {
    name: (mkdocs(name, "extra", "admonition"), [*EXTRA, *HTML, "note with code"], "html extra markdown")
    for name in "cinder ivory windmill terminal bootstrap dracula gitbook alabaster flatly bootstrap386 bootstrap4 bulma carbon custommill "
    "rtd-dropdown nature primer flux simple-blog cluster github boring dsfr gds windows-98 "
    "minimal tech_docs_template".split()
}
MKDOCS |= {
    "material-all": (mkdocs("material", *PYMDOWN), [*ALL, *HTML, "note with code", "code with tabs"], "pymdown html markdown"),
    "material-anchors": (
        mkdocs("material", *PYMDOWN[:3], "pymdownx.highlight:\n      anchor_linenums: true\n      linenums: true\n      linenums_style: pymdownx-inline", *PYMDOWN[4:],
               more="  features:\n    - content.code.copy\n    - content.code.annotate\n    - navigation.tabs\n"),
        [*ALL, *HTML, "note with code", "code with tabs"], "pymdown html markdown"),
    "cinder-lines": (mkdocs("cinder", "extra", "codehilite:\n      linenums: true"), [*EXTRA, *HTML], "html markdown"),
}
LIBRARIES = {
    "python-markdown": (python("import markdown\nout = markdown.markdown(text, extensions=['extra', 'admonition'])"), [*EXTRA, *HTML, "note with code"], "html extra markdown"),
    "python-markdown-lines": (
        python("import markdown\nout = markdown.markdown(text, extensions=['extra', 'codehilite'], extension_configs={'codehilite': {'linenums': True}})"),
        [*EXTRA, *HTML], "html markdown"),
    "python-markdown-inline-lines": (
        python("import markdown\nout = markdown.markdown(text, extensions=['extra', 'codehilite'], extension_configs={'codehilite': {'linenos': 'inline'}})"),
        [*EXTRA, *HTML], "html markdown"),
    "python-markdown-spans": (
        python("import markdown\nout = markdown.markdown(text, extensions=['extra', 'codehilite', 'toc', 'pymdownx.tilde', 'pymdownx.tasklist', 'pymdownx.betterem'],"
               " extension_configs={'codehilite': {'linenos': 'table', 'linespans': 'l', 'lineanchors': 'a', 'anchorlinenos': True}, 'toc': {'anchorlink': True}})"),
        [*EXTRA, "struck out", "tasks", *HTML], "html markdown"),
    "mistune": (python("import mistune\nout = mistune.create_markdown(escape=False, plugins=['strikethrough', 'footnotes', 'table', 'task_lists', 'def_list', 'math'])(text)"),
                [*TASKS, "note", "definitions", *MATH, *HTML], "html markdown"),
    "markdown2": (python("import markdown2\nout = markdown2.markdown(text, extras=['fenced-code-blocks', 'tables', 'footnotes', 'strike', 'task_list', 'admonitions', 'header-ids', 'highlightjs-lang'])"),
                  [*TASKS, "note", *HTML], "html markdown"),
    "markdown-it-py": (
        python("from markdown_it import MarkdownIt\nfrom mdit_py_plugins.footnote import footnote_plugin as f\nfrom mdit_py_plugins.deflist import deflist_plugin as d\n"
               "from mdit_py_plugins.tasklists import tasklists_plugin as t\nfrom mdit_py_plugins.admon import admon_plugin as a\nfrom mdit_py_plugins.anchors import anchors_plugin as n\n"
               "out = MarkdownIt('commonmark', {'html': True}).enable(['table', 'strikethrough']).use(f).use(d).use(t).use(a).use(n, permalink=True).render(text)"),
        [*TASKS, "note", "definitions", *HTML, "note with code"], "html pymdown markdown"),
    "mistletoe": (python("import mistletoe\nfrom mistletoe.contrib.pygments_renderer import PygmentsRenderer as R\nout = mistletoe.markdown(text, R)"),
                  WITH_HTML, "html markdown"),
    "commonmark-py": (python("import commonmark\nout = commonmark.commonmark(text)"), [*CORE, *HTML], "html markdown"),
    "marko": (python("import marko\nout = marko.Markdown(extensions=['gfm', 'footnote', 'codehilite', 'toc']).convert(text)"), [*GFM, "note", *HTML], "html markdown"),
    "cmarkgfm": (python("import cmarkgfm\nfrom cmarkgfm.cmark import Options as O\nout = cmarkgfm.github_flavored_markdown_to_html(text, O.CMARK_OPT_FOOTNOTES | O.CMARK_OPT_UNSAFE)"),
                 [*TASKS, "note", *HTML], "html markdown"),
    "pygments": (python("import re, markdown\nfrom pygments import highlight, lexers\nfrom pygments.formatters import HtmlFormatter as F\n"
                        "def code(m):\n    return highlight(m[2], lexers.get_lexer_by_name(m[1]), F(linenos='table', noclasses=True))\n"
                        "parts = re.split(r'(?s)(```\\w+\\n.*?\\n```\\n)', text)\n"
                        "fence = re.compile(r'(?s)```(\\w+)\\n(.*?)\\n```\\n')\n"
                        "out = ''.join(fence.sub(code, p) if p.startswith('```') else markdown.markdown(p, extensions=['extra']) for p in parts)"),
                 [*TABLE, *HTML], "html markdown"),
    "commonmark-js": (module("import {Parser, HtmlRenderer} from 'commonmark';\n---const out = new HtmlRenderer().render(new Parser().parse(text));"), [*CORE, *HTML], "html markdown"),
    "remark-html": (module("import {remark} from 'remark'; import html from 'remark-html'; import gfm from 'remark-gfm';\n---"
                           "const out = String(await remark().use(gfm).use(html, {sanitize: false}).process(text));"), [*TASKS, "note", *HTML], "html markdown"),
    "micromark": (module("import {micromark} from 'micromark'; import {gfm, gfmHtml} from 'micromark-extension-gfm';\n---"
                         "const out = micromark(text, {allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()]});"), [*TASKS, "note", *HTML], "html markdown"),
    "remarkable": (module("import {Remarkable} from 'remarkable'; import h from 'highlight.js';\n---"
                          "const out = new Remarkable('full', {html: true, highlight: (s, l) => h.highlight(s, {language: l}).value}).render(text);"),
                   [*GFM, "note", "definitions", *HTML], "html markdown"),
    "markdown-it-hljs": (
        node("const text = require('fs').readFileSync(process.argv[2], 'utf8');\n"
             "const m = require('markdown-it')({html: true}).use(require('markdown-it-highlightjs').default || require('markdown-it-highlightjs'))"
             ".use(require('markdown-it-task-lists')).use(require('markdown-it-deflist')).use(require('markdown-it-anchor').default, {permalink: require('markdown-it-anchor').default.permalink.headerLink()})"
             ".use(require('markdown-it-container'), 'tip'); console.log(m.render(text));"),
        [*TASKS, "definitions", *HTML, "note with code"], "html container markdown"),
    "markdown-it-shiki": (
        module("import M from 'markdown-it'; import S from '@shikijs/markdown-it'; import A from 'markdown-it-github-alerts'; import anchor from 'markdown-it-anchor';\n---"
               "const m = M({html: true}).use(A).use(anchor, {permalink: anchor.permalink.linkInsideHeader({symbol: '#', placement: 'before'})});"
               "m.use(await S({themes: {light: 'vitesse-light', dark: 'vitesse-dark'}})); const out = m.render(text);"),
        [*GFM, *HTML, "note with code"], "html alert markdown"),
    "rehype-pretty-code": (
        module("import {unified} from 'unified'; import p from 'remark-parse'; import g from 'remark-gfm'; import r from 'remark-rehype'; import raw from 'rehype-raw';"
               "import s from 'rehype-stringify'; import c from 'rehype-pretty-code';\n---"
               "const out = String(await unified().use(p).use(g).use(r, {allowDangerousHtml: true}).use(raw).use(c, {defaultLang: 'text'}).use(s).process(text.replace(/```(\\w+)/g, '```$1 showLineNumbers title=\"mill.txt\"')));"),
        [*TASKS, "note", *HTML], "html markdown"),
    "expressive-code": (
        module("import {unified} from 'unified'; import p from 'remark-parse'; import g from 'remark-gfm'; import r from 'remark-rehype'; import raw from 'rehype-raw';"
               "import s from 'rehype-stringify'; import c from 'rehype-expressive-code';\n---"
               "const out = String(await unified().use(p).use(g).use(r, {allowDangerousHtml: true}).use(raw).use(c).use(s).process(text));"),
        [*TASKS, "note", *HTML], "html markdown"),
    "rehype-prism-lines": (
        module("import {unified} from 'unified'; import p from 'remark-parse'; import g from 'remark-gfm'; import r from 'remark-rehype'; import raw from 'rehype-raw';"
               "import s from 'rehype-stringify'; import c from 'rehype-prism-plus';\n---"
               "const out = String(await unified().use(p).use(g).use(r, {allowDangerousHtml: true}).use(raw).use(c, {showLineNumbers: true, ignoreMissing: true}).use(s).process(text));"),
        [*TASKS, "note", *HTML], "html markdown"),
    "react-markdown": (
        module("import M from 'react-markdown'; import g from 'remark-gfm'; import {createElement as e} from 'react'; import {renderToStaticMarkup as r} from 'react-dom/server'; import raw from 'rehype-raw'; import h from 'rehype-highlight';\n---"
               "const out = r(e(M, {remarkPlugins: [g], rehypePlugins: [raw, h]}, text));"), [*TASKS, "note", *HTML], "html markdown"),
    "markdown-to-jsx": (
        module("import M from 'markdown-to-jsx'; import {createElement as e} from 'react'; import {renderToStaticMarkup as r} from 'react-dom/server';\n---"
               "const out = r(e(M.default || M, {}, text));"), [*TASKS, "note", *HTML], "html markdown"),
    "markdoc": (module("import M from '@markdoc/markdoc';\n---const out = M.renderers.html(M.transform(M.parse(text)));"), [own for own in GFM if own != "list of paragraphs"]),
}
# What the trees of editors hold: blocks of text, code and lists.
BLOCKS = [own for own in CORE if own != "list of paragraphs"]
# Of those that nest blocks, and those that have tables.
NESTED = [*CORE, "nested quote"]
EDITORS = {
    "ghost-markdown": [*GFM, "nested quote"], "editorjs": [own for own in BLOCKS if own not in ("code of HTML", "mixed list")],
    "tiptap": [*NESTED, "table", "struck out"], "tiptap-view": [*NESTED, "table", "struck out"], "prosemirror": NESTED,
    "lexical": [*BLOCKS, "table"], "quill": BLOCKS,
    "quill-delta": [own for own in [*BLOCKS, "struck out"] if own != "code of HTML"], "draftjs-export": [*BLOCKS, "struck out"],
    "portabletext": [*BLOCKS, "struck out"], 
    "storyblok": [*NESTED, "table", "struck out"], "datocms": [*NESTED, "struck out"],
    "blocknote": [*BLOCKS, "table", "struck out"], # It tells lists by attributes alone.
    "blocknote-full": [own for own in [*BLOCKS, "table", "struck out"] if "list" not in own],
    "notion-x": [*BLOCKS, "struck out", "tasks"], "strapi": [*BLOCKS, "struck out"],
}
FROM_OFFICE = [own for own in [*TABLE, "note", "definitions"]]
ADOC = [*ALL, *HTML, "note with code"]
OFFICE = {
    "pandoc-html4": (pandoc_page("-t", "html4", "--mathjax"), [*ALL, "nested quote", "caption of a table"], "pandoc html markdown"),
    "pandoc-lines": (pandoc_page("-t", "html5", "--mathml", "--section-divs", "--toc", "--reference-links"), [*ALL, "nested quote", "caption of a table", "note with code"], "pandoc alert markdown"),
    "pandoc-docx": (office("docx", PANDOC, "FILE", "-t", "html5", "--mathml"), [own for own in [*FROM_OFFICE, *MATH] if own != "list of paragraphs"]),
    "pandoc-epub": (office("epub", PANDOC, "FILE", "-t", "html5", "--mathml"), FROM_OFFICE),
    "textile": (office("textile", "python", "-c", "import textile, sys; print(textile.textile(open(sys.argv[1]).read()))", "FILE"), [own for own in TABLE if own not in ("list of paragraphs", "white space")]),
    "org": (office("org", "emacs", "--batch", "FILE", "--eval", "(progn (require 'ox-html) (setq org-export-with-section-numbers nil) (princ (org-export-as 'html nil nil t)))"), [*GFM, "note", "definitions", *MATH]),
    "djot": (office("djot", "node", "-e", "import(process.env.NODE_PATH + '/@djot/djot/lib/index.js').then((d) => console.log(d.renderHTML(d.parse(require('fs').readFileSync(process.argv[1], 'utf8')))))", "FILE"), [*TABLE, "note", "definitions"]),
    "asciidoctor-rouge": (asciidoc_page("asciidoctor", "-a", "source-highlighter=rouge", "-a", "rouge-css=style", "-a", "source-linenums-option", "-a", "toc=left", "-a", "sectanchors", "-a", "icons=font", "-o", "-"), ADOC, "asciidoc"),
    "asciidoctor-coderay-table": (asciidoc_page("asciidoctor", "-a", "source-highlighter=coderay", "-a", "coderay-linenums-mode=table", "-a", "coderay-css=style", "-a", "sectlinks", "-o", "-"), ADOC, "asciidoc"),
    "asciidoctor-docbook": (docbook_of_asciidoc, [own for own in ADOC if own not in ("details", "tasks", *MATH)], "asciidoc"),
    "hevea": (latex("hevea", "-fix", "-o", "mill.html", "mill.tex", out="mill.html"), [own for own in CORE if own not in ("emphasis", "deep heading")]),
    "tth": (latex("tth", "-L", "mill.tex", out="mill.html"), CORE),
    "javadoc": (javadoc, [*GFM, *HTML], "html markdown"),
    "jupyter-book": (jupyter_book, [*ALL, *HTML, "note with code"], "myst html markdown"),
    "nbconvert-lab": (notebook("html", "--template", "lab"), [*GFM, *MATH, *HTML], "html markdown"),
    "nbconvert-classic": (notebook("html", "--template", "classic"), [*GFM, *MATH, *HTML], "html markdown"),
}
SITES = {
    **{f"hexo-{name}": (hexo(name), WITH_HTML, "html markdown") for name in "landscape butterfly fluid icarus".split()},
    "pelican-notmyidea": (pelican("notmyidea", True), [*EXTRA, *HTML, "note with code"], "html extra markdown"),
    "pelican-simple": (pelican("simple", False), [*EXTRA, *HTML, "note with code"], "html extra markdown"),
    "nikola-bootblog4": (nikola("bootblog4"), [*EXTRA, *HTML], "html markdown"),
    "nikola-base": (nikola("base"), [*EXTRA, *HTML], "html markdown"),
    "jekyll-minima": (site({"_config.yml": "title: Mills\ntheme: minima\nkramdown:\n  math_engine: mathjax\n", "_posts/2024-01-02-mill.md": f"---\nlayout: post\ntitle: {TITLE}\n---\n\nBODY"},
                           "jekyll", "build", "-q", out="_site/2024/01/02/mill.html"), [*GFM, "note", "definitions", *HTML], "html markdown"),
    "jekyll-lines": (site({"_config.yml": "title: Mills\ntheme: minima\nkramdown:\n  syntax_highlighter_opts:\n    block:\n      line_numbers: true\n", "mill.md": f"---\nlayout: page\ntitle: {TITLE}\n---\n\nBODY"},
                          "jekyll", "build", "-q", out="_site/mill.html"), [*GFM, "note", "definitions", *HTML], "html markdown"),
    "redcarpet": (converter("ruby", "-e", "require 'redcarpet'; require 'rouge'; require 'rouge/plugins/redcarpet'; class R < Redcarpet::Render::HTML; include Rouge::Plugins::Redcarpet; end;"
                            " puts Redcarpet::Markdown.new(R.new(with_toc_data: true), tables: true, fenced_code_blocks: true, footnotes: true, strikethrough: true, autolink: true).render(STDIN.read)"),
                  [*GFM, "note", *HTML], "html markdown"),
    "rouge-table": (converter("ruby", "-e", "require 'redcarpet'; require 'rouge'; class R < Redcarpet::Render::HTML; def block_code(c, l); f = Rouge::Formatters::HTMLTable.new(Rouge::Formatters::HTML.new); f.format((Rouge::Lexer.find(l.to_s) || Rouge::Lexers::PlainText).lex(c)); end; end;"
                              " puts Redcarpet::Markdown.new(R.new, tables: true, fenced_code_blocks: true, footnotes: true, strikethrough: true).render(STDIN.read)"),
                    [*GFM, "note", *HTML], "html markdown"),
    "rouge-linewise": (converter("ruby", "-e", "require 'redcarpet'; require 'rouge'; class R < Redcarpet::Render::HTML; def block_code(c, l); f = Rouge::Formatters::HTMLLineTable.new(Rouge::Formatters::HTML.new); f.format((Rouge::Lexer.find(l.to_s) || Rouge::Lexers::PlainText).lex(c)); end; end;"
                                 " puts Redcarpet::Markdown.new(R.new, tables: true, fenced_code_blocks: true, footnotes: true, strikethrough: true).render(STDIN.read)"),
                       [*GFM, "note", *HTML], "html markdown"),
    "commonmarker": (converter("ruby", "-e", "require 'commonmarker'; puts CommonMarker.render_html(STDIN.read, [:FOOTNOTES, :UNSAFE, :GITHUB_PRE_LANG], [:table, :strikethrough, :tasklist])"), [*TASKS, "note", *HTML], "html markdown"),
    "maruku": (converter("ruby", "-e", "require 'maruku'; puts Maruku.new(STDIN.read, fenced_code_blocks: true).to_html"), [*TABLE, "note", "definitions"]),
    "rdiscount": (converter("ruby", "-e", "require 'rdiscount'; puts RDiscount.new(STDIN.read, :footnotes, :generate_toc).to_html"), [own for own in [*TABLE, "note", *HTML] if own not in ("code of HTML", "white space")], "html markdown"),
    "rdoc": (site({"mill.md": "TEXT"}, "rdoc", "-q", "-o", "out", "mill.md", out="out/mill_md.html"), CORE),
    "yard": (site({"mill.md": "TEXT"}, "yard", "doc", "-q", "-m", "markdown", "-M", "redcarpet", "-o", "out", "-", "mill.md", out="out/file.mill.html"), TABLE),
    "parsedown": (converter("php", "-r", "require '/usr/share/php/Parsedown/autoload.php'; echo (new Parsedown)->text(stream_get_contents(STDIN));"), WITH_HTML, "html markdown"),
    "league": (converter("php", "-r", "require '/usr/share/php/League/CommonMark/autoload.php'; echo (new League\\CommonMark\\GithubFlavoredMarkdownConverter())->convert(stream_get_contents(STDIN));"), [*TASKS, *HTML], "html markdown"),
    "jsdoc": (site({"README.md": "TEXT", "mill.js": "/** Turns the wheel.\n * @param {number} angle the angle */\nexport function turn(angle) {}\n"}, "npx", "jsdoc", "-R", "README.md", "-d", "out", "mill.js", out="out/index.html"), [own for own in GFM if own != "code of HTML"]),
    "docdash": (site({"README.md": "TEXT", "mill.js": "/** Turns the wheel.\n * @param {number} angle the angle */\nexport function turn(angle) {}\n"}, "npx", "jsdoc", "-t", "node_modules/docdash", "-R", "README.md", "-d", "out", "mill.js", out="out/index.html"), [own for own in GFM if own != "code of HTML"]),
    "vuepress": (site({"package.json": "{\"type\": \"module\"}", "docs/README.md": "# Mills\n\nAll mills.\n", "docs/mill.md": "TEXT",
                       "docs/.vuepress/config.js": "import {viteBundler} from '@vuepress/bundler-vite'; import {defaultTheme} from '@vuepress/theme-default';\nexport default {bundler: viteBundler(), theme: defaultTheme({sidebar: ['/', '/mill.html']}), title: 'Mills'};\n"},
                      "npx", "vuepress", "build", "docs", out="docs/.vuepress/dist/mill.html"), [*GFM, *HTML, "note with code"], "html container markdown"),
    "vitepress-lines": (site({"package.json": "{\"type\": \"module\"}", "index.md": "# Mills\n\nAll mills.\n", "mill.md": "TEXT",
                              ".vitepress/config.js": "export default {title: 'Mills', markdown: {lineNumbers: true}, themeConfig: {sidebar: [{text: 'Mills', link: '/'}, {text: 'The water mill', link: '/mill'}]}};\n"},
                             "npx", "vitepress", "build", ".", out=".vitepress/dist/mill.html"), [*GFM, "nested quote", "table of spans", "caption of a table", "details", "note with code", "code with tabs"], "codegroup container html markdown"),
    "docusaurus-all": (site({"package.json": "{\"name\": \"mills\", \"version\": \"0.0.0\", \"private\": true}", "docs/index.md": "# Mills\n\nAll mills.\n", "docs/mill.md": "TEXT",
                             "docusaurus.config.js": "module.exports = {title: 'Mills', url: 'https://example.org', baseUrl: '/', onBrokenLinks: 'ignore', markdown: {format: 'md'}, presets: [['classic', {docs: {routeBasePath: '/', showLastUpdateTime: false, breadcrumbs: true}, blog: false}]], themeConfig: {docs: {sidebar: {hideable: true}}}};\n"},
                            "npx", "docusaurus", "build", out="build/mill/index.html"), [*TASKS, "note", "table of spans", "nested quote", "caption of a table", "note with code", "details"], "directive html markdown"),
    "astro": (site({"package.json": "{\"type\": \"module\"}", "astro.config.mjs": "export default {site: 'https://example.org'};\n", "src/layouts/L.astro": page("<article><slot /></article>"), "src/pages/mill.md": "---\nlayout: ../layouts/L.astro\n---\n\nTEXT"},
                   "node22", "node_modules/astro/bin/astro.mjs", "build", out="dist/mill/index.html"), [*TASKS, "note", *HTML], "html markdown"),
    "hugo-inline-lines": (site({"hugo.toml": 'baseURL = "https://example.org/"\ntitle = "Mills"\n[markup.goldmark.renderer]\nunsafe = true\n[markup.highlight]\nlineNos = true\nlineNumbersInTable = false\nanchorLineNos = true\nnoClasses = false\n',
                                "layouts/_default/single.html": page("<article><h1>{{ .Title }}</h1>{{ .TableOfContents }}{{ .Content }}</article>"), "layouts/_default/list.html": "<p>all</p>", "content/mill.md": f"---\ntitle: {TITLE}\n---\n\nBODY"},
                               "hugo", "--quiet", out="public/mill/index.html"), [*TASKS, "note", "definitions", *HTML], "html markdown"),
    "eleventy-prism": (site({"eleventy.config.mjs": "import s from '@11ty/eleventy-plugin-syntaxhighlight';\nexport default (c) => { c.addPlugin(s, {lineSeparator: '<br>'}); };\n", "_includes/page.njk": page("<article>{{ content | safe }}</article>"), "mill.md": "---\nlayout: page.njk\n---\n\nTEXT"},
                            "npx", "eleventy", "--quiet", "--config=eleventy.config.mjs", out="_site/mill/index.html"), [own for own in WITH_HTML if own != "list of paragraphs"], "html markdown"),
}
GENERATORS = {f"sphinx-{name}": own for name, own in SPHINX.items()}
GENERATORS |= {f"mkdocs-{name}": own for name, own in MKDOCS.items()}
GENERATORS |= {**LIBRARIES, **OFFICE, **SITES, **{name: (editor(name), names) for name, names in EDITORS.items()}}
