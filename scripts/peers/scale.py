"""Measures how the cost of `trommel run` grows with archive size, page size and workers.

scale.py --data FOLDER --trommel PROGRAM --work FOLDER --docs FOLDER

Archives of 0.1 to 4 GB plain hold the records of wcxb-dev, repeated; archives of large pages hold one page
of 1 to 64 MB eight times, made of the bodies of wcxb-dev one after the other. Writes log/scale-measured.md into the
folder of --docs.
"""

import argparse
import datetime
import gzip
import multiprocessing
import os
import re
import statistics
from pathlib import Path

from bench import make_archive, measure, members

# Archives of one snapshot.
SNAPSHOT_ARCHIVES = 90_000


def bodies(source):
    """The HTML of the responses of an archive whose records are a gzip member each."""
    for part, _ in members(source.read_bytes()):
        record = gzip.decompress(part)
        if b"\r\nWARC-Type: response" not in record[:2000]:
            continue
        page = record.split(b"\r\n\r\n", 2)[2].removesuffix(b"\r\n\r\n")
        inner = re.search(rb"<body[^>]*>(.*)</body>", page, re.DOTALL)
        if inner:
            yield inner[1]


def make_page(source, target, size, copies):
    """An archive of `copies` records of one page of about `size` bytes; its plain bytes."""
    page = bytearray(b"<!doctype html><html><head><title>Many pages</title></head><body>")
    while len(page) < size:
        for body in bodies(source):
            page += body[: size - len(page)]
            if len(page) >= size:
                break
    page += b"</body></html>"
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + page
    total = 0
    with open(target, "wb") as out:
        for number in range(copies):
            head = (
                "WARC/1.0\r\nWARC-Type: response\r\n"
                f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012}>\r\n"
                f"WARC-Target-URI: http://large.test/{number}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
                f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
            )
            record = head.encode() + http + b"\r\n\r\n"
            total += len(record)
            out.write(gzip.compress(record, 6, mtime=0))
    return total


def made(maker, *arguments):
    # In a process of its own: a child's peak memory begins with what its parent held when it was started.
    with multiprocessing.Pool(1) as pool:
        return pool.apply(maker, arguments)


def main():
    parser = argparse.ArgumentParser()
    for name in ("data", "trommel", "work", "docs"):
        parser.add_argument(f"--{name}", required=True, type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    work = arguments.work
    work.mkdir(parents=True, exist_ok=True)
    source = arguments.data / "wcxb-dev.warc.gz"
    archive = work / "scale.warc.gz"

    def run(jobs, model="fast"):
        done = [
            measure(
                [str(arguments.trommel), "run", str(archive), "-o", str(work / "scale.jsonl.zst"), "--overwrite"]
                + ["-j", str(jobs), "--model", model]
            )
            for _ in range(arguments.rounds)
        ]
        return {key: statistics.median(run[key] for run in done) for key in ("cpu", "seconds", "peak")}

    cpu_name = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    report = [
        "# Scale",
        "",
        "Written by `scripts/bench-scale.sh`; do not edit.",
        "",
        f"{datetime.date.today()}, {cpu_name[1] if cpu_name else 'unknown processor'}, {os.cpu_count()} cores. "
        f"`trommel run` to JSON lines under zstd, model `fast` unless said otherwise, medians of "
        f"{arguments.rounds} runs.",
        "",
        "## Archive size and workers",
        "",
        "The records of wcxb-dev, repeated; MB are of plain archive.",
        "",
        "| MB plain | workers | CPU s | wall s | MB a CPU s | MB a second | peak MB |",
        "|--:|--:|--:|--:|--:|--:|--:|",
    ]
    rate = {}
    for size in (100, 250, 500, 1000, 2000, 4000):
        plain = made(make_archive, source, archive, size * 1e6)
        for jobs in (1, 2):
            done = run(jobs)
            report.append(
                f"| {plain / 1e6:.0f} | {jobs} | {done['cpu']:.2f} | {done['seconds']:.2f} | "
                f"{plain / 1e6 / done['cpu']:.0f} | {plain / 1e6 / done['seconds']:.0f} | {done['peak']:.0f} |"
            )
            print(report[-1], flush=True)
            if size == 1000 and jobs == 1:
                stored = archive.stat().st_size
                rate["fast"] = stored / done["cpu"]
                rate["lite"] = stored / run(1, "lite")["cpu"]
    report += [
        "",
        "## Page size",
        "",
        "One page, eight times, made of the bodies of wcxb-dev one after the other; one worker.",
        "",
        "| MB a page | CPU s a page | MB a CPU s | peak MB |",
        "|--:|--:|--:|--:|",
    ]
    for size in (1, 2, 4, 8, 16, 32, 64):
        plain = made(make_page, source, archive, size * 1_000_000, 8)
        done = run(1)
        report.append(
            f"| {size} | {done['cpu'] / 8:.3f} | {plain / 1e6 / done['cpu']:.0f} | {done['peak']:.0f} |"
        )
        print(report[-1], flush=True)
    report += [
        "",
        "## A Common Crawl snapshot",
        "",
        f"An estimate for {SNAPSHOT_ARCHIVES:,} archives of 1 GB gzip at the rates above, without the network:",
        "",
        "| model | stored MB a CPU s | core-hours a snapshot |",
        "|---|--:|--:|",
    ]
    for model, speed in rate.items():
        hours = SNAPSHOT_ARCHIVES * 1e9 / speed / 3600
        report.append(f"| {model} | {speed / 1e6:.1f} | {hours:,.0f} |")
    report.append("")
    (arguments.docs / "log" / "scale-measured.md").write_text("\n".join(report))


if __name__ == "__main__":
    main()
