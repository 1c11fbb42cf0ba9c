#!/usr/bin/env python3
"""Measures how well roles of furniture are told: precision and recall of blocks by program.

    laboratory/kind-pages/roles.py ARCHIVE.warc.gz DOCUMENTS.jsonl

`DOCUMENTS.jsonl` is what `trommel run ARCHIVE.warc.gz --blocks --compress none` writes. The true role of a block is
told by the elements around it: `roles.tsv` has the patterns of each program.
"""

import argparse
import bisect
import json
import pathlib
import re
import sys
from collections import Counter
from html.parser import HTMLParser

sys.path[:0] = [str(pathlib.Path(__file__).parent.parent / "made-pages")]
from edits import golds, responses

ROLES = ("control", "count", "author-box", "pager")
VOID = set("area base br col embed hr img input link meta param source track wbr".split())
CLOSED_BY_THE_NEXT = set("li tr td dt dd option p".split())
CONTAINERS = set("ul ol table div dl tbody".split())
# Innermost elements that the patterns see; buttons of every theme are controls.
ELEMENTS = 7
BUTTON = (re.compile(r"form\S* button|a\.btn|button\.|\bbutton$"), "control")


def patterns(path=pathlib.Path(__file__).with_name("roles.tsv")):
    """(pattern, role) by program."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            program, role, pattern = line.split("\t")
            found.setdefault(program, []).append((re.compile(pattern), role))
    return {program: [*rows, BUTTON] for program, rows in found.items()}


class Paths(HTMLParser):
    """The elements around each text of a page, by the character at which it begins."""

    def __init__(self, page):
        super().__init__(convert_charrefs=False)
        self.open, self.starts, self.paths = [], [], []
        self.lines = [0, *(found.end() for found in re.finditer("\n", page))]
        self.feed(page)

    def at(self, character):
        place = bisect.bisect_right(self.starts, character) - 1
        return self.paths[place] if place >= 0 else ()

    def handle_starttag(self, tag, attributes):
        if tag in VOID:
            return
        if tag in CLOSED_BY_THE_NEXT:
            for place in range(len(self.open) - 1, max(-1, len(self.open) - 4), -1):
                around = name(self.open[place])
                if around == tag or {around, tag} == {"dt", "dd"}:
                    del self.open[place:]
                    break
                if around in CONTAINERS:
                    break
        given = dict(attributes)
        words = "".join("." + word for word in (given.get("class") or "").split())
        self.open.append(tag + (f"#{given['id']}" if given.get("id") else "") + words)

    def handle_endtag(self, tag):
        for place in range(len(self.open) - 1, -1, -1):
            if name(self.open[place]) == tag:
                del self.open[place:]
                break

    def handle_data(self, _):
        line, column = self.getpos()
        self.starts.append(self.lines[line - 1] + column)
        self.paths.append(tuple(self.open))

    handle_entityref = handle_charref = handle_data


def name(element):
    return re.split("[#.]", element)[0]


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("archive")
    args.add_argument("documents")
    args = args.parse_args()
    known, by_program = golds(args.archive.replace(".warc.gz", ".gold.jsonl.gz")), patterns()
    told = {}
    for line in open(args.documents, encoding="utf-8"):
        document = json.loads(line)
        told[document["id"]] = document["blocks"]
    right, wrong, missed = Counter(), Counter(), Counter()
    for page, _, _, body in responses(args.archive):
        program = known[page]["program"]
        if program not in by_program:
            continue
        source = body.decode("utf-8")
        paths = Paths(source)
        for block in told[page]:
            if block["source"] != "page" or block["role"] == "hidden":
                continue
            before = len(body[: block["start"]].decode("utf-8", "ignore"))
            path = " ".join(paths.at(before)[-ELEMENTS:])
            true = next((role for pattern, role in by_program[program] if pattern.search(path)), None)
            if true == "-":
                continue
            role = block["role"] if block["role"] in ROLES else None
            if role == true:
                right[program, role] += 1
            else:
                wrong[program, role] += 1
                missed[program, true] += 1
    print(f"{'program':12}{'role':12}precision  recall  blocks")
    for program in [*sorted(by_program), "all"]:
        for role in ROLES:
            keys = [(program, role)] if program != "all" else [(one, role) for one in by_program]
            hits, false, lost = (sum(count[key] for key in keys) for count in (right, wrong, missed))
            if hits + lost:
                print(f"{program:12}{role:12}{hits / max(1, hits + false):9.3f}{hits / (hits + lost):8.3f}{hits + lost:8}")


if __name__ == "__main__":
    main()
