"""Adapts links for the documentation site: a preprocessor of mdbook.

Links that leave docs/, or lead to its log or to a decision, lead to the repository. mdbook writes README.md as index.html, but leaves links to it as they are.
"""

import json
import posixpath
import re
import sys

LINK = re.compile(r"(!?\[[^\]\n]*\]\()([^)\s#]+)([^)\s]*\))")
CODE = re.compile(r"^(?:```|~~~).*?^(?:```|~~~)[ \t]*$", re.DOTALL | re.MULTILINE)


def rewritten(text: str, path: str, repository: str) -> str:
    """The text of the page at `path` (from docs/) with the links of the site."""

    def link(match: re.Match) -> str:
        before, target, after = match.groups()
        if "://" in target or target.startswith(("mailto:", "/")):
            return match[0]
        # Relative to the repository: docs/ is one folder below it.
        found = posixpath.normpath(posixpath.join("docs", posixpath.dirname(path), target))
        is_apart = found.startswith("docs/log/") or re.fullmatch(r"docs/decisions/(?!README).*", found)
        if found.startswith("docs/") and not is_apart:
            return before + re.sub(r"(^|/)README\.md$", r"\1index.md", target) + after
        return f"{before}{repository}/blob/main/{found}{after}"

    out, at = [], 0
    for code in CODE.finditer(text):
        out += [LINK.sub(link, text[at : code.start()]), code[0]]
        at = code.end()
    return "".join(out) + LINK.sub(link, text[at:])


def chapters(items):
    for item in items:
        if isinstance(item, dict) and "Chapter" in item:
            yield item["Chapter"]
            yield from chapters(item["Chapter"].get("sub_items", []))


def main() -> int:
    if sys.argv[1:2] == ["supports"]:
        return 0
    context, book = json.load(sys.stdin)
    repository = context["config"]["output"]["html"]["git-repository-url"].rstrip("/")
    for chapter in chapters(book.get("items") or book.get("sections") or []):
        if chapter.get("path"):
            chapter["content"] = rewritten(chapter["content"], chapter["path"], repository)
    json.dump(book, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
