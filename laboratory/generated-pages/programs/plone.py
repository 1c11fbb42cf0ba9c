"""Pages of Plone: events, news, questions and vacancies, and its views of folders (plone_fill.py fills it)."""
import json
import os
import subprocess
import sys
import time

import requests

from generator.capture import WORK, Capture
from generator.documents import labels
from generator.marks import mark
from generator.texts import Texts

BIN, PORT = os.environ.get("PLONE_BIN", "/tmp/pages/v/plone/bin"), 8080
paragraphs = lambda texts, kind, low, high: "".join(f"<p>{mark(kind, line)}</p>" for line in texts.paragraphs(low, high))


def questions(texts):
    form = texts.random.choice(["dl", "h3", "strong", "details"])
    pairs = [(mark("Q", texts.question()), paragraphs(texts, "A", 1, 2)) for _ in range(texts.random.randint(4, 10))]
    shape = {"dl": lambda q, a: f"<dt>{q}</dt><dd>{a}</dd>", "h3": lambda q, a: f"<h3>{q}</h3>{a}", "strong": lambda q, a: f"<p><strong>{q}</strong></p>{a}", "details": lambda q, a: f"<h4 class='accordion-header'>{q}</h4><div class='accordion-body'>{a}</div>"}[form]
    text = "".join(shape(q, a) for q, a in pairs)
    return f"<dl>{text}</dl>" if form == "dl" else text


def job(texts):
    words = labels(texts)
    rows = [(words["where"], texts.city()), (words["employer"], texts.fake.company()), (words["salary"], f"{texts.random.randrange(30, 99)}.000 EUR")]
    facts = "<table class='listing'>" + "".join(f"<tr><th>{mark('F', a)}</th><td>{mark('F', b)}</td></tr>" for a, b in rows) + "</table>"
    return paragraphs(texts, "B", 1, 2) + facts + "".join(f"<h3>{mark('B', words[name])}</h3><ul>" + "".join(f"<li>{mark('B', texts.sentence(90))}</li>" for _ in range(texts.random.randint(3, 6))) + "</ul>" for name in ("tasks", "profile", "offer"))


def content(texts, lang):
    folders = []
    for n, layout in enumerate(("event_listing", "listing_view", "summary_view", "tabular_view")):
        events = []
        for m in range(9):
            start = texts.fake.date_time_between("+1d", "+1y")
            events.append({"type": "Event", "id": f"e{m}", "title": mark("T", texts.title(70)), "description": mark("B", texts.sentence(160)), "text": paragraphs(texts, "B", 1, 4), "start": start.isoformat(), "end": start.isoformat(), "location": mark("P", texts.place()), "contact_name": texts.name()})
        folders.append({"id": f"events{n}", "title": texts.phrase(20), "layout": layout, "items": events})
    for n, layout in enumerate(("summary_view", "listing_view", "full_view")):
        folders.append({"id": f"news{n}", "title": texts.phrase(20), "layout": layout, "items": [{"type": "News Item", "id": f"n{m}", "title": mark("T", texts.title(70)), "description": mark("B", texts.sentence(160)), "text": paragraphs(texts, "B", 2, 4)} for m in range(9)]})
    folders.append({"id": "help", "title": "Help", "layout": "listing_view", "items": [{"type": "Document", "id": f"q{m}", "title": mark("T", texts.title(60)), "description": mark("A", texts.sentence(120)), "text": questions(texts)} for m in range(10)]})
    folders.append({"id": "jobs", "title": labels(texts)["jobs"], "layout": "summary_view", "items": [{"type": "Document", "id": f"j{m}", "title": mark("T", texts.fake.job()), "description": mark("B", texts.sentence(120)), "text": job(texts)} for m in range(10)]})
    return {"name": texts.phrase(20), "lang": lang, "folders": folders}


KINDS = {"events": ("event", "TBP"), "news": (None, "TB"), "help": ("faq", "TQA"), "jobs": ("job", "TBF")}
for lang in sys.argv[1:] or ["en", "de"]:
    data, root = content(Texts(lang, "article", "plone"), lang), f"{WORK}/plone"
    with open(f"{root}/data.json", "w") as file:
        json.dump(data, file)
    subprocess.run([f"{BIN}/zconsole", "run", "etc/zope.conf", os.path.abspath(os.path.dirname(__file__)) + "/plone_fill.py", f"{root}/data.json"], cwd=root, capture_output=True, check=True)
    server = subprocess.Popen([f"{BIN}/runwsgi", "etc/zope.ini"], cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(45):
            time.sleep(2)
            try:
                requests.get(f"http://127.0.0.1:{PORT}/site", timeout=60)
                break
            except requests.RequestException:
                pass
        captures = {}
        for folder in data["folders"]:
            kind, marks = KINDS[folder["id"].rstrip("0123456789")]
            paths = [(f"/site/{folder['id']}", "list", "TBPA", "listing")]
            if kind:
                paths += [(f"/site/{folder['id']}/{item['id']}", kind, marks, kind) for item in folder["items"]]
            for path, put, kept, page_type in paths:
                response = requests.get(f"http://127.0.0.1:{PORT}{path}", timeout=120)
                if response.status_code != 200:
                    print(path, response.status_code)
                    continue
                put in captures or captures.update({put: Capture(put, "plone", lang, lang)})
                captures[put].add(path, response.text, "#content", kept, drop=["#viewlet-below-content", ".documentActions", "li.summary", "li.description", "li.location", "li.dtstart", "li.dtend"], add=[".event.summary .dtstart", ".event.summary .dtend", ".event_summary .dt"] if put == "event" else [], page_type=page_type)
    finally:
        server.terminate()
