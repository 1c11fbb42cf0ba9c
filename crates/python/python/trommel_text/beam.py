"""Beam: archives as a collection of documents, and a transform for collections of pages.

    pipeline | beam.Create(paths) | trommel_text.beam.ReadWarc(reports="out/_shards") | beam.io.WriteToParquet(...)
    pages | trommel_text.beam.Extract("html", url="url")
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import apache_beam as beam

from . import _native
from ._archives import Reading

__all__ = ["Extract", "ReadWarc"]


class _Read(beam.DoFn):
    def __init__(self, reading: Reading) -> None:
        self.reading = reading

    def process(self, path: str) -> Iterator[dict[str, Any]]:
        for batch in self.reading.batches(path):
            yield from batch.to_pylist()


class ReadWarc(beam.PTransform):
    """Turns paths of archives into their documents, as dicts. `options` are `reports`, `config`, `jobs`, `on_error`
    (`report` or `fail`) and the keywords of `trommel_text.read_warc`, which override `config`.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.reading = Reading(**options)
        # Choices that there are not are refused here, not on a worker. Sinks of Parquet ask for it.
        self.schema = self.reading.schema()

    def expand(self, paths: beam.PCollection) -> beam.PCollection:
        # So that every worker gets archives, and documents are written where they are made.
        return paths | beam.Reshuffle() | beam.ParDo(_Read(self.reading))


class _Extract(beam.DoFn):
    def __init__(self, content: str, url: str | None, extractor: _native.Extractor) -> None:
        self.content, self.url, self.extractor = content, url, extractor

    def process(self, rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        pages = [row[self.content] for row in rows]
        urls = [row[self.url] for row in rows] if self.url else None
        made = self.extractor.extract_batch(pages, urls=urls, threads=1).to_pylist()
        for row, document in zip(rows, made):
            kept = {name: value for name, value in row.items() if name != self.content}
            yield {**document, **kept}


class Extract(beam.PTransform):
    """Turns dicts with a page at `content` (bytes or text) into documents, with all other keys of the dict.
    `choices` are the keywords of `trommel_text.Extractor`.
    """

    def __init__(self, content: str = "html", url: str | None = None, **choices: Any) -> None:
        super().__init__()
        self.work = _Extract(content, url, _native.Extractor(**choices))

    def expand(self, pages: beam.PCollection) -> beam.PCollection:
        return pages | beam.BatchElements(max_batch_size=256) | beam.ParDo(self.work)
