#!/usr/bin/env python3
"""Checks made pages: every line of the gold must stand on its page, in the order of the gold.

    laboratory/kind-pages/check.py ARCHIVE.warc.gz [--left N]

`--left` also prints the N commonest texts of each program that are on its pages and in no gold.
"""

import argparse
import pathlib
import sys
from collections import Counter

sys.path[:0] = [str(pathlib.Path(__file__).parent.parent / "made-pages")]
from edits import golds, responses, squeezed, tree_of
from lxml import html as parser

NEVER_SHOWN = ("script", "style", "noscript", "template", "head", "textarea", "select")


def shown(tree):
    """The text of a page, with spaces between elements."""
    found = []

    def walk(node):
        if not isinstance(node.tag, str) or node.tag in NEVER_SHOWN:
            return
        found.append(node.text or "")
        for child in node:
            walk(child)
            found.append(child.tail or "")

    walk(tree)
    return found


def faults(page, gold):
    """The first line of the gold that the page lacks behind the line before it; nothing if all are there."""
    tree = parser.document_fromstring(page.encode("utf-8"), parser=parser.HTMLParser(encoding="utf-8"))
    text = squeezed("".join(shown(tree)))
    for field in ("gold", "gold_comments"):
        at = 0
        for line in filter(None, gold.get(field, "").split("\n")):
            wanted = squeezed(line)
            found = text.find(wanted, at)
            if found < 0:
                return f"{gold['url']} {field}: {line[:80]!r}"
            at = found + len(wanted)
    return None


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("archive")
    args.add_argument("--left", type=int, default=0)
    args = args.parse_args()
    known = golds(args.archive.replace(".warc.gz", ".gold.jsonl.gz"))
    wrong, left, seen = [], {}, Counter()
    for name, url, kind, body in responses(args.archive):
        gold = known[name]
        seen[gold["program"]] += 1
        wrong += filter(None, [faults(body.decode("utf-8"), gold)])
        if args.left:
            inside = squeezed(gold["gold"] + gold.get("gold_comments", ""))
            texts = {" ".join(text.split()) for text in shown(tree_of(kind, body))}
            left.setdefault(gold["program"], Counter()).update(text for text in texts if squeezed(text) and squeezed(text) not in inside)
    for program, counted in left.items():
        print(program, [(text[:60], count) for text, count in counted.most_common(args.left)])
    print(dict(seen), f"{len(wrong)} wrong", *wrong[:5], sep="\n")
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
