"""Measures trommel and its peers on one archive in one interleaved run.

bench.py --data FOLDER --trommel PROGRAM --rust FOLDER --python PROGRAM --work FOLDER --docs FOLDER

Each round runs every contestant once, each round in another order, as a process of its own; CPU seconds
(user and system, children included) and peak memory are the kernel's. Writes benchmarks.md into the
folder of --docs; the F1 of our models, the picture and the table of the README are filled in by figures.py.
"""

import argparse
import collections
import datetime
import gzip
import io
import json
import multiprocessing
import os
import platform
import re
import runpy
import statistics
import subprocess
import time
import zlib
from pathlib import Path

import zstandard

CJK = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]")
BARE = "libdeflate alone"


def members(data):
    """The gzip members of an archive with their plain lengths."""
    while data:
        inflate = zlib.decompressobj(31)
        plain = len(inflate.decompress(data))
        rest = inflate.unused_data
        yield data[: len(data) - len(rest)], plain
        data = rest


def make_archive(source, target, size):
    """The members of `source`, again and again, until their plain bytes reach `size`."""
    parts = list(members(source.read_bytes()))
    total = 0
    with open(target, "wb") as out:
        while total < size:
            for part, plain in parts:
                out.write(part)
                total += plain
                if total >= size:
                    break
    return total


