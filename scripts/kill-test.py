#!/usr/bin/env python3
"""Kills runs at random moments, goes on with --resume after each kill, with another number of workers and so of
archives side by side, also with inputs that were not there before, and compares what they end with to a run over all inputs that nobody killed: every byte of every
output (of an index every document, as the names of its files are random), and the counts.

    kill-test.py [-n KILLS] [-s SEED] [-c CONFIGURATION]... [-i INPUTS] [-j WORKERS]... [--most SECONDS]
                 [--trommel PROGRAM] [ARCHIVE...]

An ARCHIVE of more than 256 MB is read in pieces; with --most 3 or so its run is killed many times. Sixteen archives
stand side by side with `-i 20 -j 64`.
"""

import argparse
import gzip
import json
import os
import random
import shutil
import string
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Where inputs may be added: between those that are there, behind them (where files or filters go by the order
# of all records), or not at all (every page depends on all inputs).
ANYWHERE, BEHIND, NEVER = "anywhere", "behind", "never"
SIDES = "--dropped dropped.jsonl --set-aside pdf=pdf.warc.gz --quarantine failed.warc.gz --hard-to hard.warc.gz"
CONFIGURATIONS = {
    "jsonl": ("-f jsonl --compress zst", ANYWHERE),
    "wet": ("-f wet", ANYWHERE),
    "msgpack": ("-f msgpack --compress none", ANYWHERE),
    "gzip": ("-f jsonl --compress gz", ANYWHERE),
    "parquet": ("-f parquet --blocks", ANYWHERE),
    "tantivy": ("-f tantivy", ANYWHERE),
    "bulk": ("-f bulk", ANYWHERE),
    "anserini": ("-f anserini", ANYWHERE),
    "trec": ("-f trec", ANYWHERE),
    "several": ("-f jsonl,wet,parquet,tantivy", ANYWHERE),
    "parts": ("-f jsonl,wet,parquet --split-size 1M", ANYWHERE),
    "wet-parts": ("-f wet --compress gz --split-size 300K", ANYWHERE),
    "sites": ("-f jsonl --set site_memory=two-pass", NEVER),
    "sides": ("-f jsonl,msgpack,bulk --config filters.toml --markdown " + SIDES, BEHIND),
    "lanes": ("-f jsonl,wet --markdown " + SIDES, BEHIND),
    "one-zst": (SIDES, NEVER, "out/all.jsonl.zst"),
    "one-wet": ("", NEVER, "out/all.warc.wet.gz"),
    "one-parquet": ("", NEVER, "out/all.parquet"),
}
# Workers of the runs: the first is that of the run that nobody kills.
JOBS = [2, 16, 64, 1, 16]
FILTERS = "[filters]\nmin_words = 50\nrules = ['gopher']\n[filters.duplicates]\nexact = true\nnear = true\n"
# Most kills of one run, so that every configuration has its turn.
KILLS_OF_A_RUN = 10


def mixed():
    """An archive with records that are dropped, set aside, and that fail."""
    records = []
    for number in range(60):
        kind, body = [
            ("application/pdf", b"%PDF-1.4 " + b"x" * 900),
            ("text/html", b"<p>Short."),
            ("image/png", b"\x89PNG\r\n\x1a\n"),
            ("text/html", b"<title>T</title>" + b"<p>The river runs by the mill, and the mill by it." * 20),
        ][number % 4]
        coding = b"Content-Encoding: br\r\n" if number % 20 == 3 else b""
        block = b"HTTP/1.1 200 OK\r\nContent-Type: " + kind.encode() + b"\r\n" + coding + b"\r\n" + body
        head = (
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
            f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012}>\r\n"
            f"WARC-Target-URI: http://example.org/{number}\r\n"
            "Content-Type: application/http; msgtype=response\r\n"
            f"Content-Length: {len(block)}\r\n\r\n"
        )
        records.append(gzip.compress(head.encode() + block + b"\r\n\r\n", mtime=0))
    return b"".join(records)


def files(folder, trommel):
    found = {}
    for name in os.listdir(folder):
        # Times are in it, and that of one file is there only after a run that went on.
        if name == "_STATE" or name.endswith(".state"):
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
    # Inputs stand in the order in which they were read.
    for key in ("files", "damage"):
        summary[key].sort(key=lambda own: own["file"])
    return summary


