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

from . import _native
from ._archives import Reading

__all__ = ["Extract", "WarcDatasource", "read_warc"]

# Text is about a twelfth of the stored bytes of usual crawls times the factor of their compression: a guess for
# Ray's planning and nothing else.
_TEXT_SHARE = 0.5


class Extract:
    """Turns the pages in the column `content` into documents, for `Dataset.map_batches` with
    `batch_format="pyarrow"`. It keeps every other column. Each actor has one extractor and one thread: Ray runs
    an actor on each core.
    """

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
    """Reads the documents of archives, with one task for each archive. `options` are `reports`, `config`, `jobs`,
    `on_error` (`report` or `fail`) and the keywords of `trommel_text.read_warc`, which override `config`.
    """

    def __init__(self, paths: Sequence[str], **options: Any) -> None:
        super().__init__()
        self.paths = [os.fspath(path) for path in paths]
        self.reading = Reading(**options)
        # Refused here, not in the first task.
        self.columns = self.reading.schema()

    def get_name(self) -> str:
        return "trommel"

    def estimate_inmemory_data_size(self) -> int | None:
        sizes = [os.path.getsize(path) for path in self.paths if os.path.exists(path)]
        return int(sum(sizes) * _TEXT_SHARE) if sizes else None

    def get_read_tasks(
        self, parallelism: int, per_task_row_limit: int | None = None, data_context: Any = None
    ) -> list[ReadTask]:
        return [
            ReadTask(
                _Read(path, self.reading),
                BlockMetadata(num_rows=None, size_bytes=None, exec_stats=None, input_files=(path,)),
                schema=self.columns,
                per_task_row_limit=per_task_row_limit,
            )
            for path in self.paths
        ]


class _Read:
    """Reads an archive as a task. For an archive without documents it returns an empty table, because Ray needs
    one.
    """

    def __init__(self, path: str, reading: Reading) -> None:
        self.path, self.reading = path, reading

    def __call__(self) -> Iterator[pa.Table]:
        empty = True
        for batch in self.reading.batches(self.path):
            empty = False
            yield pa.Table.from_batches([batch])
        if empty:
            yield self.reading.schema().empty_table()


def read_warc(paths: Sequence[str], *, override_num_blocks: int | None = None, **options: Any) -> ray.data.Dataset:
    """Returns the documents of archives as a dataset. `options` are those of `WarcDatasource`."""
    return ray.data.read_datasource(WarcDatasource(paths, **options), override_num_blocks=override_num_blocks)
