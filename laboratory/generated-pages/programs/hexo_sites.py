"""Pages of Hexo with many themes: lists of posts, pages of questions, events and vacancies."""
import json
import os
import shutil
import subprocess
import sys

from generator.capture import WORK, Capture
from generator.documents import site
from generator.marks import mark, unmark
from generator.texts import Texts

MODULES = os.environ.get("HEXO_FOLDER", "/tmp/pages/n/hexo") + "/node_modules"
LANGS = [("en", "en"), ("zh", "zh-CN"), ("en", "en"), ("de", "de"), ("ja", "ja"), ("en", "en")]
DROP = ["nav", "aside", "footer", "[class*=sidebar]", "[id*=sidebar]", "[class*=side-bar]", "[class*=aside]", "[id*=aside]", "[class*=widget]", "[class*=pagination]", "[class*=paginator]",
        "[id*=footer]", "[class*=footer]", "[class*=recommend]", "[class*=related]", "[class*=toc]", "[id*=toc]", "[class*=breadcrumb]", "[class*=search]",
        "[class*=prev]", "[class*=next]", "[class*=post-nav]", "[class*=article-nav]", "[class*=swiper]", "[class*=tag-cloud]", "[class*=drawer]", "[class*=mobile]"]


def quoted(value):
    """The value as YAML, which reads JSON."""
    return json.dumps(value, ensure_ascii=False)


def posts(texts, folder):
    """Posts with teasers: set apart by the author for some sites, cut by the theme for others."""
    form = texts.random.choice(["more", "more", "description", "whole"])
    categories = [texts.phrase(14) for _ in range(6)]
    tags = [texts.phrase(10) for _ in range(15)]
    for number in range(36):
        body = [mark("B", line) for line in texts.paragraphs(2, 6)]
        title = mark("T", texts.title(70))
        head = [f"title: {quoted(title)}", f"date: 2026-{1 + number % 11:02}-{1 + number % 27:02} 10:{number:02}:00", f"author: {quoted(texts.name())}",
                f"categories: {quoted([texts.random.choice(categories)])}", f"tags: {quoted(texts.random.sample(tags, 3))}"]
        if form == "description":
            teaser = mark("S", texts.sentence(200))
            head += [f"description: {quoted(teaser)}", f"excerpt: {quoted(teaser)}"]
        if form == "more":
            body.insert(1, "<!-- more -->")
        with open(f"{folder}/source/_posts/post-{number}.md", "w") as file:
            file.write("---\n" + "\n".join(head) + "\n---\n\n" + "\n\n".join(body) + "\n")


def build(package, number):
    theme = package.replace("hexo-theme-", "")
    lang, code = LANGS[number % len(LANGS)]
    texts, folder = Texts(lang, "article", package), f"{WORK}/hexo-{theme}"
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder + "/source/_posts")
    os.symlink(MODULES, folder + "/node_modules")
    shutil.copy(MODULES + "/../package.json", folder + "/package.json")
    posts(texts, folder)
    pages = site(texts)
    for kind, name, title, body, marks, page_type in pages:
        os.makedirs(f"{folder}/source/{name}")
        with open(f"{folder}/source/{name}/index.md", "w") as file:
            file.write(f'---\ntitle: {quoted(title)}\ndate: 2026-03-02 10:00:00\nlayout: page\n---\n\n{body}\n')
    with open(folder + "/_config.yml", "w") as file:
        file.write(f"title: {texts.phrase(20).replace(':', '')!r}\nsubtitle: {texts.phrase(30)!r}\ndescription: {texts.sentence(80)!r}\nauthor: {texts.name()!r}\nlanguage: {code}\nurl: http://x.example\n"
                   f"theme: {theme}\npermalink: :title/\nper_page: 8\nindex_generator: {{per_page: 8}}\narchive_generator: {{per_page: 15, yearly: false, monthly: false}}\n")
    done = subprocess.run(["node", "--max-old-space-size=900", MODULES + "/hexo/bin/hexo", "generate", "--silent"], cwd=folder, capture_output=True, text=True, timeout=240,
                          env={**os.environ, "PATH": MODULES + "/.bin:" + os.environ["PATH"]})
    public = folder + "/public"
    if not os.path.exists(public + "/index.html") or not os.path.getsize(public + "/index.html"):
        print("hexo", theme, "failed:", (done.stdout + done.stderr)[-300:])
        return
    captures = {}
    def take(kind, path, marks, page_type):
        file = f"{public}/{path}index.html"
        if os.path.exists(file):
            captures.setdefault(kind, None) or captures.update({kind: Capture(kind, "hexo", theme, lang)})
            captures[kind].add(path, open(file).read(), "smallest", marks, drop=DROP, page_type=page_type)
    for path in ["", *(f"page/{n}/" for n in range(2, 6)), "archives/", "archives/page/2/"]:
        take("list", path, "TBS", "listing")
    for path, names, _ in os.walk(public + "/categories"):
        if os.path.exists(path + "/index.html") and path != public + "/categories":
            take("list", path[len(public) + 1:] + "/", "TBS", "listing")
    for kind, name, title, body, marks, page_type in pages:
        take(kind, name + "/", marks, page_type)


for number, package in enumerate(sys.argv[1:] or sorted(n for n in os.listdir(MODULES) if n.startswith("hexo-theme-"))):
    try:
        build(package, number)
    except subprocess.TimeoutExpired:
        print("hexo", package, "took too long")
