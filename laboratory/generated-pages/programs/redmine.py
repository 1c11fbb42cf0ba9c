"""Pages of Redmine: topics of its boards, issues with their notes, news, wiki pages and lists."""
import json
import os
import shutil
import subprocess
import sys

from generator.capture import WORK, Capture
from generator.marks import mark
from generator.texts import Texts

ROOT = "/usr/share/redmine"


def data(lang):
    texts = Texts(lang, "forum", "redmine")
    story = Texts(lang, "article", "redmine")
    posts = lambda most: ["\n\n".join(mark("B", line) for line in texts.post()) for _ in range(1 + min(most, int(texts.random.expovariate(1 / 4))))]
    manual = lambda: "\n\n".join(["h1. " + mark("T", story.title(50))] + [part for _ in range(texts.random.randint(2, 4)) for part in ["h2. " + mark("B", story.phrase(40)), *(mark("B", line) for line in story.paragraphs(1, 3))]])
    return {"lang": lang, "users": [texts.name() for _ in range(20)], "name": texts.phrase(25), "description": texts.sentence(120),
            "boards": [{"name": texts.phrase(25), "description": texts.sentence(90), "topics": [{"title": mark("T", texts.title(75)), "posts": posts(12)} for _ in range(5)]} for _ in range(4)],
            "issues": [{"title": mark("T", texts.title(80)), "posts": posts(8)} for _ in range(12)],
            "news": [{"title": mark("L", story.title(50)), "summary": mark("S", story.sentence(150)), "text": "\n\n".join(mark("B", line) for line in story.paragraphs(2, 5)), "comments": [mark("R", " ".join(texts.post())) for _ in range(texts.random.randrange(4))]} for _ in range(10)],
            "wiki": [manual() for _ in range(8)]}


MARKS = {"forum": "TB", "issue": "TB", "listing": "T", "issues": "T", "article": "LBSR", "documentation": "TB", "activity": "TLBS"}
for lang in sys.argv[1:] or ["en", "de", "fr"]:
    folder = f"{WORK}/redmine/{lang}"
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    with open(folder + "/data.json", "w") as file:
        json.dump(data(lang), file)
    done = subprocess.run(["bundle", "exec", "rails", "runner", os.path.abspath(os.path.dirname(__file__)) + "/redmine_fill.rb", folder + "/data.json", folder], cwd=ROOT, capture_output=True, text=True, env={**os.environ, "RAILS_ENV": "production"})
    if done.returncode:
        sys.exit(done.stderr[:900])
    captures = {}
    for page in json.load(open(folder + "/pages.json")):
        if page["status"] != 200:
            print(page)
            continue
        kind, kept = page["kind"], "listing" if page["type"] in ("issues", "activity") else "forum" if page["type"] == "issue" else page["type"]
        if page["type"] == "listing" and page["path"].endswith("news"):
            marks = "LSB"
        else:
            marks = MARKS[page["type"]]
        captures.setdefault(kind, None) or captures.update({kind: Capture(kind, "redmine", lang, lang)})
        captures[kind].add(page["path"], open(f"{folder}/{page['name']}").read(), "#content", marks, drop=[".breadcrumb", ".contextual", ".next-prev-links", "#reply", "#edit", ".hidden"], page_type=kept)
