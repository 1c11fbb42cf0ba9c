"""Reads what trommel wrote with the readers of each format, and compares it with the JSON lines.

    check-formats.py FOLDER

FOLDER holds x.jsonl and, as far as they are to be checked, x.wet.gz, x.parquet, blocks.parquet,
x.anserini.jsonl.gz, x.trec.gz and x.bulk.ndjson, all of the same archive. Prints a line a check; the exit code is 1 if one
failed. A check whose reader is not installed is skipped, which is said.
"""

import gzip
import html
import importlib
import json
import os
import pathlib
import re
import sys
import time
from datetime import datetime, timezone

# Spark gives times without a zone, in that of this process.
os.environ["TZ"] = "UTC"
time.tzset()
folder = pathlib.Path(sys.argv[1])
documents = [json.loads(line) for line in open(folder / "x.jsonl", encoding="utf-8")]
with_text = [d for d in documents if d["text"]]
failed = False


def titled(document):
    """The title in one line, then the text."""
    title = re.sub(r"[\r\n]", " ", document["title"] or "")
    return (title + "\n" if title else "") + document["text"]


def check(name, file, reader=None):
    """A check of FOLDER/file, which needs the module `reader`."""

    def run(body):
        global failed
        path = folder / file
        if not path.exists():
            return
        try:
            module = importlib.import_module(reader) if reader else None
        except ImportError:
            print(f"skip  {name}: {reader} is not installed")
            return
        try:
            print(f"ok    {name}: {body(path, module)}")
        except Exception as error:
            failed = True
            print(f"FAIL  {name}: {type(error).__name__}: {error}")

    return run


def equal(found, expected, what):
    assert len(found) == len(expected), f"{len(found)} {what}, not {len(expected)}"
    for at, (one, other) in enumerate(zip(found, expected)):
        assert one == other, f"{what} {at}: {one!r:.300} is not {other!r:.300}"


@check("WET by warcio", "x.wet.gz", "warcio.archiveiterator")
def _(path, warcio):
    found = []
    with open(path, "rb") as file:
        for number, record in enumerate(warcio.ArchiveIterator(file, check_digests="raise")):
            if number == 0:
                assert record.rec_type == "warcinfo", record.rec_type
                continue
            head = record.rec_headers
            assert record.rec_type == "conversion", record.rec_type
            assert head.get_header("Content-Type") == "text/plain"
            found.append(
                (
                    head.get_header("WARC-Refers-To"),
                    head.get_header("WARC-Target-URI"),
                    record.content_stream().read().decode(),
                )
            )
    equal(found, [(f"<{d['id']}>", d["url"], titled(d)) for d in with_text], "records")
    return f"{len(found)} records, digests right"


@check("WET by FastWARC", "x.wet.gz", "fastwarc.warc")
def _(path, fastwarc):
    found = []
    with open(path, "rb") as file:
        for record in fastwarc.ArchiveIterator(file, record_types=fastwarc.WarcRecordType.conversion):
            assert record.verify_block_digest(), record.record_id
            found.append(record.reader.read().decode())
    equal(found, [titled(d) for d in with_text], "records")
    return f"{len(found)} records, digests right"


@check("WET by position, as cc_net reads it", "x.wet.gz")
def _(path, _module):
    lines = gzip.open(path, "rt", encoding="utf-8", newline="").read().split("WARC/1.0\r\n")
    assert lines[0] == "" and lines[1].startswith("WARC-Type: warcinfo\r\n")
    found = []
    for text in lines[2:]:
        head, body = text.split("\r\n\r\n", 1)
        head = head.split("\r\n")
        assert head[0] == "WARC-Type: conversion", head[0]
        url = head[1].removeprefix("WARC-Target-URI: ")
        assert head[2].startswith("WARC-Date: ") and head[2].endswith("Z")
        assert head[3].startswith("WARC-Record-ID: <urn:uuid:")
        assert head[4].startswith("WARC-Refers-To: <urn:uuid:")
        digest = head[5].removeprefix("WARC-Block-Digest: ")
        assert re.fullmatch(r"sha1:[A-Z2-7]{32}", digest), digest
        if head[6].startswith("WARC-Identified-Content-Language: "):
            assert re.fullmatch(r"[a-z]{3}", head.pop(6).split(": ")[1])
        assert head[6] == "Content-Type: text/plain", head[6]
        length = int(head[7].removeprefix("Content-Length: "))
        block = body.encode()
        assert block[length:] == b"\r\n\r\n", block[length:]
        found.append((url, block[:length].decode()))
    equal(found, [(d["url"], titled(d)) for d in with_text], "records")
    return f"{len(found)} records"


COLUMNS = {"text": "text", "id": "id", "url": "url", "date": "date", "lang": "lang", "title": "title"}


def instant(moment):
    """A time with its zone."""
    return moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)


def compare(rows):
    for column, key in COLUMNS.items():
        equal([row[column] or "" for row in rows], [d[key] for d in documents], column)
    places = {"source_offset": "offset", "source_length": "length", "file_path": "file", "source_name": "name"}
    for column, key in places.items():
        equal([row[column] for row in rows], [d["source"][key] for d in documents], column)
    for key in ["author", "headings"]:
        equal([list(row[key]) for row in rows], [d[key] for d in documents], key)
    equal([instant(row["fetched_at"]) for row in rows], [instant(datetime.strptime(d["date"], "%Y-%m-%dT%H:%M:%SZ")) for d in documents], "fetched_at")
    for key in ["published", "modified"]:
        days = [row[f"{key}_at"] and f"{instant(row[f'{key}_at']):%Y-%m-%d}" for row in rows if row[f"{key}_precision"] == "day"]
        equal(days, [d[key] for d in documents if len(d[key]) == 10], f"{key}_at")
    return f"{len(rows)} rows, {len(rows[0]) if rows else 0} columns"


