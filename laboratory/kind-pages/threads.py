#!/usr/bin/env python3
"""Takes the threads among pages of kinds: only the scorer of threads and that of page types learn from them.

    laboratory/kind-pages/threads.py KINDS.warc.gz OUT.warc.gz --threads 600

OUT gets at most so many threads, with the share of each program as it is, in their order.
"""

import argparse
import sys

from make import Archive
from edits import golds, responses


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("kinds")
    args.add_argument("out")
    args.add_argument("--threads", type=int, default=600)
    args = args.parse_args()
    known = golds(args.kinds.replace(".warc.gz", ".gold.jsonl.gz"))
    pages = [(known[name], body) for name, _, _, body in responses(args.kinds) if name in known]
    threads = [page for page in pages if page[0]["page_type"] == "forum"]
    step = max(1, len(threads) / args.threads)
    chosen = {int(at * step) for at in range(args.threads)}
    out = Archive(args.out)
    for at, (gold, body) in enumerate(threads):
        if at in chosen:
            out.add(body.decode("utf-8"), {key: gold[key] for key in gold if key not in ("record_id", "id")}, gold["id"])
    out.close()
    print(out.made, "threads", file=sys.stderr)


if __name__ == "__main__":
    main()
