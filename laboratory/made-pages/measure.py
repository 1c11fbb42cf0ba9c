#!/usr/bin/env python3
"""Measures how far the text that the program writes depends on what stands around it; prints a table.

    laboratory/made-pages/measure.py SET.warc.gz --program trommel [--pages N] [--seed S] [MODEL...]

Real pages are edited so that their text stays as it was (the edits are those of edits.py, the pieces those of
unseen-furniture.tsv, from which no model learned), and the text of each edited page is compared with that of the page
before the edit. Needs lxml.
"""

import argparse
import json
import pathlib
import random
import subprocess
import tempfile
from collections import Counter, defaultdict

from edits import (
    break_lines, copied, drop_metadata, drop_sections, gaps, golds, hash_names, host, insert_behind, language,
    move_lead, move_tail, paragraphs, parser, pieces, record, responses, source, squeezed, tree_of, words, wrap,
)  # fmt: skip
from furniture import furniture, piece_of

HERE = pathlib.Path(__file__).parent
TITLES = (
    "The ferry that never sailed", "A school above the bakery", "What the storm left on the beach", "Nine recipes for leeks",
    "The last clockmaker retires", "Old maps, new borders", "How a town learned to swim", "The orchard behind the depot",
    "Night trains are back", "A choir of two hundred", "Where the swifts nest", "Two sisters and one printing press",
)  # fmt: skip
SAID = "all that is known so far, and what those who live nearby expect of the coming months"
# Edits whose result is whether a moved paragraph is still in the text.
MOVES = {"tail": move_tail, "lead": move_lead}
SAME = {
    "names": hash_names, "metadata": drop_metadata, "wrapped": wrap, "breaks": break_lines, "sections": drop_sections,
}  # fmt: skip
TELLS = {
    "piece": "a box between two paragraphs is in the text", "part": "a part of another page, likewise",
    "cards": "twelve teasers behind the text are", "list": "a list of another page behind the text is",
    "tail": "the last paragraph, in a container of its own, is kept", "lead": "the first one likewise",
    "names": "words added and lost without names of classes", "metadata": "the same without metadata",
    "wrapped": "the same with each paragraph in a box", "breaks": "the same with breaks for paragraphs",
    "sections": "the same without elements for sections",
}  # fmt: skip


def teasers(draw):
    """Twelve cards of one layout that no training page has."""
    titles = list(TITLES)
    draw.shuffle(titles)
    cards = (
        f'<li class="q"><figure><a href="/t/{at}"><img src="/{at}.png"></a></figure><h5><a href="/t/{at}">{title}</a></h5>'
        f"<div>{title}: {SAID}.</div><time>{at + 1} May</time></li>"
        for at, title in enumerate(titles)
    )
    return parser.fragment_fromstring(f'<ul class="w{draw.randrange(99)}">{"".join(cards)}</ul>')


def lines(element):
    return [line for line in (" ".join(part.split()) for part in element.itertext()) if len(words(line)) >= 4]


