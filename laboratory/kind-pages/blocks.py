"""Bodies of posts and articles: blocks that are drawn, written in a program's markup, and their lines for the gold."""

import html
import re


def body(texts, least=1, most=4, heads=0.0, lists=0.12, code=0.06, quote=None):
    """Blocks: (kind, text or items). A quote comes first, since forums put it there."""
    draw, blocks = texts.draw, []
    if quote:
        blocks.append(("quote", quote))
    way = draw.random()
    if most <= 4 and way < 0.3:
        blocks.append(("p", texts.sentence()))
    else:
        for at, text in enumerate(texts.paragraphs(least, most)):
            if at and draw.random() < heads:
                blocks.append(("head", texts.title()))
            blocks.append(("p", text))
    if draw.random() < lists:
        items = list(dict.fromkeys(texts.phrase(2, 9) for _ in range(draw.randint(2, 6))))
        blocks.insert(draw.randint(1, len(blocks)), (draw.choice(("ul", "ul", "ol")), items))
    if draw.random() < code:
        blocks.insert(draw.randint(1, len(blocks)), ("code", texts.code()))
    if len(blocks) > 1 and draw.random() < 0.2:
        blocks.append(("p", texts.sentence()))
    return [(kind, runs(draw, text) if kind == "p" else text) for kind, text in blocks]


def runs(draw, text):
    """The text in runs (style, text), a few words of it bold, slanted or a link."""
    words = text.split(" ")
    if draw.random() > 0.25 or len(words) < 8:
        return [("", text)]
    at = draw.randint(1, len(words) - 4)
    end = at + draw.randint(1, 3)
    middle = " ".join(words[at:end])
    if not re.fullmatch(r"[\w ]+", middle):
        return [("", text)]
    return [("", " ".join(words[:at]) + " "), (draw.choice("bia"), middle), ("", " " + " ".join(words[end:]))]


def plain(block):
    kind, text = block
    return "".join(said for _, said in text) if kind == "p" else text


def lines(blocks):
    """The lines of the gold."""
    found = []
    for block in blocks:
        text = plain(block)
        found += text if isinstance(text, list) else text.split("\n")
    return [line.strip() for line in found if line.strip()]


STYLES = {
    "html": {"b": "<strong>{}</strong>", "i": "<em>{}</em>", "a": '<a href="https://notes.example/{}">{}</a>'},
    "markdown": {"b": "**{}**", "i": "*{}*", "a": "[{1}](https://notes.example/{0})"},
    "bbcode": {"b": "[b]{}[/b]", "i": "[i]{}[/i]", "a": "[url=https://notes.example/{}]{}[/url]"},
    "dokuwiki": {"b": "**{}**", "i": "//{}//", "a": "[[https://notes.example/{}|{}]]"},
    "mediawiki": {"b": "'''{}'''", "i": "''{}''", "a": "[https://notes.example/{} {}]"},
    "moin": {"b": "'''{}'''", "i": "''{}''", "a": "[[https://notes.example/{}|{}]]"},
    "plain": {"b": "{}", "i": "{}", "a": "{1}"},
}


def inline(said, markup):
    styles, found = STYLES[markup], ""
    for style, text in said:
        text = html.escape(text, quote=False) if markup == "html" else text
        slug = re.sub(r"\W+", "-", text.lower()) if style == "a" else ""
        found += styles[style].format(slug, text) if style == "a" else styles[style].format(text) if style else text
    return found


def as_html(blocks, quote="<blockquote><p>{}</p></blockquote>"):
    parts = []
    for kind, text in blocks:
        if kind == "p":
            parts.append(f"<p>{inline(text, 'html')}</p>")
        elif kind in ("ul", "ol"):
            parts.append(f"<{kind}>" + "".join(f"<li>{html.escape(item, quote=False)}</li>" for item in text) + f"</{kind}>")
        else:
            shape = {"head": "<h2>{}</h2>", "quote": quote, "code": "<pre><code>{}</code></pre>"}[kind]
            parts.append(shape.format(html.escape(text, quote=False)))
    return "\n".join(parts)


def as_markdown(blocks, fence=False):
    parts = []
    for kind, text in blocks:
        if kind == "p":
            parts.append(inline(text, "markdown"))
        elif kind in ("ul", "ol"):
            parts.append("\n".join(("* " if kind == "ul" else f"{at}. ") + item for at, item in enumerate(text, 1)))
        elif kind == "code":
            parts.append("```\n" + text + "\n```" if fence else "\n".join("    " + line for line in text.split("\n")))
        else:
            parts.append({"head": "## ", "quote": "> "}[kind] + text)
    return "\n\n".join(parts)


def as_bbcode(blocks, quote="[quote]{}[/quote]"):
    parts = []
    for kind, text in blocks:
        if kind == "p":
            parts.append(inline(text, "bbcode"))
        elif kind in ("ul", "ol"):
            parts.append("[list]" + "".join("[*]" + item for item in text) + "[/list]")
        else:
            parts.append({"head": "[b]{}[/b]", "quote": quote, "code": "[code]{}[/code]"}[kind].format(text))
    return "\n\n".join(parts)


def as_wiki(blocks, markup):
    """DokuWiki, MediaWiki or MoinMoin."""
    head, bullet, number, code = {
        "dokuwiki": ("===== {} =====", "  * ", "  - ", "<code>\n{}\n</code>"),
        "mediawiki": ("== {} ==", "* ", "# ", "<pre>{}</pre>"),
        "moin": ("== {} ==", " * ", " 1. ", "{{{{{{\n{}\n}}}}}}"),
    }[markup]
    quote = {"dokuwiki": "> {}", "mediawiki": "<blockquote>{}</blockquote>", "moin": " {}"}[markup]
    parts = []
    for kind, text in blocks:
        if kind == "p":
            parts.append(inline(text, markup))
        elif kind in ("ul", "ol"):
            parts.append("\n".join((bullet if kind == "ul" else number) + item for item in text))
        else:
            parts.append({"head": head, "quote": quote, "code": code}[kind].format(text))
    return "\n\n".join(parts)


def as_plain(blocks):
    parts = []
    for kind, text in blocks:
        parts.append(inline(text, "plain") if kind == "p" else "\n".join("- " + item for item in text) if kind in ("ul", "ol") else text)
    return "\n\n".join(parts)
