"""Reads archives for engines: record batches of pyarrow, counts into a report, errors as the engine asks."""

from __future__ import annotations

import glob
import logging
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from . import _native, shards

_LOG = logging.getLogger("trommel_text")
# Endings of archives in a folder.
_ENDINGS = (".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz", ".wacz")


def found(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[str]:
    """The archives that paths name: files and URLs as they are, patterns and folders with what is in them, by name."""
    files: list[str] = []
    for path in [paths] if isinstance(paths, (str, os.PathLike)) else paths:
        local = os.fspath(path).removeprefix("file://")
        if "://" not in local and os.path.isdir(local):
            files.extend(sorted(str(file) for file in Path(local).rglob("*") if file.name.endswith(_ENDINGS)))
        elif "://" not in local and any(sign in local for sign in "*?["):
            files.extend(sorted(glob.glob(local)))
        else:
            files.append(local)
    return files


def schema(config: dict[str, Any] | str | None, choices: dict[str, Any]) -> pa.Schema:
    """The columns of documents. Raises ValueError for an unknown setting."""
    return pa.schema(_native.document_schema(config=config, **choices))


class Reading:
    """The settings with which an engine reads archives. `choices` are the keywords of `trommel_text.read_warc` and
    override `config`.

    `reports` is a folder for the counts of each archive, which `trommel_text.shards.merge` adds up. If nothing of
    an archive can be read, it is logged and gives no rows; with `on_error="fail"` it raises `ArchiveError`.
    """

    def __init__(
        self,
        reports: str | os.PathLike[str] | None = None,
        config: dict[str, Any] | str | None = None,
        jobs: int = 1,
        on_error: str = "report",
        batch_size: int = 1024,
        **choices: Any,
    ) -> None:
        if on_error not in ("report", "fail"):
            raise ValueError(f"on_error: unknown value {on_error!r}, expected report, fail")
        self.reports = reports
        self.config = config
        self.jobs = jobs
        self.on_error = on_error
        self.batch_size = batch_size
        self.choices = choices

    def schema(self) -> pa.Schema:
        """The columns of the batches. Raises ValueError for an unknown setting."""
        return schema(self.config, self.choices)

    def batches(self, path: str) -> Iterator[pa.RecordBatch]:
        """The documents of an archive; its counts are written at their end."""
        batches = _native.read_warc(
            path, config=self.config, jobs=self.jobs, batch_size=self.batch_size, **self.choices
        )
        try:
            for batch in batches:
                yield pa.record_batch(batch)
        except _native.ArchiveError as error:
            if self.on_error == "fail":
                raise
            _LOG.warning("%s", error)
        if self.reports and batches.summary is not None:
            shards.write_report(self.reports, path, batches.summary)
