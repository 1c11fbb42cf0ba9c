#!/usr/bin/env python3
"""Records of each archive as warcio, FastWARC and trommel read them, as a Markdown table.

    pip install warcio fastwarc
    cargo build --release -p trommel-archive --example records
    scripts/compare-readers.py target/release/examples/records FOLDER

The column `suite` has the records that the file's own test suite expects, where that says so: warcio's
test_archiveiterator.py (`refused`: an error is expected), FastWARC's test_warc.py; for ipwb, whose tests count
entries of an index, the mementos that the file's name states, a lower bound.

A reader that stops early counts with the records before; `!` marks it. FastWARC is not strict and not asked to parse
HTTP, warcio is asked for no digests: the most lenient setting of both. Ends with 1 if trommel gives fewer
records than another reader, or than the suite expects, for any file.
"""

import subprocess
import sys
from pathlib import Path

from fastwarc.warc import ArchiveIterator as FastWarc
from warcio.archiveiterator import ArchiveIterator as Warcio

# By the end of the file's name.
SUITES = {
    "resiliparse__block-sized-records.warc": "3",
    "resiliparse__block-sized-records.warc.gz": "3",
    "resiliparse__block-sized-records.warc.lz4": "3",
    "resiliparse__clipped.warc.gz": "≥1",
    "resiliparse__warcfile.warc": "50",
    "resiliparse__warcfile.warc.gz": "50",
    "resiliparse__warcfile.warc.lz4": "50",
    "ipwb__1memento.warc": "≥1",
    "ipwb__1memento_noContentType.warc": "≥1",
    "ipwb__2mementos.warc": "≥2",
    "ipwb__2mementos_htmlXhtml.warc": "≥2",
    "ipwb__2mementos_queryString.warc": "≥2",
    "ipwb__3mementos.warc": "≥3",
    "ipwb__4mementos.warc": "≥4",
    "ipwb__5mementos.warc": "≥5",
    "ipwb__5mementosAndFroggie.warc": "≥6",
    "ipwb__broken.warc": "≥1",
    "warcio__bad.arc": "4",
    "warcio__example-bad-non-chunked.warc.gz": "refused",
    "warcio__example-bad.warc.gz.bad": "refused",
    "warcio__example-iana.org-chunked.warc": "3",
    "warcio__example-resource.warc.gz": "3",
    "warcio__example-trunc.warc": "4",
    "warcio__example.arc": "2",
    "warcio__example.arc.gz": "2",
    "warcio__example.warc": "6",
    "warcio__example.warc.gz": "6",
}


def suite(name):
    return next((number for end, number in SUITES.items() if name.endswith(end)), "-")


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
    print("| file | suite | warcio | FastWARC | trommel | damage | bytes lost |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    fewer = 0
    for path, line in zip(paths, lines, strict=True):
        _, records, damage, lost, refusal = line.split("\t")
        others = [warcio(path), fastwarc(path)]
        shown = [f"{number}{'!' if failed else ''}" for number, failed in others]
        own = suite(path.name)
        least = own.removeprefix("≥")
        wanted = [number for number, _ in others] + [int(least) if least.isdigit() else 0]
        if int(records) < max(wanted):
            fewer += 1
            records = f"**{records}**"
        if refusal:
            records = "refused"
        print(f"| {path.name} | {own} | {shown[0]} | {shown[1]} | {records} | {damage} | {lost} |")
    sys.exit(1 if fewer else 0)


if __name__ == "__main__":
    main()
