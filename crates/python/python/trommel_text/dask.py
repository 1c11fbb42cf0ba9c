"""Dask: archives as a data frame, with one partition for each archive."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import pandas as pd
import pyarrow as pa

from ._archives import Reading

__all__ = ["read_warc"]


def _read(path: str, reading: Reading) -> pd.DataFrame:
    return pa.Table.from_batches(reading.batches(path), reading.schema()).to_pandas()


def read_warc(
    paths: Sequence[str | os.PathLike[str]], *, config: dict[str, Any] | str | None = None, jobs: int = 1, **choices: Any
) -> Any:
    """Returns the documents of archives as a `dask.dataframe`. `choices` are the keywords of
    `trommel_text.read_warc` and override `config`. If nothing of an archive can be read, its task raises
    `ArchiveError`.
    """
    import dask.dataframe

    reading = Reading(None, config, jobs, "fail", **choices)
    return dask.dataframe.from_map(
        _read,
        [os.fspath(path) for path in paths],
        reading=reading,
        # Choices that there are not are refused here, not in the first task.
        meta=reading.schema().empty_table().to_pandas(),
        enforce_metadata=False,
    )
