"""Dask: archives as a data frame, a partition an archive."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import pandas as pd
import pyarrow as pa

from . import _native

__all__ = ["read_warc"]


def _read(path: str, config: Any, jobs: int, choices: dict[str, Any]) -> pd.DataFrame:
    schema = pa.schema(_native.document_schema(choices.get("blocks", False)))
    batches = _native.read_warc(path, extractor=_native.Extractor(**choices), config=config, jobs=jobs)
    return pa.Table.from_batches([pa.record_batch(batch) for batch in batches], schema).to_pandas()


def read_warc(
    paths: Sequence[str | os.PathLike[str]], *, config: dict[str, Any] | str | None = None, jobs: int = 1, **choices: Any
) -> Any:
    """The documents of archives as a `dask.dataframe`. An archive of which nothing can be read raises `ArchiveError` in
    its task."""
    import dask.dataframe

    schema = pa.schema(_native.document_schema(choices.get("blocks", False)))
    return dask.dataframe.from_map(
        _read,
        [os.fspath(path) for path in paths],
        config=config,
        jobs=jobs,
        choices=choices,
        meta=schema.empty_table().to_pandas(),
        enforce_metadata=False,
    )
