#!/usr/bin/env python3
"""Makes a labelled set (NAME.warc.gz, NAME.gold.jsonl.gz) of the labels in labels/ and the archives they are of.

    scripts/own-labels.py DATA WARC OUT [--labels labels/pages.jsonl] [--program trommel] [--without listing,service]

DATA, WARC and OUT are folders with the archives that the labels name. Only labels stand in the tree; the pages keep
their owners' rights and stay where they are. A page whose blocks are no longer those that were labelled is
named and left out.
"""

import argparse
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib
from collections import defaultdict

CONTENT = {"body", "headline", "ingredient", "step", "caption", "question-answer", "card", "specification"}
COMMENTS = {"comment", "review"}


def blocks_of(program, archive):
    """The records of an archive with all their blocks, by id."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "blocks.jsonl")
        command = [program, "run", archive, "-o", out, "--blocks", "--quiet"]
        code = subprocess.run(command).returncode
        if code not in (0, 1):
            sys.exit(f"{archive}: `trommel run` ended with {code}")
        with open(out, encoding="utf-8") as lines:
            return {record["id"]: record for record in map(json.loads, lines)}


def stored(archive, record):
    """The record of a page as a gzip member of its own, ARC as WARC; none if its bytes are damaged."""
    source = record["source"]
    with open(archive, "rb") as file:
        file.seek(source["offset"])
        raw = file.read(source["length"])
    try:
        if raw[:2] == b"\x1f\x8b":
            raw = gzip.decompress(raw)[source["inner"]:]
        if raw.startswith(b"WARC/"):
            head = raw.index(b"\r\n\r\n") + 4
            length = int(re.search(rb"(?im)^content-length:\s*(\d+)", raw[:head])[1])
            raw = raw[: head + length]
            if b"\r\nwarc-record-id:" not in raw[:head].lower():
                version, _, rest = raw.partition(b"\r\n")
                raw = version + f"\r\nWARC-Record-ID: <{record['id']}>\r\n".encode() + rest
        else:
            line, _, block = raw.partition(b"\n")
            block = block[: int(line.rsplit(b" ", 1)[1])]
            head = (
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <{record['id']}>\r\n"
                f"WARC-Target-URI: {record['url']}\r\nWARC-Date: {record['date']}\r\n"
                f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
            )
            raw = head.encode() + block
    except (OSError, EOFError, ValueError, TypeError, IndexError, zlib.error):
        return None
    return gzip.compress(raw + b"\r\n\r\n", mtime=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("warc", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    folder = pathlib.Path(__file__).resolve().parent.parent / "labels"
    parser.add_argument("--labels", type=pathlib.Path, default=folder / "pages.jsonl")
    parser.add_argument("--program", default="trommel")
    parser.add_argument("--without", default="", help="page types to leave out, divided by commas")
    args = parser.parse_args()
    by_archive = defaultdict(list)
    for line in args.labels.read_text(encoding="utf-8").splitlines():
        label = json.loads(line)
        if label["page_type"] in args.without.split(","):
            continue
        by_archive[label["archive"]].append(label)
    args.out.mkdir(parents=True, exist_ok=True)
    pages = open(args.out / "own-labels.warc.gz", "wb")
    golds = gzip.GzipFile(args.out / "own-labels.gold.jsonl.gz", "wb", mtime=0)
    written = missing = 0
    for name, own in sorted(by_archive.items()):
        places = [folder / name for folder in (args.data, args.warc, args.out) if (folder / name).exists()]
        if not places:
            print(f"{name}: not found", file=sys.stderr)
            missing += len(own)
            continue
        records = blocks_of(args.program, places[0])
        for label in own:
            record = records.get(label["record_id"])
            spans = {(block["start"], block["end"]) for block in record["blocks"]} if record else set()
            roles = {(start, end): role for start, end, role in label["blocks"]}
            member = stored(places[0], record) if record else None
            if member is None or not roles.keys() <= spans:
                print(f"{name}: {label['record_id']}: not the page that was labelled", file=sys.stderr)
                missing += 1
                continue
            of = [(block, roles.get((block["start"], block["end"]), "navigation")) for block in record["blocks"]]

            def text(wanted):
                return "\n".join(block["text"] for block, role in of if role in wanted)

            gold = {
                "record_id": label["record_id"],
                "url": label["url"],
                "gold": text(CONTENT),
                "gold_comments": text(COMMENTS),
                "page_type": label["page_type"],
                "lang": label["lang"],
                "blocks": [{"span": [block["start"], block["end"]], "role": role} for block, role in of],
            }
            golds.write(json.dumps(gold, ensure_ascii=False).encode() + b"\n")
            pages.write(member)
            written += 1
    golds.close()
    pages.close()
    print(f"{written} pages in {args.out}/own-labels.warc.gz, {missing} left out")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
