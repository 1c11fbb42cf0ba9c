#!/usr/bin/env python3
"""Records of each archive as warcio, FastWARC and trommel read them, as a Markdown table.

    pip install warcio fastwarc
    cargo build --release -p trommel-archive --example records
    scripts/compare-readers.py target/release/examples/records FOLDER

A reader that stops early counts with the records before; `!` marks it. FastWARC is not strict and not asked to parse
HTTP, warcio is asked for no digests: the most lenient setting of both. Ends with 1 if trommel gives fewer
records than another reader for any file.
"""

import subprocess
import sys
from pathlib import Path

from fastwarc.warc import ArchiveIterator as FastWarc
from warcio.archiveiterator import ArchiveIterator as Warcio


def count(records):
    """Number of records, and whether the reader ended with an error."""
    number = 0
    try:
        for record in records:
            # Bytes that can't be read are noticed only when they are wanted.
            stream = getattr(record, "raw_stream", None) or record.reader
            number += 1
            while stream.read(65536):
                pass
    except Exception:  # any error at all ends a reader
        return number, True
    return number, False


def warcio(path):
    with open(path, "rb") as file:
        return count(Warcio(file, arc2warc=True, no_record_parse=True))


def fastwarc(path):
    with open(path, "rb") as file:
        try:
            return count(FastWarc(file, parse_http=False, strict_mode=False))
        except Exception:
            return 0, True


def main():
    program, folder = sys.argv[1:3]
    paths = sorted(
        path for path in Path(folder).iterdir() if path.suffix != ".md" and path.is_file()
    )
    lines = subprocess.run(
        [program, *map(str, paths)], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    print("| file | warcio | FastWARC | trommel | damage | bytes lost |")
    print("|---|---:|---:|---:|---:|---:|")
    fewer = 0
    for path, line in zip(paths, lines, strict=True):
        _, records, damage, lost, refusal = line.split("\t")
        others = [warcio(path), fastwarc(path)]
        shown = [f"{number}{'!' if failed else ''}" for number, failed in others]
        if int(records) < max(number for number, _ in others):
            fewer += 1
            records = f"**{records}**"
        if refusal:
            records = "refused"
        print(f"| {path.name} | {shown[0]} | {shown[1]} | {records} | {damage} | {lost} |")
    sys.exit(1 if fewer else 0)


if __name__ == "__main__":
    main()
