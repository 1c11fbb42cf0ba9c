#!/usr/bin/env python3
"""Kills runs at random moments, goes on with --resume after each kill, and compares what they end with
to a run that nobody killed: every byte of every output (of an index every document, as the names of its
files are random), and the counts.

    kill-test.py [-n KILLS] [-s SEED] [--trommel PROGRAM] [ARCHIVE...]
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FORMATS = [
    "-f jsonl --compress zst",
    "-f wet",
    "-f msgpack --compress none",
    "-f jsonl --compress gz",
    "-f parquet --blocks",
    "-f tantivy",
    "-f bulk",
    "-f anserini",
    "-f trec",
    "-f jsonl,wet,parquet,tantivy",
    "-f jsonl,wet,parquet --split-size 1M",
]
# Most kills of one run, so that every format has its turn.
KILLS_OF_A_RUN = 10


def files(folder, trommel):
    found = {}
    for name in os.listdir(folder):
        if name in (".run.checkpoint", ".run.journal"):  # times are in them
            continue
        path = os.path.join(folder, name)
        if os.path.isdir(path):
            options = ["--index", path, "-n", "1000000", "--json"]
            dump = [trommel, "search", *options, "--", "-nowhere"]
            found[name] = subprocess.run(dump, check=True, stdout=subprocess.PIPE).stdout
        else:
            found[name] = open(path, "rb").read()
    return found


def counts(path):
    with open(path) as file:
        summary = json.load(file)
    del summary["seconds"], summary["page_times"]
    return summary


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", "--kills", type=int, default=6)
    parser.add_argument("-s", "--seed", type=int, default=1)
    parser.add_argument("--trommel", default=os.path.join(ROOT, "target/release/trommel"))
    parser.add_argument("archives", nargs="*")
    arguments = parser.parse_args()
    sample = os.path.join(ROOT, "samples/wcxb-sample.warc.gz")
    archives = [os.path.abspath(path) for path in arguments.archives or [sample] * 4]
    moments = random.Random(arguments.seed)
    killed = runs = saved = 0
    with tempfile.TemporaryDirectory() as work:
        while killed < arguments.kills:
            kind = FORMATS[runs % len(FORMATS)]
            folder = os.path.join(work, str(runs))
            os.mkdir(folder)

            def start(summary, *more):
                command = [arguments.trommel, "run", *archives, "-o", "out", "--summary", summary]
                command += [*kind.split(), "--checkpoint", "256K", "-j", "2"]
                log = open(os.path.join(folder, "log"), "w")
                return subprocess.Popen([*command, *more], cwd=folder, stderr=log)

            begin = time.monotonic()
            if start("whole.json").wait() != 0:
                sys.exit(open(os.path.join(folder, "log")).read())
            length = time.monotonic() - begin
            os.rename(os.path.join(folder, "out"), os.path.join(folder, "whole"))

            here = 0
            while True:
                run = start("resumed.json", "--resume")
                if killed < arguments.kills and here < KILLS_OF_A_RUN:
                    # Early moments more often than late ones, so that a run is killed several times.
                    time.sleep(moments.uniform(0, length / moments.choice([1, 2, 4])))
                    run.kill()
                if run.wait() == 0:
                    break
                killed += 1
                here += 1
                out = os.path.join(folder, "out")
                states = os.listdir(out) if os.path.isdir(out) else []
                saved += any(name.endswith(".checkpoint") for name in states)
            whole, resumed = (
                files(os.path.join(folder, name), arguments.trommel) for name in ("whole", "out")
            )
            if whole != resumed:
                sys.exit(f"{kind}: other bytes after {here} kills")
            if counts(os.path.join(folder, "whole.json")) != counts(os.path.join(folder, "resumed.json")):
                sys.exit(f"{kind}: other counts after {here} kills")
            runs += 1
            print(f"{kind}: {here} kills, the same {len(whole)} files", flush=True)
    print(f"{killed} of {killed} kills byte-identical in {runs} runs; {saved} left a saved state")


if __name__ == "__main__":
    main()
