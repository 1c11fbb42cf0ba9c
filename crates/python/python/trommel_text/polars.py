"""Polars: archives as a lazy frame, and an expression for frames of pages.

    documents = trommel_text.polars.scan_warc("crawl/*.warc.gz").filter(pl.col("lang") == "de").collect()
    documents = pages.with_columns(document=trommel_text.polars.extract("html", url="url"))
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

import polars as pl
import pyarrow as pa
from polars.io.plugins import register_io_source

from . import _archives, _native
from ._archives import Reading

__all__ = ["extract", "scan_warc"]


def scan_warc(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], **options: Any) -> pl.LazyFrame:
    """Returns a lazy frame of the documents of archives, which are read when it is collected. `paths` may be
    folders and patterns. `options` are `reports`, `config`, `jobs` (threads; by default all cores), `on_error`
    (`report` or `fail`), `batch_size` and the keywords of `trommel_text.read_warc`, which override `config`.
    """
    reading = Reading(**{"jobs": os.cpu_count() or 1, **options})
    files = _archives.found(paths)

    def frames(
        columns: list[str] | None, predicate: pl.Expr | None, rows: int | None, _batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        for path in files:
            for batch in reading.batches(path):
                if rows is not None:
                    batch = batch.slice(0, rows)
                    rows -= batch.num_rows
                frame = pl.DataFrame(batch)
                if predicate is not None:
                    frame = frame.filter(predicate)
                yield frame if columns is None else frame.select(columns)
                if rows == 0:
                    return

    return register_io_source(frames, schema=pl.DataFrame(reading.schema().empty_table()).schema)


def extract(content: str | pl.Expr, url: str | pl.Expr | None = None, **choices: Any) -> pl.Expr:
    """Returns a struct with the columns of `trommel_text.extract_batch` for each page of the column `content`
    (binary or text). `choices` are the keywords of `trommel_text.Extractor`.
    """
    extractor = _native.Extractor(**choices)

    def documents(pages: pl.Series) -> pl.Series:
        page, urls = pages.struct.field("content"), pages.struct.field("url")
        batch = extractor.extract_batch(page.to_arrow(), urls=urls.to_arrow())
        return pl.DataFrame(pa.record_batch(batch)).to_struct(pages.name)

    expression = pl.col(content) if isinstance(content, str) else content
    place = pl.lit(None, pl.String) if url is None else pl.col(url) if isinstance(url, str) else url
    given = pl.struct(content=expression, url=place)
    columns = pl.DataFrame(pa.record_batch(extractor.extract_batch([]))).schema
    return given.map_batches(documents, return_dtype=pl.Struct(columns), is_elementwise=True)
