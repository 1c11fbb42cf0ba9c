"""Dask: archives as a data frame, a partition an archive."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import pandas as pd
import pyarrow as pa

from . import _native

__all__ = ["read_warc"]


def _schema(config: Any, choices: dict[str, Any]) -> pa.Schema:
    columns = [choices.get(name) for name in ("blocks", "spans", "tables")]
    return pa.schema(_native.document_schema(*columns, config=config))


def _read(path: str, config: Any, jobs: int, choices: dict[str, Any]) -> pd.DataFrame:
    batches = _native.read_warc(path, config=config, jobs=jobs, **choices)
    batches = [pa.record_batch(batch) for batch in batches]
    return pa.Table.from_batches(batches, _schema(config, choices)).to_pandas()


def read_warc(
    paths: Sequence[str | os.PathLike[str]], *, config: dict[str, Any] | str | None = None, jobs: int = 1, **choices: Any
) -> Any:
    """The documents of archives as a `dask.dataframe`. `choices` are those of `trommel_text.Extractor` and win over `config`. An archive of which nothing can be read raises `ArchiveError` in
    its task."""
    import dask.dataframe

    # Refused here, not in the first task.
    _native.Extractor(**choices)
    schema = _schema(config, choices)
    return dask.dataframe.from_map(
        _read,
        [os.fspath(path) for path in paths],
        config=config,
        jobs=jobs,
        choices=choices,
        meta=schema.empty_table().to_pandas(),
        enforce_metadata=False,
    )
