"""Pages of MkDocs with many themes: questions, events, vacancies, manuals."""
import os
import shutil
import subprocess
import sys

import yaml

from generator.capture import WORK, Capture
from generator.documents import site
from generator.marks import unmark
from generator.texts import Texts

THEMES = ("readthedocs mkdocs material cinder windmill ivory gitbook terminal bootstrap4 dracula nature windows-98 simple-blog carbon shadcn bulma torillic "
          "primer cerulean journal slate rtd-dropdown").split()
LANGS = ["en", "de", "en", "zh", "en", "fr"]


def build(theme, number):
    lang = LANGS[number % len(LANGS)]
    texts, folder = Texts(lang, "article", f"mkdocs {theme}"), f"{WORK}/mkdocs-{theme}"
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder + "/docs")
    pages = site(texts)
    with open(f"{folder}/docs/index.md", "w") as file:
        file.write(f"# {texts.phrase(30)}\n\n{texts.sentence()}\n")
    for kind, name, title, body, marks, page_type in pages:
        with open(f"{folder}/docs/{name}.md", "w") as file:
            file.write(f"# {title}\n\n{body}\n")
    nav = [{"Home": "index.md"}] + [{unmark(title)[:40]: f"{name}.md"} for _, name, title, *_ in pages]
    config = {"site_name": texts.phrase(20), "site_url": "http://x.example/", "theme": {"name": theme}, "nav": nav, "plugins": [], "repo_url": "http://x.example/repo",
              "markdown_extensions": ["def_list", "tables", "toc", "admonition"], "copyright": "© 2026 " + texts.fake.company()}
    with open(folder + "/mkdocs.yml", "w") as file:
        yaml.safe_dump(config, file)
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "-q", "-f", folder + "/mkdocs.yml"], capture_output=True, text=True)
    if done.returncode:
        print("mkdocs", theme, "failed:", (done.stdout + done.stderr)[-200:])
        return
    captures = {}
    for kind, name, title, body, marks, page_type in pages:
        capture = captures.setdefault(kind, None) or Capture(kind, "mkdocs", theme, lang)
        captures[kind] = capture
        with open(f"{folder}/site/{name}/index.html") as file:
            html = file.read()
        capture.add(f"{name}/", html, "smallest", marks, drop=["nav", "aside", "footer", ".toc", ".sidebar", "[class*=sidebar]", "[class*=toc]", "[class*=breadcrumb]", "[role=navigation]", "[class*=prev]", "[class*=next]"], page_type=page_type)


for number, theme in enumerate(sys.argv[1:] or THEMES):
    build(theme, number)
