"""Texts are paragraphs, titles and questions of real pages, from which the generated pages are filled.

They come from the golds of the labelled sets whose licence lets a model that
ships be trained on them (../shared/data/README.md).
"""
import collections
import functools
import gzip
import json
import os
import random
import re

DATA = os.environ.get("LABELLED_DATA", "/work/shared/data")
SETS = ["wcxb-dev", "aed424", "magic-articles", "zhweb", "news-world-dev"]
FAKER = {"en": "en_US", "de": "de_DE", "fr": "fr_FR", "es": "es_ES", "it": "it_IT", "zh": "zh_CN", "ja": "ja_JP",
         "nl": "nl_NL", "pl": "pl_PL", "pt": "pt_BR", "ru": "ru_RU", "cs": "cs_CZ", "sv": "sv_SE", "no": "no_NO", "da": "da_DK"}


def _lines(gold):
    for line in gold.split("\n"):
        line = re.sub(r"\s+", " ", line).strip(" -•*>|\t")
        line = re.sub(r"^(\d+[.)]\s+|[a-z][.)]\s+)", "", line)
        line = re.sub(r"[<>\[\]{}`*_#|~\\]", "", line).strip()
        # Links and shortcodes would be changed by the programs' own markup.
        if line and "http" not in line and "@" not in line and "::" not in line:
            yield line


def _guess(text):
    """The language of a text, as far as its script tells; else English."""
    if re.search(r"[\u3040-\u30ff]", text):
        return "ja"
    if len(re.findall(r"[\u4e00-\u9fff]", text)) > len(text) / 4:
        return "zh"
    if len(re.findall(r"[\u0400-\u04ff]", text)) > len(text) / 4:
        return "ru"
    for lang, words in {"id": " yang | dan | dengan ", "tr": " ve | bir | için ", "de": " und | der | nicht ", "fr": " les | des | une ",
                        "es": " los | una | que ", "pt": " uma | não | que ", "it": " che | della | per "}.items():
        if len(re.findall(words, text)) > len(text) / 120:
            return lang
    return "en"


@functools.lru_cache(None)
def _documents():
    found = {}
    for name in SETS:
        with gzip.open(f"{DATA}/{name}.gold.jsonl.gz", "rt") as file:
            for line in file:
                page = json.loads(line)
                gold = page.get("gold") or ""
                lines = list(_lines(gold))
                if len(gold) < 400 or len(lines) < 3:
                    continue
                lang = page.get("lang") or _guess(gold[:3000])
                genre = page.get("page_type") or "article"
                title = page.get("title") or lines[0]
                title = re.split(r" [|–—-] ", title if isinstance(title, str) else lines[0])[0]
                document = {"title": next(_lines(title), lines[0]), "lines": lines, "source": page["id"]}
                found.setdefault((lang, genre), []).append(document)
    return found


