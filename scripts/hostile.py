#!/usr/bin/env python3
"""Gives every hostile page to `trommel extract -f json`, and archives with hostile bodies to `trommel run`;
prints a Markdown table of user and system seconds (for pages also those of `-f markdown --links --images` and of
`trommel inspect`), peak memory, caps passed, and whether all texts that each must give come out.

    cargo build --release -p trommel-cli
    cargo build --release -p trommel-html --example hostile
    scripts/hostile.py [--trommel PROGRAM] [--pages PROGRAM]

Ends with 1 if one takes more than 2 s (4 s as Markdown, 5 s as a report) or 600 MB, or lacks a text.
"""

import argparse
import gzip
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MOST_SECONDS, MOST_WRITTEN_SECONDS, MOST_MB = 2, (4, 5), 600
BEFORE, AFTER = "The first sentence stands before all of it.", "The last sentence stands behind all of it."


def measured(command, out):
    """CPU seconds and peak MB of a command whose output goes to a file."""
    with open(out, "wb") as file:
        child = subprocess.Popen(command, stdout=file, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {child.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def capped(path):
    """Caps that a document names."""
    with open(path) as text:
        return [cap.strip() for cap in json.load(text)["capped"].split(",") if cap]


def missing(path, texts):
    """The texts that no line of JSON holds as its text."""
    left = list(texts)
    with open(path) as lines:
        for line in lines:
            block = json.loads(line)["text"]
            left = [text for text in left if text not in block]
    return left


def bomb(times):
    """A page that inflates to a gigabyte, coded in gzip so many times over."""
    deflate = zlib.compressobj(1, wbits=31)
    page = f"<html><body><p>{BEFORE}</p>".encode()
    parts = [deflate.compress(page)]
    piece = b"<p>A paragraph of a page that is far too long.</p>" * 20_000
    parts += [deflate.compress(piece) for _ in range((1 << 30) // len(piece))]
    body = b"".join([*parts, deflate.flush()])
    for _ in range(times - 1):
        body = gzip.compress(body)
    return body


def chunked(sizes):
    """Bodies of chunks whose sizes are not theirs."""
    texts = [BEFORE, "The middle.", AFTER]
    body = b""
    for size, text in zip(sizes, texts):
        body += f"{size}\r\n<p>{text}</p>\r\n".encode()
    return body + b"0\r\n\r\n"


LIES = {
    "too small": ["1", "1", "1"],
    "too large": ["ff", "ff", "ff"],
    "4 GB": ["ffffffff", "ffffffff", "ffffffff"],
    "2^64": ["ffffffffffffffff", "ffffffffffffffff1", "fffffffffffffffffffffff"],
    "negative": ["-1", "-32", "-7fffffff"],
    "no number": ["x", "chunk", ""],
}


def archive(path, records):
    with open(path, "wb") as file:
        for at, (header, body) in enumerate(records):
            http = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{header}\r\n\r\n".encode() + body
            warc = (
                f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{at}>\r\n"
                f"WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: http://example.org/{at}\r\n"
                f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
            )
            file.write(gzip.compress(warc.encode() + http + b"\r\n\r\n"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trommel", default=os.path.join(ROOT, "target/release/trommel"))
    parser.add_argument("--pages", default=os.path.join(ROOT, "target/release/examples/hostile"))
    arguments = parser.parse_args()
    bad = 0
    # Outputs are read by another process: what a process takes counts what its parent holds when it starts.
    reader = multiprocessing.Pool(1)

    def row(name, count, seconds, written, mb, caps, lost):
        nonlocal bad
        slow = seconds > MOST_SECONDS or any(own > most for own, most in zip(written, MOST_WRITTEN_SECONDS))
        bad += slow or mb > MOST_MB or bool(lost)
        as_markdown, as_report = [f"{each:.2f}" for each in written] or ["-", "-"]
        there = f"missing: {'; '.join(lost)}" if lost else "yes"
        caps = ", ".join(caps) or "-"
        print(f"| {name} | {count} | {seconds:.2f} | {as_markdown} | {as_report} | {mb:.0f} | {caps} | {there} |", flush=True)

    print("| page | size | CPU s | as Markdown | `inspect` | MB | capped | text there |\n|---|---:|---:|---:|---:|---:|---|---|")
    with tempfile.TemporaryDirectory() as work:
        out = os.path.join(work, "out")
        shapes = subprocess.run([arguments.pages, work], check=True, capture_output=True, text=True)
        for line in shapes.stdout.splitlines():
            file, name, count, *texts = line.split("\t")
            page = os.path.join(work, file)
            extract = [arguments.trommel, "extract", page, "-f"]
            markdown, most = measured([*extract, "markdown", "--links", "--images"], out)
            report, report_mb = measured([arguments.trommel, "inspect", page, "-q"], out)
            seconds, mb = measured([*extract, "json"], out)
            caps = reader.apply(capped, (out,))
            # What is there is a matter of the blocks, what is kept one of the model.
            measured([*extract, "blocks"], out)
            row(name, f"{int(count):,}", seconds, [markdown, report], max(mb, most, report_mb), caps, reader.apply(missing, (out, texts)))
            os.remove(page)

        bodies = [
            ("gzip bomb of 1 GB", [("Content-Encoding: gzip", bomb(1))], [BEFORE]),
            ("gzip bomb of 1 GB in gzip", [("Content-Encoding: gzip, gzip", bomb(2))], [BEFORE]),
        ]
        lies = [("Transfer-Encoding: chunked", chunked(sizes)) for sizes in LIES.values()]
        bodies.append((f"chunk sizes that lie ({', '.join(LIES)})", lies, [BEFORE, AFTER]))
        for name, records, texts in bodies:
            path, folder = os.path.join(work, "bodies.warc.gz"), os.path.join(work, "run")
            archive(path, records)
            run = [arguments.trommel, "run", path, "-o", folder, "--overwrite", "-f", "jsonl", "--compress", "none", "-j", "1"]
            seconds, mb = measured(run, out)
            with open(os.path.join(folder, "bodies.jsonl")) as lines:
                documents = [json.loads(line) for line in lines]
            notes = {
                note.strip()
                for document in documents
                for note in [*document["notes"].split(";"), *document["capped"].split(",")]
                if note.strip()
            }
            lost = [text for document in documents for text in texts if text not in document["text"]]
            lost += ["a document"] * (len(records) - len(documents))
            size = sum(len(body) for _, body in records)
            row(name, f"{size:,} B", seconds, [], mb, sorted(notes), lost)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
