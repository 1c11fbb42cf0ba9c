#!/usr/bin/env python3
"""Makes pages of kinds: maintained web programs from the registries, filled with our texts, print them; the gold is exact.

    laboratory/kind-pages/make.py OUT.warc.gz --pages N --seed S [--test] [--only PROGRAM] GOLD.jsonl.gz...

Each program of programs/ runs in a venv of its own, in memory or in a temporary folder. Pages that are lists of cards go to
OUT-lists.warc.gz. Programs of which no page may be trained on are left out; `--test` makes those alone. The same pages for
the same seed. Needs lxml.
"""

import argparse
import gzip
import json
import os
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "made-pages")]
import texts
from check import faults
from edits import record_of
from registry import PROGRAMS, ready


def printed(program, told, pages, seed, venvs):
    """The pages that a program prints: dictionaries; a line on what went wrong, if it did."""
    python = ready(program, venvs)
    if python is None:
        return None
    environment, found = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", PYTHONHASHSEED="0", PYTHONWARNINGS="ignore"), []
    themes = PROGRAMS[program].themes
    for theme in themes:
        order = [python, HERE / "run.py", program, told, str(max(1, round(pages / len(themes)))), str(seed), theme]
        done = subprocess.run(order, capture_output=True, env=environment)
        (venvs / f"{program}.log").write_bytes(done.stderr)
        if done.returncode:
            print(f"{program}: {done.stderr.decode().strip().splitlines()[-1:]}", file=sys.stderr)
        found += map(json.loads, done.stdout.decode("utf-8").splitlines())
    return found


class Archive:
    """An archive and its gold."""

    def __init__(self, path):
        self.out = open(path, "wb")
        self.told = gzip.GzipFile(path.replace(".warc.gz", ".gold.jsonl.gz"), "wb", mtime=0)
        self.made = 0

    def add(self, page, gold, name):
        record, packed = record_of(gold["url"], name, page.encode("utf-8"))
        self.out.write(packed)
        self.told.write((json.dumps({"record_id": f"<{record}>", "id": name, **gold}, ensure_ascii=False) + "\n").encode())
        self.made += 1

    def close(self):
        self.out.close()
        self.told.close()


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("out")
    args.add_argument("sets", nargs="+", metavar="GOLD")
    args.add_argument("--pages", type=int, default=2000)
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--test", action="store_true", help="the programs that no model learns from")
    args.add_argument("--only", action="append", help="this program alone")
    args.add_argument("--venvs", type=pathlib.Path, default=pathlib.Path("out/kind-venvs"))
    args.add_argument("--jobs", type=int, default=1)
    args = args.parse_intermixed_args()
    programs = args.only or [name for name, program in PROGRAMS.items() if program.test == args.test]
    weight = sum(PROGRAMS[name].share for name in programs)
    args.venvs.mkdir(parents=True, exist_ok=True)
    told = (args.venvs / "texts.json").resolve()
    told.write_text(json.dumps(texts.read(args.sets), ensure_ascii=False), encoding="utf-8")
    pages, lists = Archive(args.out), Archive(args.out.replace(".warc.gz", "-lists.warc.gz"))
    with ThreadPoolExecutor(args.jobs) as pool:
        asked = lambda name: printed(name, told, max(1, round(args.pages * PROGRAMS[name].share / weight)), args.seed, args.venvs.resolve())
        for name, found in zip(programs, pool.map(asked, programs)):
            wrong = [fault for one in found or () if (fault := faults(one["page"], one["gold"]))]
            good = [one for one in found or () if not faults(one["page"], one["gold"])]
            for at, one in enumerate(good):
                (lists if one["list"] else pages).add(one["page"], one["gold"], f"{name}-{args.seed}-{at}")
            print(f"{name}: {len(good)} pages" + (f", {len(wrong)} with a gold that is not on the page: {wrong[0]}" if wrong else ""), file=sys.stderr)
    pages.close()
    lists.close()
    print(pages.made, "pages,", lists.made, "lists", file=sys.stderr)


if __name__ == "__main__":
    main()
