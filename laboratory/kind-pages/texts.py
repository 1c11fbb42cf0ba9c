"""Free texts for made pages: paragraphs, sentences, titles, names, prices and code, drawn by language."""

import gzip
import json
import re
import unicodedata
from datetime import datetime, timedelta, timezone

# Signs that some markup would take for its own.
MARKUP = set("<>*_`#[]|\\{}~^@$=")
NAMES = """ilse moss70 K.Lund old_anchor Petra7 gull reeve tomas_k hollow Nadia captain_b wren Okafor lathe9 sable Jun.H
rivka_m bramble Dietmar lou2 nightshift Aino hexagon pavel77 mirela Sofia-R tinker42 Bjarne oleander quince""".split()
PERSONS = """Ilse Brandt|Tomas Kovar|Nadia Okafor|Petra Lund|Jun Hayashi|Mirela Popa|Rivka Meir|Bjarne Holm|Aino Virtanen
|Sofia Rossi|Pavel Novak|Lucia Ferrer|Dietmar Wolf|Grace Adeyemi|Li Wen|Marta Nowak|Yusuf Demir|Claire Fontaine""".replace("\n", "").split("|")
PLACES = """Harbour Hall|Town Library|Lecture Room 4|Old Mill|Community Centre|Stadthalle|Sala Grande|Maison du Peuple|Folkets Hus
|Studio 12|Riverside Park|School Gym|Café Linde|Museum of Tides|Pavilion B|Kulturhaus Nord|City Arena""".replace("\n", "").split("|")
STREETS = "12 Quay Street|Hafenstraße 9|Rue du Port 31|Via Roma 4|Kirkegata 17|5 Mill Lane|Calle Mayor 88|Na Hrázi 2|48 Orchard Road".split("|")
TOWNS = "Ellmouth|Brunnstadt|Port-Levy|Monteverde|Sandvik|Kowalno|Lipová|Torreblanca|Newbridge".split("|")
CODE = [
    "sudo apt install {a}-{b}\nsystemctl restart {a}\njournalctl -u {a} -n 50",
    "def {a}({b}, {c}=None):\n    if {c} is None:\n        return [{b}]\n    return {b}.{d}({c})",
    "Traceback (most recent call last):\n  File \"{a}.py\", line 41, in {b}\n    {c}.{d}()\nKeyError: '{b}'",
    "SELECT {a}, count({b})\nFROM {c}\nWHERE {d} > 12\nGROUP BY {a};",
    "for (let {a} = 0; {a} < {b}.length; {a}++) {{\n  {c}.push({b}[{a}]);\n}}",
    "$ {a} --{b} 12 --{c}\n{a}: error: no such {d}",
    "[{a}]\n{b} = true\n{c} = 8080\n{d} = /var/lib/{a}",
    "public static int {a}(String {b}) {{\n    return {c}.{d}({b}) + 1;\n}}",
    "import {a}\n\n{b} = {a}.{c}('{d}.csv')\nprint({b}.head(5))",
    "location /{a}/ {{\n    proxy_pass http://127.0.0.1:9000;\n    add_header X-{b} {c};\n}}",
]
IDENTIFIERS = "node index total queue label buffer record parser offset window cursor bucket worker filter layout socket".split()
CODES = {"EUR": "de fr es it nl".split(), "CNY": ["zh"], "JPY": ["ja"], "PLN": ["pl"], "CZK": ["cs"], "NOK": ["no"], "SEK": ["sv"], "DKK": ["da"]}


def read(paths):
    """Documents of labelled sets by language: (title, paragraphs)."""
    by_language = {}
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for gold in map(json.loads, lines):
                kept = [line for line in map(clean, (gold.get("gold") or "").split("\n")) if line]
                if len(kept) < 4:
                    continue
                title = clean(gold.get("title") or "", 12, 110) or phrase_of(kept[0], 8)
                language = (gold.get("lang") or tongue(" ".join(kept)) or "en")[:2].lower()
                by_language.setdefault(language, []).append((title, kept))
    return by_language


def tongue(text):
    """A language by its script, where a set does not say it."""
    found = {"ja": "[\u3040-\u30ff]", "ko": "[\uac00-\ud7a3]", "zh": "[\u4e00-\u9fff]", "ru": "[\u0400-\u04ff]"}
    return next((language for language, signs in found.items() if len(re.findall(signs, text)) > len(text) * 0.1), None)