@check("Parquet by pyarrow", "x.parquet", "pyarrow.parquet")
def _(path, parquet):
    meta = parquet.ParquetFile(path).metadata
    assert meta.row_group(0).column(0).compression == "ZSTD"
    return compare(parquet.read_table(path).to_pylist())


@check("Parquet by DuckDB", "x.parquet", "duckdb")
def _(path, duckdb):
    found = duckdb.sql(f"select * from read_parquet('{path}')")
    rows = [dict(zip(found.columns, row)) for row in found.fetchall()]
    words = duckdb.sql(f"select sum(word_count) from read_parquet('{path}')").fetchall()[0][0]
    return f"{compare(rows)}, {words} words"


@check("Parquet by polars", "x.parquet", "polars")
def _(path, polars):
    return compare(polars.read_parquet(path).to_dicts())


@check("Parquet by Spark", "x.parquet", "pyspark.sql")
def _(path, sql):
    session = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = session.config("spark.sql.session.timeZone", "UTC").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    found = spark.read.parquet(str(path)).orderBy("source_offset", "source_inner")
    rows = [row.asDict(recursive=True) for row in found.collect()]
    spark.stop()
    return compare(rows)


def check_blocks(rows):
    """The text is made of the blocks that are kept."""
    assert len(rows) == len(documents)
    count = 0
    for row, document in zip(rows, documents):
        words = set(re.findall(r"\w+", document["text"]))
        kept = set()
        for block in row["blocks"]:
            assert 0 <= block["probability"] <= 1 and 0 <= block["start"] < block["end"], block
            count += 1
            if block["kept"]:
                kept.update(re.findall(r"\w+", block["text"]))
        assert words == kept, words ^ kept
    return f"{len(rows)} rows, {count} blocks"


@check("blocks in Parquet by pyarrow", "blocks.parquet", "pyarrow.parquet")
def _(path, parquet):
    return check_blocks(parquet.read_table(path).to_pylist())


@check("blocks in Parquet by DuckDB", "blocks.parquet", "duckdb")
def _(path, duckdb):
    found = duckdb.sql(f"select blocks from read_parquet('{path}')").fetchall()
    kept = f"select count(*) from (select unnest(blocks) b from read_parquet('{path}')) where b.kept"
    count = duckdb.sql(kept).fetchall()[0][0]
    return f"{check_blocks([{'blocks': blocks} for (blocks,) in found])}, {count} kept"


@check("Anserini JSON collection, by its rules", "x.anserini.jsonl.gz")
def _(path, _module):
    lines = [json.loads(line) for line in gzip.open(path, "rt", encoding="utf-8")]
    for line in lines:
        assert isinstance(line["id"], str) and isinstance(line["contents"], str)
        assert all(isinstance(value, str) for value in line.values()), line
        assert not re.search(r"\s", line["id"])
    assert len({line["id"] for line in lines}) == len(lines), "ids repeat"
    equal([line["contents"] for line in lines], [titled(d) for d in with_text], "documents")
    return f"{len(lines)} documents, ids unique"


@check("TREC web, line by line", "x.trec.gz")
def _(path, _module):
    found, inside = [], None
    for line in gzip.open(path, "rt", encoding="utf-8", newline="\n"):
        if line.strip().startswith("<DOC>"):
            assert inside is None
            inside = []
        elif line.strip().startswith("</DOC>"):
            text = "".join(inside)
            number, rest = re.match(r"<DOCNO>(\S+)</DOCNO>\n<DOCHDR>\n(?s:(.*))", text).groups()
            url, body = rest.split("\n</DOCHDR>\n", 1)
            body = re.sub(r"^<title>(.*)</title>\n", r"\1\n", body)
            found.append((number, url, html.unescape(body)))
            inside = None
        else:
            inside.append(line)
    assert inside is None
    equal([f[:2] for f in found], [(d["id"], d["url"]) for d in with_text], "documents")
    equal([f[2] for f in found], [titled(d) + "\n" for d in with_text], "texts")
    return f"{len(found)} documents"


@check("_bulk, by its rules", "x.bulk.ndjson")
def _(path, _module):
    body = path.read_bytes()
    assert body.endswith(b"\n") and b"\r" not in body
    lines = [json.loads(line) for line in body[:-1].split(b"\n")]
    ids = [line["create"]["_id"] for line in lines[::2]]
    assert all(len(i.encode()) <= 512 for i in ids) and len(set(ids)) == len(ids)
    equal(ids, [d["id"] for d in with_text], "ids")
    brief = [{k: v for k, v in d.items() if v or k in ("id", "text", "confidence")} for d in with_text]
    equal(lines[1::2], brief, "documents")
    mapping = json.load(open(folder / "x.bulk.mapping.json"))["mappings"]["properties"]
    assert mapping["date"]["type"] == "date" and set().union(*brief) <= set(mapping)
    return f"{len(ids)} documents"


sys.exit(failed)
