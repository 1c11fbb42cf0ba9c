"""Edits of pages that do not change their main text: pieces between paragraphs, paragraphs in other containers, cards
behind the text, names and metadata that are gone."""

import copy
import gzip
import hashlib
import html
import io
import json
import re
from collections import Counter

from lxml import html as parser

# A sign each in scripts without spaces.
WORD = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]|[^\W_\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]+")
NEVER_COPIED = ("script", "style", "iframe", "noscript")
BOXES = {"div", "p", "aside", "section", "ul", "ol", "figure", "form", "h2", "h3", "h4", "blockquote", "table"}


def words(text):
    return WORD.findall(text.lower())


def squeezed(text):
    """What is compared: the words alone, since edits and extractors move white space."""
    return "".join(words(text))


def golds(path):
    """The golds of a set that have a text, by record."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        all_golds = map(json.loads, lines)
        return {gold["record_id"].strip("<>"): gold for gold in all_golds if gold.get("gold")}


def responses(path):
    """(record, address, Content-Type, body) of the responses of an archive."""
    data = gzip.open(path).read()
    at = 0
    while (at := data.find(b"WARC/1.", at)) >= 0:
        end = data.find(b"\r\n\r\n", at)
        head = data[at:end].decode("utf-8", "replace")
        field = lambda name: (re.search(rf"(?im)^{name}: *(.*?)\r?$", head) or ["", ""])[1]
        block = data[end + 4 : end + 4 + int(field("Content-Length"))]
        at = end + 4 + len(block)
        if field("WARC-Type") == "response":
            http, _, body = block.partition(b"\r\n\r\n")
            kind = re.search(rb"(?im)^content-type: *([^\r\n]*)", http)
            yield field("WARC-Record-ID").strip("<>"), field("WARC-Target-URI"), kind[1].decode("latin-1") if kind else "", body


def tree_of(kind, body):
    said = re.search(r"charset=[\"']?([\w-]+)", kind) or re.search(r"charset=[\"']?([\w-]+)", body[:4096].decode("latin-1"))
    try:
        text = body.decode(said[1] if said else "utf-8", "replace")
    except LookupError:
        text = body.decode("utf-8", "replace")
    return parser.document_fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", text))


def language(gold, tree):
    return (gold.get("lang") or tree.get("lang") or "en")[:2].lower()


def host(url):
    return url.split("/")[2] if url.count("/") > 1 else url


def source(element):
    return parser.tostring(element, encoding="unicode", with_tail=False)


def record(url, number, tree):
    """The record of a page, and its id."""
    body = b"<!DOCTYPE html>\n" + parser.tostring(tree, encoding="utf-8")
    return record_of(url, number, body)


def record_of(url, number, body):
    name = "urn:uuid:" + re.sub(r"^(.{8})(.{4})(.{4})(.{4})(.{12}).*", r"\1-\2-\3-\4-\5", hashlib.md5(number.encode()).hexdigest())
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    head = (
        f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <{name}>\r\nWARC-Target-URI: {url}\r\n"
        f"WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0, compresslevel=6) as member:
        member.write(head.encode() + http + b"\r\n\r\n")
    return name, packed.getvalue()


def paragraphs(tree, gold):
    """The paragraphs of a page that stand in its gold as they are."""
    known, found = squeezed(gold), []
    inner = {"div", "p", "ul", "table", "script", "style"}
    for paragraph in tree.iter("p"):
        text = paragraph.text_content()
        if len(words(text)) >= 12 and squeezed(text) in known and not any(e.tag in inner for e in paragraph.iterdescendants()):
            found.append(paragraph)
    return found


def gaps(those):
    """The paragraphs behind which another one follows."""
    return [p for p in those if p.getnext() is not None and p.getnext() in those]


def insert_behind(node, new):
    parent = node.getparent()
    new.tail, node.tail = node.tail, None
    parent.insert(parent.index(node) + 1, new)


def box_of(paragraph, those):
    """The container of a paragraph, if it holds three others and something holds it."""
    box = paragraph.getparent()
    if box is None or box.tag == "body" or box.getparent() is None or sum(p.getparent() is box for p in those) < 4:
        return None
    return box


def new_box(draw, inside):
    """A container with a name of no meaning, or none."""
    name = "" if draw.random() < 0.3 else ' class="%s%d"' % (draw.choice("abcdgkqrsx"), draw.randrange(1, 999))
    box = parser.fragment_fromstring("<%s%s></%s>" % ((tag := draw.choice(("div", "div", "div", "section"))), name, tag))
    for element in inside:
        box.append(element)
    return box


def move_tail(tree, those, draw):
    """The last paragraph moves into a container of its own behind the others; gives its text."""
    box = box_of(those[-1], those)
    if box is None:
        return None
    paragraph = those[-1]
    box.remove(paragraph)
    paragraph.tail = None
    insert_behind(box, new_box(draw, [paragraph]))
    return paragraph.text_content()


def move_lead(tree, those, draw):
    """The first paragraph likewise, before them."""
    paragraph, box = those[0], box_of(those[0], those)
    if box is None or paragraph.tail and paragraph.tail.strip():
        return None
    box.remove(paragraph)
    paragraph.tail = None
    parent = box.getparent()
    parent.insert(parent.index(box), new_box(draw, [paragraph]))
    return paragraph.text_content()


def hash_names(tree, those, draw):
    """Classes and ids become names without meaning."""
    salt = str(draw.random())
    for element in tree.iter():
        for name in ("class", "id"):
            if isinstance(element.tag, str) and element.get(name):
                hashed = ("x" + hashlib.md5((salt + word).encode()).hexdigest()[:6] for word in element.get(name).split())
                element.set(name, " ".join(hashed))
    return ""


def drop_sections(tree, those, draw):
    """Elements that say what they are become plain ones."""
    for element in tree.iter("article", "main", "section", "header", "footer", "nav", "aside"):
        element.tag = "div"
    return ""


def drop_metadata(tree, those, draw):
    """What the page says of itself goes."""
    for element in list(tree.iter("script", "meta")):
        named = (element.get("property") or element.get("name") or "").lower().split(":")[0]
        if element.get("type") == "application/ld+json" or element.tag == "meta" and named in ("og", "article", "twitter"):
            element.drop_tree()
    for element in tree.iter():
        if isinstance(element.tag, str):
            for name in ("itemprop", "itemtype", "itemscope", "role"):
                element.attrib.pop(name, None)
    return ""


def wrap(tree, those, draw):
    """Each paragraph stands in a box of its own."""
    name = "b%d" % draw.randrange(100, 999)
    for paragraph in those:
        parent, box = paragraph.getparent(), parser.fragment_fromstring('<div class="%s"></div>' % name)
        at = parent.index(paragraph)
        box.tail, paragraph.tail = paragraph.tail, None
        parent.remove(paragraph)
        box.append(paragraph)
        parent.insert(at, box)
    return ""


def break_lines(tree, those, draw):
    """Paragraphs become lines with two breaks between them."""
    box = Counter(p.getparent() for p in those).most_common(1)[0][0]
    mine = [p for p in those if p.getparent() is box]
    if len(mine) < 4:
        return None
    for paragraph in mine:
        paragraph.tag = "span"
        insert_behind(paragraph, parser.fragment_fromstring("<br>"))
        insert_behind(paragraph, parser.fragment_fromstring("<br>"))
    return ""


def pieces(tree, gold):
    """Small parts of a page without a line of its gold, and its lists of cards."""
    known, small, cards = squeezed(gold), [], []
    body = tree.find("body")
    for element in body.iter() if body is not None else ():
        if not isinstance(element.tag, str) or element.tag not in BOXES:
            continue
        if any(above.tag in ("script", "style", "noscript", "svg") for above in element.iterancestors()):
            continue
        text = " ".join(element.itertext())
        number = len(words(text))
        if not 2 <= number <= 400 or len(source(element)) > 20_000 or any(e.tag in NEVER_COPIED for e in element.iter()):
            continue
        lines = [squeezed(line) for line in element.itertext() if len(words(line)) >= 3]
        if any(line in known for line in lines) or not lines and squeezed(text) in known:
            continue
        children = [child for child in element if isinstance(child.tag, str)]
        alike = len(children) >= 4 and len({(child.tag, child.get("class")) for child in children}) == 1
        if alike and number >= 40:
            cards.append(element)
        elif number <= 70:
            small.append(element)
    return small, cards


NAMES = "card item teaser story post entry tile box grid list block row col media news more related feed c1 x7 a9 m-2".split()


def cards_of(draw, teasers):
    """A list of teasers, each (title, lead), in markup drawn for all of them."""

    def name():
        return ' class="%s"' % " ".join(draw.sample(NAMES, draw.choice((1, 1, 2)))) if draw.random() < 0.8 else ""

    outer, inner = draw.choice(
        (("div", "div"), ("div", "div"), ("ul", "li"), ("section", "article"), ("div", "article"), ("aside", "div"), ("ol", "li"))
    )
    head, say = draw.choice(("h2", "h3", "h4", "div", "p", "strong", "span")), draw.choice(("p", "p", "div", "span"))
    image, time, more, linked, boxed = (draw.random() < share for share in (0.5, 0.5, 0.35, 0.25, 0.4))
    names = [name() for _ in range(6)]
    times = draw.choice(("%d hours ago", "%d min", "0%d.03.2024", "March %d, 2024"))
    further = draw.choice(("Read more", "More", "→", "..."))
    rows = []
    for at, (title, lead) in enumerate(teasers):
        link = f'<a href="/p/{at}">'
        row = f'{link}<img src="/i/{at}.jpg" alt=""></a>' if image else ""
        row += f"<{head}{names[2]}>{link}{html.escape(title)}</a></{head}><{say}{names[3]}>{html.escape(lead)}</{say}>"
        row += f"<span{names[4]}>{times % (at + 1)}</span>" if time else ""
        row += f"{link}{further}</a>" if more else ""
        if boxed:
            row = f"<div{names[5]}>{row}</div>"
        if linked and head not in ("div", "p"):
            row = link + re.sub(r"</?a\b[^>]*>", "", row) + "</a>"
        rows.append(f"<{inner}{names[1]}>{row}</{inner}>")
    above = draw.choice(("", "<h2>%s</h2>" % draw.choice(("More stories", "Related", "Latest", "Read next")))) if outer in ("div", "section", "aside") else ""
    return parser.fragment_fromstring(f"<{outer}{names[0]}>{above}{''.join(rows)}</{outer}>")


def teaser_of(tree, gold):
    """Title and first sentences of a page."""
    title = next((" ".join(e.text_content().split()) for tag in ("h1", "title") for e in tree.iter(tag)), "")
    first = " ".join(next((line for line in gold.split("\n") if len(words(line)) >= 15), "").split())
    sentences = re.split(r"(?<=[.!?。])\s*", first) if first else []
    return (title[:160], sentences) if 3 <= len(words(title)) <= 30 and sentences and sentences[0] else None


def copied(tree, those):
    """A copy of a page, and its paragraphs."""
    every, again = list(tree.iter()), copy.deepcopy(tree)
    at = {id(element): number for number, element in enumerate(every)}
    elements = list(again.iter())
    return again, [elements[at[id(p)]] for p in those]
