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

from collections.abc import Callable, Iterable, Iterator
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

from . import _archives, _native
from ._archives import Reading
from ._options import Options

__all__ = ["TrommelDataSource", "extract_in_arrow", "extract_schema", "read_in_arrow", "document_schema"]


def document_schema(config: dict[str, Any] | str | None = None, **choices: Any) -> StructType:
    """The columns of documents of archives: those that are only there on request by `config`, unless `choices` say it."""
    return from_arrow_schema(_archives.schema(config, choices))


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
        self.paths = _archives.found(options.paths())
        self.pushed: dict[str, Any] = {}

    def partitions(self) -> list[InputPartition]:
        return [_Archive(path) for path in self.paths]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        config = self.options.config
        if self.pushed:
            config = dict(config or {})
            config["filters"] = {**self.pushed, **config.get("filters", {})}
        reading = Reading(
            self.options.reports,
            config,
            self.options.jobs,
            self.options.on_error,
            self.options.batch_size,
            **self.options.choices,
        )
        yield from reading.batches(partition.path)


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
        reading = Reading(reports, config, **choices)
        for batch in batches:
            for one in batch.column(path).to_pylist():
                yield from reading.batches(one)

    return read
