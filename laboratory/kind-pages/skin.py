"""What a site puts around the pages of a program: head, navigation, boxes beside the text, foot. Drawn once a site."""

import html
import pathlib

LAYOUTS = "top left right both".split()
FRAMES = [
    ("container", "row", "col-md-9 content", "col-md-3 sidebar"),
    ("wrap", "columns", "main-column", "side-column"),
    ("site", "site-content", "content-area", "widget-area"),
    ("page-wrapper", "grid", "grid__main", "grid__aside"),
    ("uk-container", "uk-grid", "uk-width-2-3", "uk-width-1-3"),
    ("max-w-6xl mx-auto", "flex gap-8", "flex-1", "w-64 shrink-0"),
    ("l-page", "l-body", "c1", "c2"),
]


def chrome(path=pathlib.Path(__file__).with_name("chrome.tsv")):
    """Words by language and kind."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            language, kind, words = line.split("\t")
            found.setdefault(language, {})[kind] = words.split("|")
    return found


CHROME = chrome()


class Skin:
    """The strings that a base template sets before and behind the program's own part of the page."""

    def __init__(self, texts, language, name):
        draw, words = texts.draw, CHROME.get(language) or CHROME["en"]
        self.draw, self.texts, self.words, self.name = draw, texts, words, name
        wrap, row, main, side = draw.choice(FRAMES)
        layout = draw.choice(LAYOUTS)
        tags = draw.choice((("header", "main", "aside", "footer"), ("div", "div", "div", "div"), ("header", "div", "aside", "footer"), ("div", "section", "div", "footer")))
        head, box, aside, foot = tags
        left = self.boxes(aside, side) if layout in ("left", "both") else ""
        right = self.boxes(aside, side) if layout in ("right", "both") else ""
        self.top = self.header(head) + f'<div class="{wrap}"><div class="{row}">{left}<{box} class="{main}">'
        self.bottom = f"</{box}>{right}</div></div>" + self.footer(foot)
        self.meta = draw.choice(("", f'<meta property="og:site_name" content="{name}">', '<link rel="stylesheet" href="/assets/site.css">'))

    def some(self, kind, least, most):
        words = self.words[kind]
        return self.draw.sample(words, min(len(words), self.draw.randint(least, most)))

    def links(self, labels):
        return "".join(f'<li><a href="/{at}">{html.escape(label)}</a></li>' for at, label in enumerate(labels))

    def header(self, tag):
        nav = self.links(self.some("nav", 4, 9))
        account = "".join(f'<a class="btn" href="/u">{label}</a> ' for label in self.some("account", 1, 3))
        logo = self.draw.choice(('<a class="logo" href="/">{}</a>', '<div class="brand"><a href="/">{}</a></div>', '<p class="site-title"><a href="/">{}</a></p>')).format(self.name)
        search = self.draw.choice(("", '<form role="search"><input type="search" name="q"><button>OK</button></form>'))
        notice = f'<div class="notice">{self.draw.choice(self.words["say"])}</div>' if self.draw.random() < 0.3 else ""
        menu = self.draw.choice(("<nav><ul>{}</ul></nav>", '<ul class="menu">{}</ul>', '<div id="nav"><ul>{}</ul></div>')).format(nav)
        return f"{notice}<{tag} class=\"{self.draw.choice(('header', 'top', 'site-header', 'navbar', 'masthead'))}\">{logo}{search}{account}{menu}</{tag}>"

    def boxes(self, tag, name):
        found = ""
        for title in self.some("box", 1, 4):
            rows = [self.texts.turn().title(3, 8) for _ in range(self.draw.randint(3, 6))] if self.draw.random() < 0.6 else self.some("nav", 3, 7)
            said = f"<ul>{self.links(rows)}</ul>" if self.draw.random() < 0.8 else f"<p>{html.escape(self.texts.sentence())}</p>"
            head = self.draw.choice("h2 h3 h4 div strong".split())
            found += f'<div class="{self.draw.choice("widget box card panel block".split())}"><{head}>{title}</{head}>{said}</div>'
        return f'<{tag} class="{name}">{found}</{tag}>'

    def footer(self, tag):
        links = self.links(self.some("foot", 2, 6))
        say = " ".join(self.some("say", 1, 2))
        about = f"<p>{html.escape(self.texts.turn().sentence())}</p>" if self.draw.random() < 0.3 else ""
        return f"<{tag} class=\"{self.draw.choice(('footer', 'site-footer', 'bottom', 'foot'))}\">{about}<ul>{links}</ul><p>© 2026 {self.name}. {say}</p></{tag}>"
