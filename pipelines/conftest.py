"""What the tests of the recipes share: archives, and what `trommel run` makes of them."""

import hashlib
import json
import os
import subprocess
import zlib
from pathlib import Path

import pytest
import trommel_text

ROOT = Path(__file__).resolve().parents[1]
ARCHIVES = 40


def members_of(path: Path, most: int) -> list[bytes]:
    """The first stored gzip members of an archive."""
    found = []
    with open(path, "rb") as file:
        inflate, member = zlib.decompressobj(31), bytearray()
        while len(found) < most and (piece := file.read(1 << 16)):
            while piece:
                inflate.decompress(piece)
                rest = inflate.unused_data
                member += piece[: len(piece) - len(rest)]
                piece = b""
                if inflate.eof:
                    found.append(bytes(member))
                    inflate, member, piece = zlib.decompressobj(31), bytearray(), rest
    return found[:most]


@pytest.fixture(scope="session")
def archives(tmp_path_factory) -> list[Path]:
    """40 archives with the records of all labelled sets, dealt out one by one; of the sample where these are absent.
    One is cut in the middle of a record, one is no archive."""
    shared = Path(os.environ.get("TROMMEL_SHARED", ROOT.parent / "shared")) / "data"
    sets = sorted(shared.glob("*.warc.gz")) or [ROOT / "samples" / "wcxb-sample.warc.gz"]
    most = int(os.environ.get("TROMMEL_RECORDS", "400"))
    folder = tmp_path_factory.mktemp("archives")
    paths = [folder / f"part-{number:02}.warc.gz" for number in range(ARCHIVES)]
    files = [open(path, "wb") for path in paths]
    number = 0
    for one in sets:
        for member in members_of(one, most):
            files[number % ARCHIVES].write(member)
            number += 1
    for file in files:
        file.close()
    cut = paths[7].read_bytes()
    paths[7].write_bytes(cut[: len(cut) * 2 // 3])
    paths[23].write_bytes(b"This is no archive.\n" * 100)
    return paths


@pytest.fixture(scope="session")
def expected(archives, tmp_path_factory) -> dict[str, str]:
    """Ids of the documents of `trommel run` and hashes of their texts. The program is `TROMMEL`, if that is set; else the
    same pipeline in the module."""
    out = tmp_path_factory.mktemp("expected")
    program = os.environ.get("TROMMEL")
    if program:
        done = subprocess.run([program, "run", *map(str, archives), "-o", str(out / "run"), "-f", "jsonl,parquet"])
        assert done.returncode == 1, "one archive is none"
    else:
        trommel_text.run([str(path) for path in archives], out / "run", format=["jsonl", "parquet"])
    import zstandard

    rows = []
    for path in sorted((out / "run").glob("*.jsonl.zst")):
        with zstandard.open(path, "rt", encoding="utf-8") as lines:
            rows += [json.loads(line) for line in lines]
    assert len(rows) > 100
    return hashes((row["id"], row["text"]) for row in rows)


def hashes(rows) -> dict[str, str]:
    """Texts by their ids, as hashes; an id that comes twice counts once, with a mark."""
    found: dict[str, str] = {}
    for name, text in rows:
        digest = hashlib.sha256(text.encode()).hexdigest()
        found[name] = f"{found[name]} {digest}" if name in found else digest
    return {name: " ".join(sorted(value.split())) for name, value in found.items()}


def descendants() -> dict[int, str]:
    """Processes that this one started, and those that they did, with their commands."""
    listed = subprocess.run(["ps", "-ewwo", "pid,ppid,args"], capture_output=True, text=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()[1:]]
    found = {os.getpid(): ""}
    while more := {int(row[0]): row[2] for row in rows if int(row[1]) in found and int(row[0]) not in found}:
        found |= more
    return found