def inserted(draw, edit, those, url, units, pool):
    """The texts of what one of the edits that insert put into the page."""
    box = those[-1].getparent()
    places = gaps(those)
    if edit in ("piece", "part"):
        place = places[len(places) // 2] if places else None
    else:
        place = box if box is not None and box.tag != "body" and box.getparent() is not None else None
    if place is None:
        return None
    if edit == "piece":
        new = piece_of(draw, units, lambda: None)
    elif edit == "cards":
        new = teasers(draw)
    else:
        others = [html for of, html in pool[edit == "list"] if of != host(url)]
        new = parser.fragment_fromstring(draw.choice(others)) if others else None
    if new is None:
        return None
    told = {"piece": [max(new.itertext(), key=len)], "cards": [SAID]}.get(edit) or lines(new)
    insert_behind(place, new)
    return told or None


def edited_pages(draw, archive, most):
    """(page, edit, texts, record id) of all pages, and their archive."""
    known, units, read = golds(archive.replace(".warc.gz", ".gold.jsonl.gz")), furniture(HERE / "unseen-furniture.tsv"), []
    pool = defaultdict(lambda: ([], []))
    for name, url, kind, body in responses(archive):
        gold = known.get(name)
        if gold and (gold.get("page_type") or "article") == "article":
            read.append((gold, url, kind, body))
    draw.shuffle(read)
    trees = []
    for gold, url, kind, body in read[: 2 * most]:
        tree = tree_of(kind, body)
        trees.append((gold, url, tree, language(gold, tree)))
        for group, found in zip(pool[trees[-1][3]], pieces(tree, gold["gold"])):
            group.extend((host(url), source(element)) for element in draw.sample(found, min(8, len(found))) if lines(element))
    plan, packed, made = [], [], 0

    def add(edit, texts, tree):
        name, member = record(url, f"measured {made} {edit} {len(plan)}", tree)
        plan.append((made, edit, texts, name))
        packed.append(member)

    for gold, url, tree, tongue in trees:
        those = paragraphs(tree, gold["gold"])
        if len(those) < 6 or tongue not in units or made == most:
            continue
        add("base", None, tree)
        for edit in ["piece"] * 4 + list(TELLS)[1:]:
            again, mine = copied(tree, those)
            if edit in SAME or edit in MOVES:
                texts = (SAME.get(edit) or MOVES[edit])(again, mine, draw)
            else:
                texts = inserted(draw, edit, mine, url, units[tongue], pool[tongue])
            if texts is not None:
                add(edit, texts, again)
        made += 1
    return plan, b"".join(packed)


def judged(plan, texts):
    """For each edit the mean result, and the words added and lost."""
    base, rows = {}, defaultdict(list)
    for page, edit, told, name in plan:
        text = texts.get(name, "")
        if edit == "base":
            base[page] = text
            continue
        before, after = Counter(words(base[page])), Counter(words(text))
        if before.total() < 50 or edit in MOVES and squeezed(told) not in squeezed(base[page]):
            continue
        found = [told] if edit in MOVES else told
        is_in = any(squeezed(line) in squeezed(text) for line in found) if found else False
        rows[edit].append((is_in, (after - before).total(), (before - after).total()))
    return {edit: [sum(column) / len(them) for column in zip(*them)] for edit, them in rows.items()}


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("set", metavar="SET")
    args.add_argument("models", nargs="*", metavar="MODEL")
    args.add_argument("--program", default="trommel")
    args.add_argument("--pages", type=int, default=60)
    args.add_argument("--seed", type=int, default=7)
    args = args.parse_intermixed_args()
    plan, packed = edited_pages(random.Random(args.seed), args.set, args.pages)
    table = {}
    with tempfile.TemporaryDirectory() as folder:
        archive = pathlib.Path(folder) / "edited.warc.gz"
        archive.write_bytes(packed)
        for model in args.models or ("fast", "lite"):
            out = pathlib.Path(folder) / "out"
            command = [args.program, "run", archive, "-o", out, "-f", "jsonl", "--compress", "none", "-q", "--overwrite"]
            subprocess.run([*map(str, command), "--model", model], check=True)
            documents = map(json.loads, (out / "edited.jsonl").read_text(encoding="utf-8").splitlines())
            table[pathlib.Path(model).stem] = judged(plan, {d["id"].strip("<>"): d.get("text") or "" for d in documents})
    print("| edit | " + " | ".join(f"`{model}`" for model in table) + " |")
    print("|---|" + "---:|" * len(table))
    for edit, tells in TELLS.items():
        cells = []
        for results in table.values():
            is_in, added, lost = results.get(edit, (0, 0, 0))
            cells.append(f"{added:.1f}, {lost:.1f}" if edit in SAME else f"{is_in:.3f}".replace("0.", ".", 1))
        print(f"| **{edit}**: {tells} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
