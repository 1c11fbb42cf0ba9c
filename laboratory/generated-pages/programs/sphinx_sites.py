"""Pages of Sphinx with many themes: questions, events, vacancies, manuals."""
import os
import shutil
import subprocess
import sys

from generator.capture import WORK, Capture
from generator.documents import site
from generator.texts import Texts

THEMES = ("alabaster classic sphinxdoc scrolls agogo traditional nature haiku pyramid bizstyle epub sphinx_rtd_theme furo pydata_sphinx_theme sphinx_book_theme shibuya "
          "sphinxawesome_theme insipid sphinx_wagtail_theme sphinx_nefertiti piccolo_theme sphinx_documatt_theme").split()
LANGS = ["en", "fr", "en", "de", "en", "ja", "zh"]
DROP = ["nav", "aside", "footer", "[role=navigation]", "[class*=sidebar]", "[class*=toc]", "[class*=breadcrumb]", "[class*=prev-next]", "[class*=related]", ".bottomnav", ".topnav", ".headerlink", "[class*=rightside]"]


def build(theme, number):
    lang = LANGS[number % len(LANGS)]
    texts, folder = Texts(lang, "documentation" if lang == "en" and number % 2 else "article", f"sphinx {theme}"), f"{WORK}/sphinx-{theme}"
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    pages = site(texts)
    with open(f"{folder}/conf.py", "w") as file:
        file.write(f"project = {texts.phrase(20)!r}\nauthor = copyright = {texts.name()!r}\nlanguage = {('zh_CN' if lang == 'zh' else lang)!r}\nextensions = ['myst_parser'{', ' + repr(theme) if '_' in theme else ''}]\n"
                   f"myst_enable_extensions = ['deflist']\nhtml_theme = {theme!r}\nsuppress_warnings = ['*']\n")
    with open(f"{folder}/index.md", "w") as file:
        file.write(f"# {texts.phrase(30)}\n\n{texts.sentence()}\n\n```{{toctree}}\n:maxdepth: 2\n\n" + "\n".join(name for _, name, *_ in pages) + "\n```\n")
    for _, name, title, body, *_ in pages:
        with open(f"{folder}/{name}.md", "w") as file:
            file.write(f"# {title}\n\n{body}\n")
    done = subprocess.run([sys.executable, "-m", "sphinx", "-q", "-b", "dirhtml", folder, folder + "/out"], capture_output=True, text=True)
    if done.returncode:
        print("sphinx", theme, "failed:", done.stderr[-200:])
        return
    captures = {}
    for kind, name, title, body, marks, page_type in pages:
        if kind not in captures:
            captures[kind] = Capture(kind, "sphinx", theme.replace("sphinx_", "").replace("_theme", ""), lang)
        with open(f"{folder}/out/{name}/index.html") as file:
            captures[kind].add(f"{name}/", file.read(), "smallest", marks, drop=DROP, page_type=page_type)


for number, theme in enumerate(sys.argv[1:] or THEMES):
    build(theme, number)
