"""What every program's script shares: its orders, its texts, the sites it plays, and the pages it prints."""

import json
import random
import re
import sys

from skin import Skin
from texts import Texts

SITES = "Harbour Talk|North Quay|Birch Lane|Open Bench|Kite Works|Marsh & Reed|The Lathe|Copper Kettle|Nine Elms|Tidewater|Grey Heron|Fieldnotes|Halyard|Old Signal|Amber Row|Moth Lamp".split("|")


def spoken(language):
    """The language of the texts for one of a program's translations."""
    return "no" if language[:2] == "nb" else language[:2]


class Orders:
    """What make.py asks for: how many pages, by which seed, of which texts."""

    def __init__(self):
        self.program, texts, pages, seed, self.theme = sys.argv[1:]
        with open(texts, encoding="utf-8") as told:
            self.documents = json.load(told)
        self.pages, self.draw, self.made = int(pages), random.Random(f"{self.program} {self.theme} {seed}"), 0
        self.out, sys.stdout = sys.stdout, sys.stderr

    def sites(self, languages):
        """Sites until enough pages are made, each with a language, a name and perhaps a skin of its own."""
        known = [language for language in languages if len(self.documents.get(spoken(language), ())) > 2]
        number = 0
        while self.made < self.pages:
            language = self.draw.choice(known) if self.draw.random() < 0.6 else self.draw.choice([known[0], known[0], known[min(1, len(known) - 1)]])
            number += 1
            yield Site(self, language, number)

    def emit(self, site, path, page, gold, kind, title, comments=None, records=None, **more):
        """Prints a page and its gold: lines, in the order of the page."""
        if isinstance(page, bytes):
            page = page.decode("utf-8")
        page_type = {"list": "listing", "events": "listing"}.get(kind, kind)
        told = {"url": f"https://{site.host}{path}", "gold": "\n".join(gold), "page_type": page_type, "lang": spoken(site.language)}
        told.update(program=self.program, theme=self.theme, title=title, **more)
        if comments:
            told["gold_comments"] = "\n".join(comments)
        if records:
            told["records"] = ["\n".join(record) for record in records]
        self.out.write(json.dumps({"page": page, "list": kind in ("list", "events"), "gold": told}, ensure_ascii=False) + "\n")
        self.made += 1

    def dressed(self, site, page):
        """A page with the site's skin around all that the program prints, where its base template cannot be another one."""
        page = page.decode("utf-8") if isinstance(page, bytes) else page
        if not site.skin:
            return page
        page = re.sub(r"<body[^>]*>", lambda found: found[0] + site.skin.top, page, count=1)
        return page.replace("</body>", site.skin.bottom + "</body>", 1)

    def enough(self):
        return self.made >= self.pages


class Site:
    """One site that runs the program."""

    def __init__(self, orders, language, number):
        self.language, self.draw = language, orders.draw
        self.texts = Texts(orders.draw, orders.documents[spoken(language)])
        self.name = orders.draw.choice(SITES)
        self.host = "".join(c for c in f"{self.name}-{orders.theme}".lower() if c.isalnum()) + f"-{orders.program}{number}.example"
        self.skin = Skin(self.texts, spoken(language), self.name) if orders.draw.random() < 0.6 else None