def measure(command, environment=None):
    """Runs a command; seconds, CPU seconds, peak MB and what it printed."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **(environment or {})},
    )
    printed = process.stdout.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{command[0]} ended with {process.returncode}")
    return {
        "seconds": seconds,
        "cpu": usage.ru_utime + usage.ru_stime,
        "peak": usage.ru_maxrss / 1024,
        "printed": printed,
    }


def words(text):
    return collections.Counter(re.findall(r"\w+", CJK.sub(r" \g<0> ", text.lower())))


def lines(path):
    with open(path, "rb") as file:
        reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
        for line in io.TextIOWrapper(reader, encoding="utf-8", errors="replace"):
            yield json.loads(line)


def quality(texts, gold):
    """Mean F1 of lower-cased words as a multiset; a page that gave nothing counts as 0."""
    scores = []
    for record, expected in gold.items():
        got = words(texts.get(record, ""))
        if not expected or not got:
            scores.append(float(not expected and not got))
            continue
        common = sum((got & expected).values())
        precision = common / sum(got.values())
        recall = common / sum(expected.values())
        scores.append(2 * precision * recall / (precision + recall) if common else 0.0)
    return statistics.mean(scores)


def bare(record):
    return record.removeprefix("<").removesuffix(">")


def main():
    parser = argparse.ArgumentParser()
    for name in ("data", "trommel", "rust", "python", "work", "docs"):
        parser.add_argument(f"--{name}", required=True, type=Path)
    parser.add_argument("--size", type=float, default=1000, help="MB of plain bytes")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--slow-rounds", type=int, default=1, help="rounds of the slowest peers")
    arguments = parser.parse_args()
    work = arguments.work
    work.mkdir(parents=True, exist_ok=True)

    source = arguments.data / "wcxb-dev.warc.gz"
    archive = work / "bench.warc.gz"
    # In a process of its own: a child's peak memory begins with what its parent held when it was started.
    with multiprocessing.Pool(1) as pool:
        plain = pool.apply(make_archive, (source, archive, arguments.size * 1e6))
    here = Path(__file__).parent

    def trommel(model, jobs):
        return lambda path, out: [
            arguments.trommel, "run", path, "-o", out.with_suffix(".jsonl.zst"), "--overwrite", "-j", str(jobs), "--model", model,
        ]  # fmt: skip

    def rust(name):
        return lambda path, out: [arguments.rust / name, path, out]

    def python(name):
        return lambda path, out: [arguments.python, here / "peers.py", name, path, out]

    contestants = {
        BARE: (rust("inflate"), False),
        "trommel fast": (trommel("fast", 1), False),
        "trommel fast, 2 workers": (trommel("fast", 2), False),
        "trommel lite": (trommel("lite", 1), False),
        "FastWARC + Resiliparse": (python("fastwarc_resiliparse"), False),
        "dom_smoothie": (rust("dom_smoothie"), True),
        "rs-trafilatura": (rust("rs_trafilatura"), True),
        "warcio + trafilatura": (python("warcio_trafilatura"), True),
    }

    runs = collections.defaultdict(list)
    names = list(contestants)
    for turn in range(arguments.rounds):
        order = names[turn % len(names) :] + names[: turn % len(names)]
        for name in order:
            command, slow = contestants[name]
            if slow and turn >= arguments.slow_rounds:
                continue
            run = measure([str(part) for part in command(archive, work / "out")])
            runs[name].append(run)
            print(f"{turn + 1}: {name}: {run['cpu']:.2f} CPU s", flush=True)

    # The models' own scores leave these pages out as well.
    faulty = runpy.run_path(str(here.parent / "sound-golds.py"))["faulty"]()["wcxb-dev"]
    gold = {}
    with gzip.open(arguments.data / "wcxb-dev.gold.jsonl.gz", "rt") as file:
        for line in file:
            page = json.loads(line)
            if page["id"] not in faulty and f"wcxb-dev-{page['id']}" not in faulty:
                gold[bare(page["record_id"])] = words(page.get("gold") or "")
    scores = {}
    for name, (command, _) in contestants.items():
        if name != BARE and not name.startswith("trommel"):
            out = work / "quality"
            measure([str(part) for part in command(source, out)])
            texts = {bare(line["id"]): line["text"] for line in lines(out)}
            scores[name] = quality(texts, gold)

    pages = json.loads(runs["FastWARC + Resiliparse"][0]["printed"])["pages"]
    rows = []
    for name, done in runs.items():
        cpu = statistics.median(run["cpu"] for run in done)
        seconds = statistics.median(run["seconds"] for run in done)
        rows.append(
            {
                "name": name,
                "cpu": cpu,
                "seconds": seconds,
                "speed": plain / 1e6 / cpu,
                "pages": pages / cpu,
                "peak": max(run["peak"] for run in done),
                "rounds": len(done),
                "spread": (min(run["cpu"] for run in done), max(run["cpu"] for run in done)),
                "f1": scores.get(name),
            }
        )
    rows.sort(key=lambda row: row["cpu"])
    yardstick = next(row["cpu"] for row in rows if row["name"] == BARE)

    versions = subprocess.run(
        [arguments.python, "-m", "pip", "list", "--format", "json"], capture_output=True, check=True
    )
    wanted = ("fastwarc", "resiliparse", "warcio", "trafilatura")
    found = [
        f"{entry['name']} {entry['version']}"
        for entry in json.loads(versions.stdout)
        if entry["name"].lower() in wanted
    ]
    manifest = (here / "Cargo.lock").read_text()
    for crate in ("dom_smoothie", "rs-trafilatura", "libdeflate-sys"):
        version = re.search(rf'name = "{crate}"\nversion = "([^"]+)"', manifest)[1]
        found.append(f"{crate} {version}")
    cpu_name = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    report = [
        "# Benchmarks",
        "",
        "Written by `scripts/bench-peers.sh`, but for the last section.",
        "",
        f"{datetime.date.today()}, {cpu_name[1] if cpu_name else platform.processor()}, "
        f"{os.cpu_count()} cores, {platform.system()}. An archive of {plain / 1e6:.0f} MB plain, "
        f"{archive.stat().st_size / 1e6:.0f} MB gzip, {pages} pages: the records of wcxb-dev, repeated. "
        "Everyone reads the same file and writes JSON lines under zstd level 3, as a process of its own; "
        "one run after the other, each round in another order. CPU is user and system time, the median of "
        "the rounds, with the least and the greatest. Peers: " + ", ".join(found) + ".",
        "",
        f"F1: mean word F1 on the {len(gold)} pages of wcxb-dev whose gold is not at fault "
        "([which](decisions/golds-at-fault.md)). The shipped models have seen that set, so theirs is of "
        "five folds by host, from the table of [quality](quality.md); what the peers were tuned on is not known.",
        "",
        "| | CPU s | least to greatest | rounds | wall s | MB a CPU s | pages a CPU s | share of libdeflate | peak MB | F1 |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        f1 = f"{row['f1']:.3f}".lstrip("0") if row["f1"] is not None else ""
        report.append(
            f"| {row['name']} | {row['cpu']:.2f} | {row['spread'][0]:.2f} to {row['spread'][1]:.2f} | "
            f"{row['rounds']} | {row['seconds']:.2f} | {row['speed']:.0f} | {row['pages']:.0f} | "
            f"{yardstick / row['cpu']:.3f} | {row['peak']:.0f} | {f1} |"
        )
    report += [
        "",
        "![speed against quality](benchmarks.svg)",
        "",
        "Aims, measurements and trials: "
        "[decisions/speed.md](decisions/speed.md).",
        "",
    ]
    page = arguments.docs / "benchmarks.md"
    # What follows the peers is measured by other means, and stays.
    _, heading, rest = page.read_text().partition("## The three models") if page.exists() else ("", "", "")
    page.write_text("\n".join(report) + ("\n" + heading + rest if rest else ""))
    # The figures of our models, the picture, and the table of the README.
    runpy.run_path(str(here.parent / "figures.py"), run_name="__main__")


if __name__ == "__main__":
    main()
