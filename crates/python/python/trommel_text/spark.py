"""Spark: `spark.read.format("trommel").load(paths)`, and functions for `mapInArrow`.

    spark.dataSource.register(trommel_text.spark.TrommelDataSource)
    documents = spark.read.format("trommel").option("reports", "out/_shards").load("crawl/*.warc.gz")

One archive is one partition. Options: the keywords of `trommel_text.Extractor` (`include` and `exclude` with commas
between roles), which win over `config`, the path of a configuration file or JSON; `jobs`, threads in a task (1);
`batchSize`, rows in a batch (1024); `reports`, a folder for the counts of each archive, which
`trommel_text.shards.merge` adds up; `onError`, `report` (an archive that cannot be read is logged and gives no rows)
or `fail`; `filterPushdown`, `true` in sessions with `spark.sql.python.filterPushdown.enabled`: conditions on `language`,
`status`, `confidence` and `file_path` are then asked of the archives (Spark refuses readers that could take filters where
that setting is off, which it is unless somebody changes it). Other options, and values that mean nothing, are refused.
"""

from __future__ import annotations

import glob
import logging
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    InputPartition,
)
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from . import _native, shards
from ._options import Options

__all__ = ["TrommelDataSource", "extract_in_arrow", "extract_schema", "read_in_arrow", "document_schema"]

_LOG = logging.getLogger("trommel_text")


def document_schema(
    blocks: bool | None = None,
    spans: bool | None = None,
    tables: bool | None = None,
    config: dict[str, Any] | str | None = None,
) -> StructType:
    """The columns of documents of archives: those that are only there on request by `config`, unless it is said here."""
    return from_arrow_schema(pa.schema(_native.document_schema(blocks, spans, tables, config=config)))


def _found(paths: list[str]) -> list[str]:
    found: list[str] = []
    for path in paths:
        local = path.removeprefix("file://")
        if "://" in local or not (any(sign in local for sign in "*?[") or os.path.isdir(local)):
            found.append(local)
        elif os.path.isdir(local):
            names = (".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz", ".wacz")
            found.extend(sorted(str(file) for file in Path(local).rglob("*") if file.name.endswith(names)))
        else:
            found.extend(sorted(glob.glob(local)))
    return found


class TrommelDataSource(DataSource):
    """The documents of archives."""

    @classmethod
    def name(cls) -> str:
        return "trommel"

    def schema(self) -> StructType:
        options = Options(self.options)
        return document_schema(config=options.config, **options.choices)

    def reader(self, schema: StructType) -> DataSourceReader:
        options = Options(self.options)
        return (_PushingReader if options.flag("filterpushdown") else _Reader)(options)


class _Archive(InputPartition):
    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class _Reader(DataSourceReader):
    def __init__(self, options: Options) -> None:
        self.options = options
        self.paths = _found(options.paths())
        self.pushed: dict[str, Any] = {}

    def partitions(self) -> list[InputPartition]:
        return [_Archive(path) for path in self.paths]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        config = self.options.config
        if self.pushed:
            config = dict(config or {})
            config["filters"] = {**self.pushed, **config.get("filters", {})}
        batches = _native.read_warc(
            partition.path,
            config=config,
            jobs=self.options.jobs,
            batch_size=self.options.batch_size,
            **self.options.choices,
        )
        yield from reported(batches, partition.path, self.options.reports, self.options.on_error)


class _PushingReader(_Reader):
    """Takes what it can of the conditions of a query."""

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:
        config = self.options.config
        # Which of two copies is dropped depends on what came before: nothing may be left out earlier.
        free = config is None or (isinstance(config, dict) and "duplicates" not in config.get("filters", {}))
        for one in filters:
            if free:
                self._push(one)
            # Spark asks again: what is pushed may let more through.
            yield one

    def _push(self, one: Filter) -> None:
        name = one.attribute[0] if len(getattr(one, "attribute", ())) == 1 else None
        if isinstance(one, EqualTo):
            values = [one.value]
        elif isinstance(one, In):
            values = list(one.value)
        else:
            values = []
        if name == "file_path" and values:
            self.paths = [path for path in self.paths if path in values]
        elif name == "language" and values and all(isinstance(value, str) for value in values):
            self._try("languages", values)
        elif name == "status" and values:
            self._try("status", values)
        elif name == "confidence" and isinstance(one, (GreaterThan, GreaterThanOrEqual)):
            # Confidences have single precision: a hair less, so that no row is lost by rounding.
            self._try("min_confidence", max(0.0, float(one.value) - 1e-6))

    def _try(self, key: str, value: Any) -> None:
        pushed = {**self.pushed, key: value}
        try:
            _native.check_config({"filters": pushed})
        except ValueError:
            return
        self.pushed = pushed


def reported(batches: Any, path: str, reports: str | None, on_error: str | None = None) -> Iterator[pa.RecordBatch]:
    """The batches of an archive as pyarrow's; its counts are written at their end."""
    try:
        for batch in batches:
            yield pa.record_batch(batch)
    except _native.ArchiveError as error:
        if on_error == "fail":
            raise
        _LOG.warning("%s", error)
    if reports and batches.summary is not None:
        shards.write_report(reports, path, batches.summary)


def extract_schema(keep: StructType | None = None, blocks: bool = False) -> StructType:
    """The schema of what `extract_in_arrow` gives: the fields that are kept, then those of documents."""
    fields = from_arrow_schema(pa.schema(_native.extract_batch([], blocks=blocks))).fields
    kept = list(keep.fields) if keep else []
    names = {field.name for field in kept}
    return StructType(kept + [field for field in fields if field.name not in names])


def extract_in_arrow(
    content: str = "content", url: str | None = None, keep: Iterable[str] = (), **choices: Any
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A function for `mapInArrow`: the column `content` holds pages (binary or text), `url` their URLs; the columns
    `keep` go along. `choices` are those of `trommel_text.Extractor`. One thread: Spark runs a task a core."""
    keep = tuple(keep)

    def extract(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        extractor = _native.Extractor(**choices)
        for batch in batches:
            urls = batch.column(url) if url else None
            made = pa.record_batch(extractor.extract_batch(batch.column(content), urls=urls, threads=1))
            own = [name for name in made.schema.names if name not in keep]
            columns = [batch.column(name) for name in keep] + [made.column(name) for name in own]
            yield pa.RecordBatch.from_arrays(columns, names=[*keep, *own])

    return extract


def read_in_arrow(
    path: str = "path", reports: str | None = None, config: dict[str, Any] | str | None = None, **choices: Any
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A function for `mapInArrow` over a column of paths of archives, for Spark before 4: their documents. The schema
    is `document_schema(config=config)`. `choices` are those of `trommel_text.Extractor` and win over `config`.
    Repartition so that a partition has few archives."""

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for one in batch.column(path).to_pylist():
                yield from reported(_native.read_warc(one, config=config, jobs=1, **choices), one, reports)

    return read
