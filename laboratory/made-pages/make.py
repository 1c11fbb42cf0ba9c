#!/usr/bin/env python3
"""Makes training pages by edits of real ones that leave their main text as it is, so that their labels are exact.

    laboratory/made-pages/make.py OUT.warc.gz SET.warc.gz... [--pages N] [--seed S]

Each SET has its gold beside it. Pieces of furniture, and small parts of other pages that are none of their text, are set
between paragraphs; first and last paragraphs move into containers of their own; lists of cards follow the text; names
and metadata go. The same pages for the same seed. Needs lxml.
"""

import argparse
import gzip
import json
import random
import sys
from collections import Counter

from edits import (
    break_lines, cards_of, drop_metadata, drop_sections, gaps, golds, hash_names, host, insert_behind, language,
    move_lead, move_tail, paragraphs, parser, pieces, record, responses, source, teaser_of, tree_of, wrap,
)  # fmt: skip
from furniture import furniture, piece_of

# Types of pages of which the text is one piece, and which get more edits.
TEXTS = ("article", "documentation", "service")


class Pool:
    """Things of pages, by language, given only to pages of other hosts."""

    def __init__(self):
        self.by_language = {}

    def add(self, language, url, things):
        self.by_language.setdefault(language, []).extend((host(url), thing) for thing in things)

    def draw(self, draw, language, url):
        them = self.by_language.get(language) or self.by_language.get("en") or []
        for _ in range(9 if them else 0):
            of, thing = draw.choice(them)
            if of != host(url):
                return thing
        return None


def edited(draw, page, pools, units, did):
    """Edits a page in place; whether anything was possible."""
    gold, url, tree, tongue = page
    small, lists, teasers = pools
    those = paragraphs(tree, gold["gold"])
    is_text = (gold.get("page_type") or "article") in TEXTS
    if len(those) < 5:
        return False

    def count(kind, done=True):
        did[kind] += done is not None

    # Few pages lose names and metadata: models that hardly use them keep more furniture of other sites.
    if draw.random() < 0.05:
        count("names", hash_names(tree, those, draw))
    if draw.random() < 0.05:
        count("sections", drop_sections(tree, those, draw))
    if draw.random() < 0.05:
        count("metadata", drop_metadata(tree, those, draw))
    places = gaps(those)
    for _ in range(draw.choice((0, 1, 1, 2, 3)) if places else 0):
        if draw.random() < 0.55:
            new = piece_of(draw, units.get(tongue) or units["en"], lambda: teasers.draw(draw, tongue, url))
        else:
            new = small.draw(draw, tongue, url)
            new = parser.fragment_fromstring(new) if new else None
        if new is not None:
            insert_behind(draw.choice(places), new)
            count("piece")
    way = draw.random()
    if way < 0.03:
        count("breaks", break_lines(tree, those, draw))
    elif way < 0.08:
        count("wrapped", wrap(tree, those, draw))
    else:
        for _ in range(draw.choice((1, 1, 2)) if draw.random() < 0.5 else 0):
            if len(those) > 4 and move_tail(tree, those, draw):
                count("tail")
                those = those[:-1]
        if draw.random() < 0.3:
            count("lead", move_lead(tree, those, draw))
    box = those[-1].getparent()
    if not is_text or box is None or box.tag == "body" or box.getparent() is None or box.getparent().tag == "html":
        return True
    if draw.random() < 0.5 and (new := lists.draw(draw, tongue, url)):
        insert_behind(box, parser.fragment_fromstring(new))
        count("list")
    if draw.random() < 0.45:
        told = [teasers.draw(draw, tongue, url) for _ in range(draw.choice((3, 4, 5, 6, 8, 10, 12)))]
        told = list({title: " ".join(lead[: draw.choice((1, 1, 2))])[:400] for title, lead in filter(None, told)}.items())
        if len(told) > 2:
            insert_behind(those[-1] if draw.random() < 0.25 else box, cards_of(draw, told))
            count("cards")
    return True


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("out")
    args.add_argument("sets", nargs="+", metavar="SET")
    args.add_argument("--pages", type=int, default=1800)
    args.add_argument("--seed", type=int, default=1)
    args = args.parse_intermixed_args()
    draw, pages, pools = random.Random(args.seed), [], (Pool(), Pool(), Pool())
    for archive in args.sets:
        known = golds(archive.replace(".warc.gz", ".gold.jsonl.gz"))
        for name, url, kind, body in responses(archive):
            if name in known:
                pages.append((known[name], url, kind, body))
    draw.shuffle(pages)
    read = []
    for gold, url, kind, body in pages[: max(900, args.pages * 2)]:
        try:
            tree = tree_of(kind, body)
        except (ValueError, parser.etree.ParserError):
            continue
        tongue = language(gold, tree)
        small, lists = pieces(tree, gold["gold"])
        draw.shuffle(small)
        draw.shuffle(lists)
        pools[0].add(tongue, url, map(source, small[:12]))
        pools[1].add(tongue, url, map(source, lists[:3]))
        pools[2].add(tongue, url, filter(None, [teaser_of(tree, gold["gold"])]))
        read.append((gold, url, tree, tongue))
    did, units, made = Counter(), furniture(), 0
    with open(args.out, "wb") as out, gzip.GzipFile(args.out.replace(".warc.gz", ".gold.jsonl.gz"), "wb", mtime=0) as told:
        for page in read:
            try:
                if made == args.pages:
                    break
                if not edited(draw, page, pools, units, did):
                    continue
            except (ValueError, AssertionError, parser.etree.ParserError):
                did["fault"] += 1
                continue
            gold, url, tree, _ = page
            name, packed = record(url, f"made {args.seed} {made}", tree)
            out.write(packed)
            told.write((json.dumps(dict(gold, record_id=f"<{name}>", url=url, id=f"made-{made}"), ensure_ascii=False) + "\n").encode())
            made += 1
    print(made, "pages", dict(did), file=sys.stderr)


if __name__ == "__main__":
    main()
