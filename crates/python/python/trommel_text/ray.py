"""Ray Data: archives as a dataset, and pages in memory by actors.

    documents = trommel_text.ray.read_warc(paths, reports="out/_shards")
    texts = pages.map_batches(trommel_text.ray.Extract, fn_constructor_kwargs={"content": "html"},
                              batch_format="pyarrow", batch_size=256, concurrency=8)
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import ray.data
from ray.data.block import BlockMetadata
from ray.data.datasource import Datasource, ReadTask

from . import _native, shards

__all__ = ["Extract", "WarcDatasource", "read_warc"]

# Text is about a twelfth of the stored bytes of usual crawls times the factor of their compression: a guess for
# Ray's planning and nothing else.
_TEXT_SHARE = 0.5


class Extract:
    """For `Dataset.map_batches` with `batch_format="pyarrow"`: makes documents of the pages in the column `content`.
    Every other column goes along. One extractor an actor, one thread a call: Ray runs an actor a core."""

    def __init__(self, content: str = "html", url: str | None = None, threads: int = 1, **choices: Any) -> None:
        self.content, self.url, self.threads = content, url, threads
        self.extractor = _native.Extractor(**choices)

    def __call__(self, table: pa.Table) -> pa.Table:
        urls = table.column(self.url) if self.url else None
        made = self.extractor.extract_batch(table.column(self.content), urls=urls, threads=self.threads)
        documents = pa.Table.from_batches([pa.record_batch(made)])
        for name in table.column_names:
            if name == self.content:
                continue
            at = documents.schema.get_field_index(name)
            if at >= 0:
                documents = documents.set_column(at, name, table.column(name))
            else:
                documents = documents.append_column(name, table.column(name))
        return documents


class WarcDatasource(Datasource):
    """The documents of archives, a read task an archive. `choices` are those of `trommel_text.Extractor` and win over
    `config`."""

    def __init__(
        self,
        paths: Sequence[str],
        reports: str | None = None,
        config: dict[str, Any] | str | None = None,
        jobs: int = 1,
        on_error: str = "report",
        **choices: Any,
    ) -> None:
        super().__init__()
        if on_error not in ("report", "fail"):
            raise ValueError(f"on_error: unknown value {on_error!r}, expected report, fail")
        # Refused here, not in the first task.
        _native.Extractor(**choices)
        self.paths = [os.fspath(path) for path in paths]
        self.options = (reports, config, jobs, on_error, choices)

    def get_name(self) -> str:
        return "trommel"

    def estimate_inmemory_data_size(self) -> int | None:
        sizes = [os.path.getsize(path) for path in self.paths if os.path.exists(path)]
        return int(sum(sizes) * _TEXT_SHARE) if sizes else None

    def get_read_tasks(
        self, parallelism: int, per_task_row_limit: int | None = None, data_context: Any = None
    ) -> list[ReadTask]:
        schema = _schema(self.options[1], self.options[4])
        return [
            ReadTask(
                _Read(path, *self.options),
                BlockMetadata(num_rows=None, size_bytes=None, exec_stats=None, input_files=(path,)),
                schema=schema,
                per_task_row_limit=per_task_row_limit,
            )
            for path in self.paths
        ]


def _schema(config: dict[str, Any] | str | None, choices: dict[str, Any]) -> pa.Schema:
    columns = [choices.get(name) for name in ("blocks", "spans", "tables")]
    return pa.schema(_native.document_schema(*columns, config=config))


class _Read:
    def __init__(self, path: str, reports: Any, config: Any, jobs: int, on_error: str, choices: dict[str, Any]) -> None:
        self.path, self.reports, self.config = path, reports, config
        self.jobs, self.on_error, self.choices = jobs, on_error, choices

    def __call__(self) -> Iterator[pa.Table]:
        import logging

        batches = _native.read_warc(self.path, config=self.config, jobs=self.jobs, **self.choices)
        empty = True
        try:
            for batch in batches:
                empty = False
                yield pa.Table.from_batches([pa.record_batch(batch)])
        except _native.ArchiveError as error:
            if self.on_error == "fail":
                raise
            logging.getLogger("trommel_text").warning("%s", error)
        if self.reports and batches.summary is not None:
            shards.write_report(self.reports, self.path, batches.summary)
        if empty:
            yield _schema(self.config, self.choices).empty_table()


def read_warc(paths: Sequence[str], *, override_num_blocks: int | None = None, **options: Any) -> ray.data.Dataset:
    """The documents of archives as a dataset. `options` are those of `WarcDatasource`."""
    return ray.data.read_datasource(WarcDatasource(paths, **options), override_num_blocks=override_num_blocks)