def clean(line, least=40, most=900):
    line = unicodedata.normalize("NFC", " ".join(line.split()))
    wide = len(re.findall("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]", line)) > 5
    if not (least / 3 if wide else least) <= len(line) <= most or set(line) & MARKUP or "//" in line or "--" in line:
        return None
    return line if line[0].isalpha() and not re.match(r"\w{1,2}[.)]|\S+:|www", line) else None


def spaced(text):
    return not re.search("[\u3040-\u30ff\u3400-\u9fff]{6}", text)


def phrase_of(text, length):
    """The first words of a text, without the signs at the end."""
    if spaced(text):
        return " ".join(text.split()[:length]).strip(" ,.;:!?–—-\"'()“”‘’„«»")
    return re.split("[，。、！？：；「」（）“”,.]", text)[0][: length * 2] or text[: length * 2]


class Texts:
    """What a page is filled with, in one language, from one generator of random numbers."""

    def __init__(self, draw, documents):
        self.draw, self.documents = draw, documents
        self.turn()

    def turn(self):
        """Draws the documents that the next texts come from, so that a page speaks of a few things."""
        some = self.draw.sample(self.documents, min(3, len(self.documents)))
        self.titles = [title for title, _ in some]
        self.all = [line for _, lines in some for line in lines]
        return self

    def paragraph(self):
        return self.draw.choice(self.all)

    def paragraphs(self, least, most):
        return self.draw.sample(self.all, min(len(self.all), self.draw.randint(least, most)))

    def sentence(self):
        some = re.findall(r".+?(?:[.!?]+(?=\s)|[。！？]|$)", self.paragraph())
        return self.draw.choice(some).strip() or self.paragraph()

    def phrase(self, least=3, most=8):
        return phrase_of(self.sentence(), self.draw.randint(least, most)) or self.phrase(least, most)

    def title(self, least=3, most=9):
        """A title of another document, or a phrase."""
        if self.draw.random() < 0.3:
            title = self.draw.choice(self.draw.choice(self.documents)[:1])
            if len(title) < 90:
                return title
        text = self.phrase(least, most)
        return text[0].upper() + text[1:]

    def goods(self):
        """The name of a thing on sale: two or three of its longer words, perhaps with a number."""
        words = [word for word in re.findall(r"\w+", self.paragraph()) if len(word) > 4 or not spaced(word)]
        if len(words) < 4 or self.draw.random() < 0.2:
            return self.title(1, 8)
        name = " ".join(word[:10].capitalize() for word in self.draw.sample(words, self.draw.randint(2, 3)))
        more = ("", "", "", " {}", " X{}", " {} ml", " {} cm", " - {} W", " ({})")
        return name + self.draw.choice(more).format(self.draw.randint(2, 900))

    def name(self):
        return self.draw.choice(NAMES)

    def person(self):
        return self.draw.choice(PERSONS)

    def place(self):
        return self.draw.choice(PLACES)

    def street(self):
        return self.draw.choice(STREETS)

    def town(self):
        return self.draw.choice(TOWNS)

    def code(self):
        a, b, c, d = self.draw.sample(IDENTIFIERS, 4)
        return self.draw.choice(CODE).format(a=a, b=b, c=c, d=d)

    def cents(self):
        return self.draw.choice((self.draw.randint(1, 90) * 100 + self.draw.choice((0, 49, 50, 90, 95, 99)), self.draw.randint(90, 2500) * 100))

    def moment(self, ahead=False):
        days = self.draw.uniform(2, 400)
        start = datetime(2026, 3, 1, tzinfo=timezone.utc) + timedelta(days=days if ahead else -days)
        return start.replace(minute=self.draw.choice((0, 0, 15, 30, 45)), second=0, microsecond=0)

    def moments(self):
        """Later and later ones."""
        at = self.moment()
        while True:
            yield at
            at += timedelta(minutes=self.draw.choice((1, 4, 37, 122, 1440, 2900)) + self.draw.randint(0, 90))


def currency(language):
    return next((code for code, languages in CODES.items() if language in languages), "GBP" if language == "en" else "EUR")
