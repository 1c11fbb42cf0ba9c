#!/usr/bin/env python3
"""Finds dead links: in the Markdown files of the repository, and in a built documentation site.

    scripts/check-links.py                 every Markdown file, with headings that links name
    scripts/check-links.py docs/book       every page of the site that `mdbook build docs` wrote

Only links within the repository or site are checked; nothing is fetched.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parents[1]
SKIPPED = {"target", "out", ".git", "corpus", "book", "node_modules", ".venv"}
FENCE = re.compile(r"^ *(```|~~~).*?^ *\1[ \t]*$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(<?([^)\s>]+)>?[^)]*\)")


def anchor(heading: str) -> str:
    """The anchor of a heading, as GitHub and mdbook make it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    text = re.sub(r"[^\w\- ]", "", text.strip().lower())
    return text.replace(" ", "-")


def anchors(text: str) -> set[str]:
    found: dict[str, int] = {}
    out = set()
    for heading in re.findall(r"^#{1,6} +(.+?) *#* *$", FENCE.sub("", text), re.MULTILINE):
        name = anchor(heading)
        count = found.get(name, 0)
        found[name] = count + 1
        out.add(f"{name}-{count}" if count else name)
    return out | set(re.findall(r'(?:id|name)="([^"]+)"', text))


def markdown() -> list[str]:
    faults = []
    files = [
        path
        for path in sorted(ROOT.rglob("*.md"))
        if not SKIPPED & set(path.relative_to(ROOT).parts)
    ]
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    for path, text in texts.items():
        prose = re.sub(r"`[^`\n]*`", "", FENCE.sub("", text))
        for link in LINK.findall(prose):
            if re.match(r"[a-z+]+:", link):
                continue
            name, _, fragment = link.partition("#")
            target = (path.parent / unquote(name)).resolve() if name else path
            where = f"{path.relative_to(ROOT)}: {link}"
            if not target.exists():
                faults.append(f"{where}: no such file")
            elif fragment and target in texts and fragment not in anchors(texts[target]):
                faults.append(f"{where}: no such heading")
    return faults


class Page(HTMLParser):
    """Links and anchors of a page."""

    def __init__(self, text: str):
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.anchors.add(value)


def site(folder: Path) -> list[str]:
    faults = []
    pages = {
        path.resolve(): Page(path.read_text(encoding="utf-8"))
        for path in sorted(folder.rglob("*.html"))
    }
    if not pages:
        return [f"{folder}: no pages"]
    for path, page in pages.items():
        # Their links are relative to wherever they are shown.
        if path.name in ("404.html", "toc.html"):
            continue
        for link in page.links:
            if re.match(r"[a-z+]+:|//", link):
                continue
            name, _, fragment = link.partition("#")
            target = (path.parent / unquote(name)).resolve() if name else path
            if target.is_dir():
                target /= "index.html"
            where = f"{path.relative_to(folder.resolve())}: {link}"
            if not target.exists():
                faults.append(f"{where}: no such file")
            elif fragment and target in pages and unquote(fragment) not in pages[target].anchors:
                faults.append(f"{where}: no such heading")
    return faults


def main() -> int:
    faults = site(Path(sys.argv[1])) if len(sys.argv) > 1 else markdown()
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
