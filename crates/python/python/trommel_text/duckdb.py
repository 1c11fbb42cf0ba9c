"""DuckDB: archives as a stream of Arrow, and functions for SQL.

    documents = trommel_text.duckdb.read_warc("crawl/*.warc.gz")
    duckdb.sql("SELECT lang, count(*) FROM documents GROUP BY lang")

    trommel_text.duckdb.register(connection)
    connection.sql("SELECT url, extract_text(html, url) FROM pages")
    connection.sql("SELECT url, title FROM read_warc('crawl/*.warc.gz')")
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

import duckdb
import pyarrow as pa

from . import _archives, _native
from ._archives import Reading

__all__ = ["read_warc", "register"]


def read_warc(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], **options: Any
) -> pa.RecordBatchReader:
    """Returns the documents of archives as a stream for one query, which names the variable of the stream. `paths`
    may be folders and patterns. `options` are `reports`, `config`, `jobs` (threads; by default all cores),
    `on_error` (`report` or `fail`) and the keywords of `trommel_text.read_warc`, which override `config`.
    """
    reading = Reading(**{"jobs": os.cpu_count() or 1, **options})

    def batches() -> Iterator[pa.RecordBatch]:
        for path in _archives.found(paths):
            yield from reading.batches(path)

    return pa.RecordBatchReader.from_batches(reading.schema(), batches())


def register(
    connection: duckdb.DuckDBPyConnection, extractor: _native.Extractor | None = None, **options: Any
) -> None:
    """Gives a connection two functions. `extract_text(content, url)` returns the text of a page (a `BLOB`; the URL
    may be `NULL`), by `extractor`. The table function `read_warc(paths)` returns the documents of an archive, a
    folder or a pattern. `options` are those of `read_warc` above. The table function holds all documents of its
    archives (at most 2048) in memory; a stream does not.
    """
    reading = Reading(**{"jobs": os.cpu_count() or 1, **options})
    pages = extractor or _native.Extractor()
    documents_type = pa.list_(pa.struct(list(reading.schema())))

    def extract_text(content: pa.ChunkedArray, url: pa.ChunkedArray) -> pa.Array:
        return pa.record_batch(pages.extract_batch(content, urls=url)).column("text")

    def archives(paths: pa.ChunkedArray) -> pa.Array:
        return pa.array([_archives.found(path) for path in paths.to_pylist()], pa.list_(pa.string()))

    def documents(files: pa.ChunkedArray) -> pa.Array:
        rows = [[row for batch in reading.batches(file) for row in batch.to_pylist()] for file in files.to_pylist()]
        return pa.array(rows, documents_type)

    empty = reading.schema().empty_table()
    types = duckdb.from_arrow(empty).types
    row = duckdb.struct_type(dict(zip(empty.column_names, types)))
    special = {"type": "arrow", "null_handling": "special"}
    connection.create_function("extract_text", extract_text, ["BLOB", "VARCHAR"], "VARCHAR", **special)
    connection.create_function("trommel_archives", archives, ["VARCHAR"], "VARCHAR[]", type="arrow")
    connection.create_function("trommel_documents", documents, ["VARCHAR"], duckdb.list_type(row), type="arrow")
    connection.execute(
        "CREATE OR REPLACE TEMP MACRO read_warc(paths) AS TABLE SELECT unnest(document) FROM ("
        "SELECT unnest(trommel_documents(file)) AS document FROM (SELECT unnest(trommel_archives(paths)) AS file))"
    )
