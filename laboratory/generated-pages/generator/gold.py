"""The gold of a captured page: its marked texts, in the order in which the page shows them."""
import re

import lxml.html

from .marks import END, KIND, START, unmark

BLOCKS = set("address article aside blockquote body dd details div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header li "
             "main nav ol p pre section summary table tbody td th thead tr ul".split())
UNSEEN = set("head script style template noscript textarea title select option svg iframe".split())


def _block(element):
    while element is not None and element.tag not in BLOCKS:
        element = element.getparent()
    return element


def _texts(element, unseen=False):
    """Each text of the page with the element that holds it."""
    if not isinstance(element.tag, str):
        return
    unseen = unseen or element.tag in UNSEEN or "display:none" in element.get("style", "").replace(" ", "")
    if element.text and not unseen:
        yield element, element.text
    for child in element:
        yield from _texts(child, unseen)
        if child.tail and not unseen:
            yield element, child.tail


def _marked(text, marks):
    """The marked texts of some kinds inside of a text."""
    return {unmark(t) for t in re.findall("[%s]([^%s]*)%s" % ("".join(START[k] for k in marks), END, END), text)}


def _smallest(root, marks, listing):
    """The smallest element with all the marked texts but the titles, which also stand in menus; of a document also its headline outside of that."""
    marks = marks.replace("T", "")
    body = root.find("body")
    wanted, element = _marked("".join(t for _, t in _texts(body)), marks) if marks else set(), body
    while wanted:
        inner = [c for c in element if isinstance(c.tag, str) and c.tag not in UNSEEN and _marked("".join(t for _, t in _texts(c)), marks) >= wanted]
        if not inner:
            break
        element = inner[-1]
    heading = [h for h in root.cssselect("h1, h2, .title") if START["T"] in "".join(h.itertext()) and h not in element.iterdescendants()]
    return {element} if listing else {element, *heading[:1]}


class Regions:
    """Tells of an element whether it lies in the main text, outside of it, or is added whole."""

    def __init__(self, root, note):
        select = lambda selectors: {e for s in selectors for e in root.cssselect(s)}
        self.main = _smallest(root, note["marks"], note["page_type"] == "listing") if note["main"] == ["smallest"] else select(note["main"])
        around = {a for e in self.main for a in (e, *e.iterancestors())}
        self.drop, self.add = select(note["drop"]) - around, select(note["add"])

    def of(self, element):
        while element is not None:
            if element in self.drop:
                return "drop"
            if element in self.add:
                return "add"
            if element in self.main:
                return "main"
            element = element.getparent()
        return "outside"


def gold(html, note):
    """The gold as text, and the counts of marked texts inside and outside of the main elements."""
    root = lxml.html.document_fromstring(html.encode("utf-8"), parser=lxml.html.HTMLParser(encoding="utf-8", huge_tree=True))
    regions = Regions(root, note)
    pieces, counts = [], {"inside": 0, "outside": 0, "other": 0}
    kind = block = None
    wanted = False
    for element, text in _texts(root):
        region = regions.of(element)
        if region == "add":
            if unmark(text).strip():
                pieces.append(("add", element, unmark(text)))
            kind = None
            continue
        if kind and block is not None and not any(e is block for e in [_block(element), *element.iterancestors()]):
            kind = None  # a theme cut the text short, and its end mark with it
        for part in re.split("([%s%s])" % ("".join(KIND), END), text):
            if part in KIND:
                kind, block = KIND[part], _block(element)
                wanted = region == "main" and kind in note["marks"]
                counts["inside" if wanted else "outside" if kind in note["marks"] else "other"] += 1
                if wanted:
                    pieces.append((kind, None, ""))
            elif part == END:
                kind = None
            elif kind and wanted and region == "main":
                pieces[-1] = (kind, None, pieces[-1][2] + part)
    lines, titles = [], set()
    for kind, element, text in pieces:
        text = re.sub(r"\s+", " ", text).strip()
        if not text or (kind == "T" and text in titles and note["page_type"] != "listing"):
            continue
        if kind == "T":
            titles.add(text)
        if kind == "add" and lines and lines[-1][0] is element:
            lines[-1] = (element, lines[-1][1] + " " + text)
        else:
            lines.append((element, text))
    return "\n".join(text for _, text in lines), counts
