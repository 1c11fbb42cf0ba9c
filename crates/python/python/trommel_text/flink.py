"""Flink: functions for tables of paths, and of pages.

    table.join_lateral(trommel_text.flink.documents()(col("path")).alias(*trommel_text.flink.COLUMNS))
    table.select(col("url"), trommel_text.flink.extract_text()(col("html"), col("url")))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pyflink.table import DataTypes
from pyflink.table.types import from_arrow_type
from pyflink.table.udf import FunctionContext, ScalarFunction, TableFunction, udf, udtf

from . import _native
from ._archives import Reading

__all__ = ["COLUMNS", "documents", "extract_text"]

# Columns of `documents`, unless others are asked for.
COLUMNS = ("id", "url", "title", "lang", "confidence", "file_path", "source_offset", "text")


class _Documents(TableFunction):
    def __init__(self, reading: Reading, columns: Sequence[str]) -> None:
        self.reading, self.columns = reading, tuple(columns)

    def eval(self, path: str) -> Iterator[tuple[Any, ...]]:
        for batch in self.reading.batches(path):
            rows = batch.select(self.columns).to_pydict()
            yield from zip(*(rows[name] for name in self.columns))


def documents(columns: Sequence[str] = COLUMNS, **options: Any) -> Any:
    """A table function that turns the path of an archive into its documents, with these columns. `options` are
    `reports`, `config`, `jobs`, `on_error` (`report` or `fail`) and the keywords of `trommel_text.read_warc`,
    which override `config`.
    """
    reading = Reading(**options)
    schema = reading.schema()
    return udtf(_Documents(reading, columns), result_types=[from_arrow_type(schema.field(name).type) for name in columns])


class _ExtractText(ScalarFunction):
    def __init__(self, choices: dict[str, Any]) -> None:
        self.choices = choices

    def open(self, function_context: FunctionContext) -> None:
        self.extractor = _native.Extractor(**self.choices)

    def eval(self, content: bytes | str | None, url: str | None = None) -> str | None:
        return None if content is None else self.extractor.text(content, url=url)


def extract_text(**choices: Any) -> Any:
    """A function that turns a page (binary or text) and its URL into its text. `choices` are the keywords of
    `trommel_text.Extractor`.
    """
    _native.Extractor(**choices)
    return udf(_ExtractText(choices), result_type=DataTypes.STRING())
