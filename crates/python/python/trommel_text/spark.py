"""Spark: `spark.read.format("trommel").load(paths)`, and functions for `mapInArrow`.

    spark.dataSource.register(trommel_text.spark.TrommelDataSource)
    documents = spark.read.format("trommel").option("reports", "out/_shards").load("crawl/*.warc.gz")

One archive is one partition. Options are:

- the keywords of `trommel_text.Extractor` (with commas between the roles of `include` and `exclude`), which override
  `config`;
- `config`: the path of a configuration file, or JSON;
- `jobs`: threads of a task (1), and `batchSize`: rows of a batch (1024);
- `reports`: a folder for the counts of each archive, which `trommel_text.shards.merge` adds up;
- `onError`: `report` (an archive that cannot be read is logged and gives no rows) or `fail`;
- `filterPushdown`: `true` applies conditions on `language`, `status`, `confidence` and `file_path` while reading. It
  needs `spark.sql.python.filterPushdown.enabled` in the session, which is off by default.

Other options and invalid values are refused.
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
    """The columns of documents of archives. `config` or `choices` select the optional ones."""
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
    """A reader that applies some conditions of a query while reading."""

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
        elif name == "lang" and values and all(isinstance(value, str) for value in values):
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
    """The schema of the result of `extract_in_arrow`: the kept columns, then those of documents."""
    fields = from_arrow_schema(pa.schema(_native.extract_batch([], blocks=blocks))).fields
    kept = list(keep.fields) if keep else []
    names = {field.name for field in kept}
    return StructType(kept + [field for field in fields if field.name not in names])


def extract_in_arrow(
    content: str = "content", url: str | None = None, keep: Iterable[str] = (), **choices: Any
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A function for `mapInArrow`. The column `content` has pages (binary or text), and `url` their URLs; it also
    returns the columns in `keep`. `choices` are the keywords of `trommel_text.Extractor`. It uses one thread,
    because Spark runs a task on each core.
    """
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
    """A function for `mapInArrow` that turns a column of paths of archives into their documents, for Spark before
    version 4. The schema is `document_schema(config=config)`. `choices` are the keywords of
    `trommel_text.Extractor` and override `config`. Repartition the table so that each partition has few
    archives.
    """

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        reading = Reading(reports, config, **choices)
        for batch in batches:
            for one in batch.column(path).to_pylist():
                yield from reading.batches(one)

    return read
