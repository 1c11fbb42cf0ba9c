"""Pages of MediaWiki with its skins: articles, talk pages, pages of questions, categories and searches."""
import os
import shutil
import subprocess
import sys
import time
import urllib.parse

import requests

from generator.capture import WORK, Capture
from generator.marks import mark
from generator.texts import Texts

ROOT, PORT = "/usr/share/mediawiki", 8451
SKINS = {"vector": "Vector", "vector-2022": "Vector", "monobook": "MonoBook", "timeless": "Timeless", "minerva": "MinervaNeue", "greystuff": "GreyStuff"}


def article(texts):
    parts = [mark("B", line) for line in texts.paragraphs(1, 3)]
    if texts.random.random() < 0.5:
        rows = "".join(f"|-\n! {mark('F', name)}\n| {mark('F', value)}\n" for name, value in texts.specifications())
        parts.insert(0, '{| class="infobox wikitable" style="float:right"\n' + rows + "|}")
    for _ in range(texts.random.randint(1, 5)):
        parts.append("== " + mark("B", texts.phrase(40)) + " ==")
        parts += [mark("B", line) for line in texts.paragraphs(1, 3)]
        if texts.random.random() < 0.3:
            parts.append("\n".join("* " + mark("B", texts.sentence(90)) for _ in range(4)))
        if texts.random.random() < 0.2:
            parts.append('{| class="wikitable"\n' + "".join("|-\n" + " || ".join(["| " * 1 + mark("B", texts.phrase(20)), mark("B", texts.phrase(20)), mark("B", texts.phrase(12))]) + "\n" for _ in range(4)) + "|}")
    return "\n\n".join(parts) + "\n\n" + "\n".join(f"[[Category:{name}]]" for name in texts.random.sample(CATEGORIES, 2))


def talk(texts):
    parts = []
    for _ in range(texts.random.randint(2, 5)):
        parts.append("== " + mark("B", texts.title(60)) + " ==")
        for depth in range(texts.random.randint(1, 5)):
            parts.append(":" * depth + mark("B", " ".join(texts.post())) + f" [[User:{texts.user()}]] ([[User talk:{texts.user()}|talk]]) {texts.random.randrange(24):02}:{texts.random.randrange(60):02}, {texts.random.randrange(1, 28)} May 2024 (UTC)")
    return "\n\n".join(parts)


def questions(texts):
    form, parts = texts.random.choice(["headings", "definitions", "bold"]), []
    for _ in range(texts.random.randint(4, 10)):
        question, answer = mark("Q", texts.question().replace(":", " ")), [mark("A", line) for line in texts.paragraphs(1, 2, 500)]
        if form == "definitions":
            parts.append("; " + question + "\n" + "\n".join(": " + line for line in answer))
        else:
            parts += [f"=== {question} ===" if form == "headings" else f"'''{question}'''", *answer]
    return "\n\n".join(parts)


CATEGORIES = ["Tools", "History", "Places", "Projects", "Events", "People"]


def wiki(lang):
    folder = f"{WORK}/mediawiki-{lang}"
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder + "/text")
    subprocess.run(["php", ROOT + "/maintenance/install.php", "--dbtype", "sqlite", "--dbpath", folder, "--dbname", "wiki", "--pass", "generated-pages-1", "--confpath", folder, "--server", f"http://127.0.0.1:{PORT}",
                    "--scriptpath", "", "--lang", lang, "--with-extensions=", "Generated Wiki", "admin"], check=True, capture_output=True)
    with open(folder + "/LocalSettings.php", "a") as file:
        file.write("\n" + "".join(f"wfLoadSkin('{s}');\n" for s in sorted(set(SKINS.values()))) + "$wgEnableUploads=false; $wgRightsText='CC-BY-SA'; $wgRightsUrl='http://x.example/'; $wgMainCacheType=CACHE_NONE; $wgShowExceptionDetails=true; $wgDefaultSkin='vector';\n")
    texts, pages = Texts(lang, "article", "mediawiki"), []
    for number in range(14):
        pages.append(("wiki", texts.title(50), article(texts), "TBF", "documentation"))
    for number in range(7):
        pages.append(("forum", "Talk:" + texts.title(50), talk(texts), "B", "forum"))
        pages.append(("faq", texts.title(50) + " FAQ", questions(texts), "QA", "faq"))
    environment, made = {**os.environ, "MW_CONFIG_FILE": folder + "/LocalSettings.php"}, []
    for number, (kind, title, text, marks, page_type) in enumerate(pages):
        title = title if title.startswith("Talk:") else title.replace(":", " ").replace("/", " ")
        done = subprocess.run(["php", ROOT + "/maintenance/edit.php", "-b", title], input=text, text=True, capture_output=True, env=environment)
        if done.returncode == 0:
            made.append((kind, title, marks, page_type))
        else:
            print("mediawiki:", title, done.stdout[-150:])
    server = subprocess.Popen(["php", "-d", "display_errors=0", "-S", f"127.0.0.1:{PORT}", "-t", ROOT], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(2)
    try:
        for skin in SKINS:
            captures = {}
            for kind, title, marks, page_type in made:
                captures.setdefault(kind, None) or captures.update({kind: Capture(kind, "mediawiki", f"{skin}-{lang}", lang)})
                query = urllib.parse.urlencode({"title": title, "useskin": skin})
                response = requests.get(f"http://127.0.0.1:{PORT}/index.php?{query}", timeout=60)
                html = response.text
                if kind != "forum":  # the headline is the page's name, which carries no marks
                    html = html.replace('mw-page-title-main">' + title, 'mw-page-title-main">' + mark("T", title), 1)
                captures[kind].add("index.php?" + query, html, "#mw-content-text, #firstHeading, .firstHeading", "T" + marks, drop=["#toc", ".toc", ".mw-editsection", ".catlinks", ".printfooter"], page_type=page_type)
    finally:
        server.terminate()


for lang in sys.argv[1:] or ["en", "de", "fr"]:
    wiki(lang)
