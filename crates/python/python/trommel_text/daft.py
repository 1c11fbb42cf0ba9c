"""Daft: archives as a data frame, and functions for frames of pages or records.

    documents = trommel_text.daft.read_warc("crawl/*.warc.gz", reports="out/_shards")
    documents = pages.with_column("document", trommel_text.daft.extract(pages["html"], pages["url"]))
    documents = daft.datasets.common_crawl("CC-MAIN-2026-43").with_column("document", trommel_text.daft.from_records())
"""

from __future__ import annotations

import asyncio
import io
import json
import os
from collections.abc import AsyncIterator, Iterable
from typing import Any

import daft
import pyarrow as pa
from daft import DataType, Expression, Series, col
from daft.io.source import DataSource, DataSourceTask
from daft.recordbatch import RecordBatch
from daft.schema import Schema

from . import _archives, _native
from ._archives import Reading

__all__ = ["extract", "from_records", "read_warc"]


class _Archives(DataSource):
    """Reads the documents of archives, with one task for each archive."""

    def __init__(self, paths: list[str], reading: Reading) -> None:
        self.paths = paths
        self.reading = reading
        self.columns = Schema.from_pyarrow_schema(reading.schema())

    @property
    def name(self) -> str:
        return "trommel"

    @property
    def schema(self) -> Schema:
        return self.columns

    async def get_tasks(self, pushdowns: Any) -> AsyncIterator[DataSourceTask]:
        for path in self.paths:
            yield _Archive(path, self.reading, self.columns)


class _Archive(DataSourceTask):
    def __init__(self, path: str, reading: Reading, columns: Schema) -> None:
        self.path, self.reading, self.columns = path, reading, columns

    @property
    def schema(self) -> Schema:
        return self.columns

    async def read(self) -> AsyncIterator[RecordBatch]:
        batches = self.reading.batches(self.path)
        # On a thread, as waiting here would stop the other archives.
        while (batch := await asyncio.to_thread(next, batches, None)) is not None:
            yield RecordBatch.from_arrow_record_batches([batch], batch.schema)


def read_warc(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], **options: Any) -> daft.DataFrame:
    """Returns the documents of archives; `paths` may be folders and patterns. `options` are `reports`, `config`,
    `jobs`, `on_error` (`report` or `fail`) and the keywords of `trommel_text.read_warc`, which override
    `config`.
    """
    return _Archives(_archives.found(paths), Reading(**options)).read()


def _as_struct(batch: pa.RecordBatch) -> pa.StructArray:
    return pa.StructArray.from_arrays(batch.columns, fields=list(batch.schema))


def extract(content: Expression, url: Expression | None = None, **choices: Any) -> Expression:
    """Returns a struct with the columns of `trommel_text.extract_batch` for each page of the column `content`
    (binary or text). `choices` are the keywords of `trommel_text.Extractor`.
    """
    extractor = _native.Extractor(**choices)
    columns = pa.schema(extractor.extract_batch([]))

    @daft.func.batch(return_dtype=DataType.from_arrow_type(pa.struct(list(columns))))
    def document(pages: Series, urls: Series) -> Any:
        batch = extractor.extract_batch(_arrow(pages), urls=_arrow(urls), threads=1)
        return _as_struct(pa.record_batch(batch))

    return document(content, daft.lit(None).cast(DataType.string()) if url is None else url)


def _arrow(series: Series) -> pa.Array:
    array = series.to_arrow()
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def from_records(
    id: str = "WARC-Record-ID",
    url: str = "WARC-Target-URI",
    kind: str = "WARC-Type",
    date: str = "WARC-Date",
    headers: str = "warc_headers",
    content: str = "warc_content",
    **choices: Any,
) -> Expression:
    """Returns a document as a struct for each row of `daft.read_warc` or `daft.datasets.common_crawl`; null for
    records that are not pages. It rebuilds records from the rows, so that HTTP headers and codings are read as
    in an archive. `choices` are the keywords of `trommel_text.read_warc`. Places are unknown: prefer `read_warc`
    if you have the archives.
    """
    reading = Reading(**choices)
    columns = pa.struct(list(reading.schema()))

    @daft.func.batch(return_dtype=DataType.from_arrow_type(columns))
    def document(ids: Series, urls: Series, kinds: Series, dates: Series, heads: Series, contents: Series) -> Any:
        rows = zip(*(series.to_pylist() for series in (ids, urls, kinds, dates, heads, contents)))
        records = [_record(*row) for row in rows]
        archive = io.BytesIO(b"".join(records))
        made = [pa.record_batch(one) for one in _native.read_warc(archive, jobs=1, config=reading.config, **reading.choices)]
        found = {row["id"]: row for batch in made for row in batch.to_pylist()}
        return pa.array([found.get(_named(one)[1:-1]) for one in ids.to_pylist()], columns)

    return document(col(id), col(url), col(kind), col(date), col(headers), col(content))


def _named(record_id: str) -> str:
    return record_id if record_id.startswith("<") else f"<urn:uuid:{record_id}>"


def _record(record_id: str, url: str | None, kind: str, date: Any, headers: str | None, content: bytes | None) -> bytes:
    """The stored form of a record that Daft has divided into columns."""
    content = content or b""
    lines = {
        "WARC-Record-ID": _named(record_id),
        "WARC-Target-URI": url,
        "WARC-Type": kind,
        "WARC-Date": date.strftime("%Y-%m-%dT%H:%M:%SZ") if date else "",
        "Content-Length": str(len(content)),
        **json.loads(headers or "{}"),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value)
    return f"WARC/1.0\r\n{head}\r\n".encode() + content + b"\r\n\r\n"
