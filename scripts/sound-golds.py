#!/usr/bin/env python3
"""Copies the labelled sets of a folder without the pages whose gold is at fault.

    scripts/sound-golds.py DATA OUT SET...

OUT gets NAME.gold.jsonl.gz of each set, and a link to its archive. Left out are the pages of labels/faulty-golds.tsv
of which the gold is to blame for .02 of F1 or more, or for what nobody measured: training on them teaches to stop
where they stop. Of sets that name the site of each page, only pages of sites in labels/site-licences.tsv are copied: the
licences of the others do not allow a model to learn from them.
"""

import argparse
import csv
import gzip
import json
import pathlib
import sys
from collections import defaultdict

COST = 0.02
# The types of pages that models know. Pages of other types are none of theirs: a set of one site would move the scorers.
TYPES = ("article", "collection", "documentation", "forum", "listing", "product", "service")


def faulty():
    """The pages that are left out, by set."""
    listed = pathlib.Path(__file__).resolve().parent.parent / "labels" / "faulty-golds.tsv"
    pages = defaultdict(set)
    with open(listed, encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            measured = row["f1"] and row["f1_mended"]
            cheap = measured and float(row["f1_mended"]) - float(row["f1"]) < COST
            if row["fault"] == "gold" and not cheap:
                pages[row["set"]].add(row["page"])
    return pages


def licensed():
    """The sites whose licence allows training."""
    listed = pathlib.Path(__file__).resolve().parent.parent / "labels" / "site-licences.tsv"
    with open(listed, encoding="utf-8") as lines:
        return {row["site"] for row in csv.DictReader(lines, delimiter="\t")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("sets", nargs="+", metavar="SET")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    pages, sites = faulty(), licensed()
    for name in args.sets:
        left_out = unlicensed = 0
        with gzip.open(args.data / f"{name}.gold.jsonl.gz", "rt", encoding="utf-8") as golds:
            lines = golds.readlines()
        with gzip.GzipFile(args.out / f"{name}.gold.jsonl.gz", "wb", mtime=0) as golds:
            for line in lines:
                gold = json.loads(line)
                page = gold.get("id", "")
                if "generator" in gold and gold["site"] not in sites:
                    unlicensed += 1
                elif page in pages[name] or f"{name}-{page}" in pages[name]:
                    left_out += 1
                else:
                    if gold.get("page_type") not in TYPES and gold.pop("page_type", None):
                        line = json.dumps(gold, ensure_ascii=False) + "\n"
                    golds.write(line.encode())
        link = args.out / f"{name}.warc.gz"
        link.unlink(missing_ok=True)
        link.symlink_to((args.data / link.name).resolve())
        print(f"{name}: {len(lines) - left_out - unlicensed} pages, {left_out + unlicensed} left out")
        if left_out != len(pages[name]):
            sys.exit(f"{name}: {len(pages[name])} pages are listed, {left_out} found")


if __name__ == "__main__":
    main()
