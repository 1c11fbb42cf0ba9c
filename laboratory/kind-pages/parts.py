#!/usr/bin/env python3
"""Divides pages of kinds into those that every scorer learns from, and those for the scorer of lists.

    laboratory/kind-pages/parts.py KINDS.warc.gz OUT --threads 300

OUT-threads.warc.gz gets the threads, in their order, at most so many; OUT-things.warc.gz all other pages but posts. The
threads have no type: several hundred pages of few programs would move the scorers of types.
"""

import argparse
import sys

from make import Archive
from edits import golds, responses


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("kinds")
    args.add_argument("out")
    args.add_argument("--threads", type=int, default=300)
    args = args.parse_args()
    known = golds(args.kinds.replace(".warc.gz", ".gold.jsonl.gz"))
    threads, things = (Archive(f"{args.out}-{part}.warc.gz") for part in ("threads", "things"))
    pages = [(known[name], body) for name, _, _, body in responses(args.kinds) if name in known]
    of_threads = [page for page in pages if page[0]["page_type"] == "forum"]
    # Each program has its share.
    step = max(1, len(of_threads) / args.threads)
    chosen = {int(at * step) for at in range(args.threads)}
    for at, (gold, body) in enumerate(of_threads):
        if at in chosen:
            threads.add(body.decode("utf-8"), {key: gold[key] for key in gold if key not in ("page_type", "record_id", "id")}, gold["id"])
    for gold, body in pages:
        if gold["page_type"] not in ("forum", "article"):
            things.add(body.decode("utf-8"), {key: gold[key] for key in gold if key not in ("record_id", "id")}, gold["id"])
    threads.close()
    things.close()
    print(threads.made, "threads,", things.made, "things", file=sys.stderr)


if __name__ == "__main__":
    main()
