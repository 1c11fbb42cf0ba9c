"""cc-pyspark: a job over whole files, for `CCFileProcessorSparkJob.process_file`.

cc-pyspark is a folder of programs, not a package: put it on the path, and run pipelines/spark/cc_pyspark_job.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import _native

__all__ = ["documents_of_file"]


def documents_of_file(uri: str, file: Any, **choices: Any) -> Iterator[tuple[str, str | None, str | None, str, float]]:
    """Id, URL, language, text and confidence of each document of an archive, `file` being its open temporary file."""
    del uri
    for batch in _native.read_warc(file, jobs=1, **choices):
        for row in batch.to_pylist():
            yield row["id"], row["url"], row["lang"], row["text"], row["confidence"]