class Texts:
    """An endless, repeatable supply of texts in one language."""

    def __init__(self, lang, genre="article", seed=0):
        documents = _documents()
        chosen = documents.get((lang, genre), [])
        # Few languages have pages of every genre: articles stand in for them.
        self.documents = chosen if len(chosen) >= 20 else chosen + documents[(lang, "article")]
        self.lang = lang
        self.random = random.Random(f"{lang} {genre} {seed}")
        from faker import Faker
        self.fake = Faker(FAKER.get(lang, "en_US"))
        self.fake.seed_instance(self.random.randrange(1 << 30))
        self.recent = collections.deque(maxlen=80)

    def _fresh(self, draw):
        """A text that was not used lately: languages with few documents would repeat it within a page."""
        for _ in range(25):
            text = draw()
            if text not in self.recent:
                break
        self.recent.append(text)
        return text

    def _short(self, text, length):
        length = length // 3 if self.lang in ("zh", "ja") else length
        if len(text) <= length:
            return text
        cut = re.match(r".{%d,%d}?[.!?。！？](?=\s|$|.)" % (min(20, length), length), text)
        if cut:
            return cut.group(0)
        return text[:length].rsplit(" ", 1)[0].rstrip(",;:") if " " in text[:length] else text[:length]

    def title(self, length=80):
        """A title as a page would have it."""
        def draw():
            document = self.random.choice(self.documents)
            # Few documents have few titles: sentences stand in for them.
            text = document["title"] if len(self.documents) > 40 else self.random.choice(document["lines"])
            return self._short(text, length).rstrip(".")
        text = self._fresh(draw)
        return text if len(text) > 5 else self.title(length)

    def paragraphs(self, fewest, most, length=900, shortest=40):
        """Consecutive paragraphs of one real page."""
        if self.lang in ("zh", "ja"):
            shortest = shortest // 3
        want = self.random.randint(fewest, most)
        for _ in range(50):
            lines = [line for line in self.random.choice(self.documents)["lines"] if shortest <= len(line) <= length]
            if len(lines) >= want:
                start = self.random.randint(0, len(lines) - want)
                if not any(line in self.recent for line in lines[start:start + want]):
                    self.recent.extend(lines[start:start + want])
                    return lines[start:start + want]
        return [self._short(line, length) for line in self.random.choice(self.documents)["lines"][:want]]

    def post(self):
        """The paragraphs of one post: many are short, a few are long."""
        draw = self.random.random()
        if draw < 0.25:
            return [self._short(self.paragraphs(1, 1, 500, 15)[0], 60)]
        if draw < 0.6:
            return self.paragraphs(1, 2, 500, 25)
        return self.paragraphs(1, 5, 900, 25)

    def sentence(self, length=140):
        """One sentence, or the beginning of a long one."""
        return self._short(self.paragraphs(1, 1, 900, 30)[0], length)

    def phrase(self, length=40):
        """A few words."""
        return self._short(self.sentence(200), length).rstrip(".,")

    def question(self):
        """A question that a real page asks, or a title put as one."""
        for _ in range(40):
            document = self.random.choice(self.documents)
            asked = [s for line in document["lines"] for s in re.split(r"(?<=[.!?。！？”」])\s*", line) if s.endswith(("?", "？")) and 8 < len(s) < 140]
            asked = [question for question in asked if question not in self.recent]
            if asked:
                self.recent.append(self.random.choice(asked))
                return self.recent[-1]
        return self.title(90) + "?"

    def name(self):
        return self.fake.name()

    def user(self):
        return re.sub(r"[^a-z0-9]", "", self.fake.user_name()) or f"user{self.random.randrange(999)}"

    def place(self):
        return self.fake.company() + ", " + self.fake.street_address().replace("\n", ", ")

    def city(self):
        return self.fake.city()

    def specifications(self, most=8):
        """Pairs of a name and a value, as tables of products show."""
        names = {"en": "Weight Width Height Depth Colour Material Brand Warranty Power Capacity Voltage Range Finish Origin Model".split(),
                 "de": "Gewicht Breite Höhe Tiefe Farbe Material Marke Garantie Leistung Inhalt Spannung Reichweite Oberfläche Herkunft Modell".split(),
                 "fr": "Poids Largeur Hauteur Profondeur Couleur Matière Marque Garantie Puissance Contenance Tension Portée Finition Origine Modèle".split(),
                 "es": "Peso Ancho Alto Fondo Color Material Marca Garantía Potencia Capacidad Tensión Alcance Acabado Origen Modelo".split()}
        names = names.get(self.lang, names["en"])
        pick = self.random.sample(names, self.random.randint(2, min(most, len(names))))
        values = lambda: self.random.choice([f"{self.random.randrange(1, 900)} {self.random.choice(['mm', 'g', 'kg', 'W', 'cm', 'ml', 'V'])}",
                                             self.phrase(25), self.fake.color_name() if self.lang != "ja" else self.phrase(12), self.fake.company()])
        return [(name, values()) for name in pick]
