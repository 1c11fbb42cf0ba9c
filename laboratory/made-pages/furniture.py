"""Pieces of furniture, drawn from furniture.tsv in markup that is drawn, too."""

import html
import pathlib
import re

from lxml import html as parser

CLASSES = {
    "ad": "ad ads advert adv ad-label banner dfp gpt sponsor-slot",
    "newsletter": "newsletter signup nl subscribe-form email-capture mailing inline-form wp-block-group",
    "related": "related read-more also-read more-link inline-link see-also promo-link rel recirc",
    "teaser": "teaser promo card related inline-card article-card recommended",
    "app": "app app-promo download smart-banner", "player": "video player media jwplayer embed",
    "consent": "embed consent placeholder external-content gdpr opt-in", "subscribe": "paywall subscribe abo offer regwall",
    "podcast": "podcast promo audio", "donate": "donate support membership", "share": "share social sharing buttons",
    "follow": "follow social-follow community", "poll": "poll survey quiz", "comments": "comments-link comment-count",
    "popular": "popular most-read trending", "push": "push alerts notification", "listen": "audio listen tts player",
    "event": "event promo webinar", "sponsor": "sponsored partner native", "tags": "tags topics terms",
    "embed": "embed instagram twitter social-embed", "coupon": "affiliate disclosure buy product-link btn-wrap",
    "author": "author bio byline author-box", "image": "credit caption image-source", "toc": "toc contents jump-links",
}  # fmt: skip
BARE = "box module block widget component inner inline wrap c-1 x9 el m-3 section-2".split()


def furniture(path=pathlib.Path(__file__).with_name("furniture.tsv")):
    """(kind, text) by language."""
    by_language = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            language, kind, text = line.split("\t")
            by_language.setdefault(language, []).append((kind, text))
    return by_language


def piece_of(draw, pieces, teaser):
    """An element of one of the pieces; `teaser` gives (title, sentences) of another page, or nothing."""
    kinds = sorted({kind for kind, _ in pieces})
    kind = draw.choice(kinds)
    text = draw.choice([text for of, text in pieces if of == kind])
    text = re.sub(r"\(([^()]*)\)", lambda found: draw.choice(found[1].split("|")), text)
    parts = []
    linked = draw.random() < 0.85
    for part in text.split("/"):
        if "{" in part:
            told = teaser()
            if told is None:
                return None
            part = part.replace("{title}", told[0].replace("_", " ")).replace("{lead}", " ".join(told[1][: draw.choice((1, 1, 2))])[:400])
        parts.append(marked(html.escape(part.strip()), linked))
    return parser.fragment_fromstring(boxed(draw, kind, [part for part in parts if part]))


def marked(text, linked):
    """The text with its links and buttons."""
    link = r'<a href="/p/1">\1</a>' if linked else r"\1"
    text = re.sub(r"\*(.+?)\*", r"<strong>\1</strong>", text)
    text = re.sub(r"(?<!\w)_(.+?)_(?!\w)", link, text)
    text = re.sub(r"\[(.+?)\]", r"<button>\1</button>", text)
    return re.sub(r"^o (.*)", r'<label><input type="radio"> \1</label>', text)


def boxed(draw, kind, parts):
    """The parts in elements, alone or in a box with a name that says what it is, or says nothing."""
    known = CLASSES[kind].split()
    name = draw.choice((" ".join(draw.sample(known, 1) + draw.sample(BARE, 1)), draw.choice(known), draw.choice(BARE), draw.choice(known) + "__" + draw.choice(BARE), ""))
    name = f' class="{name}"' if name else ""
    if len(parts) == 1 and draw.random() < 0.5:
        style = draw.choice(("p", "p", "p", "div", "strong", "em", "h4", "blockquote"))
        name = name if draw.random() < 0.5 else ""
        if style in ("strong", "em"):
            return f"<p{name}><{style}>{parts[0]}</{style}></p>"
        return f"<{style}{name}>{parts[0]}</{style}>"
    head, say = draw.choice(("h2", "h3", "h4", "p", "span", "div", "strong")), draw.choice(("p", "p", "div", "span"))
    inside = ""
    for at, part in enumerate(parts):
        tag = head if at == 0 and len(parts) > 1 else say
        if part.startswith("# "):
            part, tag = part[2:], "li"
        inside += f"<{tag}>{part}</{tag}>"
    inside = re.sub(r"(<li>.*</li>)", r"<ol>\1</ol>" if draw.random() < 0.5 else r"<ul>\1</ul>", inside)
    if "<button>" in inside and draw.random() < 0.6:
        inside += '<input type="email" placeholder="you@mail.example">' if kind == "newsletter" else ""
        inside = f"<form>{inside}</form>" if draw.random() < 0.5 else inside
    box = draw.choice(("div", "div", "div", "aside", "section", "figure"))
    if draw.random() < 0.25:
        inside = f'<div class="{draw.choice(BARE)}">{inside}</div>'
    return f"<{box}{name}>{inside}</{box}>"
