"""Prints a captured page as text, its gold in brackets, to check the gold by eye."""
import json
import re
import sys

import lxml.html

from .gold import UNSEEN, gold
from .marks import unmark


def look(path, length):
    html, note = open(path + ".html", encoding="utf-8").read(), json.load(open(path + ".json"))
    lines = set(gold(html, note)[0].split("\n"))
    root = lxml.html.document_fromstring(unmark(html).encode("utf-8"), parser=lxml.html.HTMLParser(encoding="utf-8"))
    for element in root.xpath("|".join("//" + tag for tag in sorted(UNSEEN))):
        element.drop_tree()
    print("##", note["url"], note["page_type"])
    shown = []
    for text in root.itertext():
        text = re.sub(r"\s+", " ", text).strip()
        if text:
            shown.append(f"[{text}]" if any(text in line for line in lines) else text)
    print(" ".join(shown)[:length])


for name in sys.argv[1:]:
    look(name, 1100)