class Moments:
    """When a run is killed, and with which inputs it goes on."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def first(self, inputs, where):
        """The inputs that are there at the beginning."""
        if where == NEVER:
            return list(inputs)
        some = self.random.randint(1, len(inputs) - 1)
        return inputs[:some] if where == BEHIND else sorted(self.random.sample(inputs, some))

    def more(self, there, inputs, where):
        """Those that are there when the run goes on."""
        missing = [name for name in inputs if name not in there]
        if not missing or self.random.random() < 0.5:
            return there
        new = missing[0] if where == BEHIND else self.random.choice(missing)
        return sorted([*there, new])

    def wait(self, length):
        # Early moments more often than late ones, so that a run is killed several times.
        time.sleep(self.random.uniform(0, length / self.random.choice([1, 2, 4])))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", "--kills", type=int, default=6, help="kills of each configuration, if any is named; else in all")
    parser.add_argument("-s", "--seed", type=int, default=1)
    parser.add_argument("-c", "--configuration", action="append", choices=CONFIGURATIONS)
    parser.add_argument("-i", "--inputs", type=int, default=8, help="inputs of a run, at most 26")
    parser.add_argument("-j", "--jobs", type=int, action="append", help="workers of the runs that are killed")
    parser.add_argument("--most", type=float, default=float("inf"), help="seconds at the most before a kill")
    parser.add_argument("--trommel", default=os.path.join(ROOT, "target/release/trommel"))
    parser.add_argument("archives", nargs="*")
    arguments = parser.parse_args()
    trommel = os.path.abspath(arguments.trommel)
    sample = os.path.join(ROOT, "samples/wcxb-sample.warc.gz")
    archives = [os.path.abspath(path) for path in arguments.archives or [sample]]
    kinds = arguments.configuration or list(CONFIGURATIONS)
    moments = Moments(arguments.seed)
    killed = dict.fromkeys(kinds, 0)
    runs = saved = added = 0

    def wants(kind):
        return (killed[kind] if arguments.configuration else sum(killed.values())) < arguments.kills

    with tempfile.TemporaryDirectory() as work:
        while any(map(wants, kinds)):
            kind = kinds[runs % len(kinds)]
            if not wants(kind):
                runs += 1
                continue
            options, where, *output = CONFIGURATIONS[kind]
            folder = os.path.join(work, str(runs))
            for part in ("whole", "killed"):
                os.makedirs(os.path.join(folder, part, *(["out"] if output else [])))
            inputs = []
            for number in range(arguments.inputs):
                name = string.ascii_lowercase[number] + ".warc.gz"
                if number == 1:
                    with open(os.path.join(folder, name), "wb") as file:
                        file.write(mixed())
                else:
                    os.symlink(archives[number % len(archives)], os.path.join(folder, name))
                inputs.append("../" + name)

            def start(part, there, jobs, *more):
                place = os.path.join(folder, part)
                with open(os.path.join(place, "filters.toml"), "w") as file:
                    file.write(FILTERS)
                command = [trommel, "run", *there, "-o", *(output or ["out"]), "--summary", "counts.json"]
                command += [*options.split(), "--set", "checkpoint=256K", "-j", str(jobs)]
                log = open(os.path.join(folder, "log"), "w")
                return subprocess.Popen([*command, *more], cwd=place, stderr=log)

            def said():
                return open(os.path.join(folder, "log")).read()

            begin = time.monotonic()
            if start("whole", inputs, JOBS[0]).wait() not in (0, 1):
                sys.exit(said())
            length = time.monotonic() - begin

            here = 0
            there = moments.first(inputs, where)
            out = os.path.join(folder, "killed", "out")
            while True:
                run = start("killed", there, moments.random.choice(arguments.jobs or JOBS[1:]), "--resume")
                if wants(kind) and here < KILLS_OF_A_RUN:
                    moments.wait(min(length, arguments.most))
                    run.kill()
                code = run.wait()
                if code in (0, 1):
                    if there == inputs:
                        break
                elif code == -9:
                    killed[kind] += 1
                    here += 1
                    states = os.listdir(out) if os.path.isdir(out) else []
                    saved += any(name.endswith(".checkpoint") for name in states)
                else:
                    sys.exit(f"{kind}: exit code {code} after {here} kills: {said()}")
                before = len(there)
                there = moments.more(there, inputs, where)
                added += len(there) > before
            places = [os.path.join(folder, part) for part in ("whole", "killed")]
            whole, resumed = (files(os.path.join(place, "out"), trommel) for place in places)
            for name in os.listdir(places[0]):
                if os.path.isfile(os.path.join(places[0], name)) and "counts.json" not in name:
                    whole[name] = open(os.path.join(places[0], name), "rb").read()
            for name in os.listdir(places[1]):
                if os.path.isfile(os.path.join(places[1], name)) and "counts.json" not in name:
                    resumed[name] = open(os.path.join(places[1], name), "rb").read()
            if whole != resumed:
                names = [name for name in {*whole, *resumed} if whole.get(name) != resumed.get(name)]
                sys.exit(f"{kind}: other bytes after {here} kills: {', '.join(sorted(names))}")
            one, other = (counts(os.path.join(place, "counts.json")) for place in places)
            if one != other:
                keys = [key for key in one if one[key] != other[key]]
                sys.exit(f"{kind}: other counts after {here} kills: {', '.join(keys)}")
            shutil.rmtree(folder)
            runs += 1
            print(f"{kind}: {here} kills, the same {len(whole)} files", flush=True)
    total = sum(killed.values())
    print(f"{total} of {total} kills byte-identical; {saved} left a saved state; inputs added {added} times")
    for kind, number in killed.items():
        print(f"  {kind}: {number}")


if __name__ == "__main__":
    main()
