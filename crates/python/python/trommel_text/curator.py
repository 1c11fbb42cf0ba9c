"""NeMo Curator: an iterator of finished documents, and an algorithm for Curator's own extraction of HTML.

    DocumentIterateExtractStage(iterator=TrommelIterator(), extractor=None, ...)
    CommonCrawlDownloadExtractStage(..., html_extraction=TrommelAlgorithm())

Prefer the iterator: Curator gives the algorithm only pages in languages with a list of stop words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nemo_curator.stages.text.download import DocumentIterator
from nemo_curator.stages.text.download.html_extractors.base import HTMLExtractorAlgorithm

from . import _native

__all__ = ["TrommelAlgorithm", "TrommelIterator"]

_COLUMNS = ["text", "url", "warc_id", "source_id", "lang", "title", "date", "confidence"]


class TrommelIterator(DocumentIterator):
    """Yields the documents of an archive with their text, so no extractor is needed."""

    def __init__(self, config: dict[str, Any] | str | None = None, jobs: int = 1, **choices: Any) -> None:
        super().__init__()
        # Refused here, not in the first task.
        _native.Extractor(**choices)
        self.config, self.jobs, self.choices = config, jobs, choices

    def iterate(self, file_path: str) -> Iterator[dict[str, Any]]:
        for batch in _native.read_warc(file_path, config=self.config, jobs=self.jobs, **self.choices):
            for row in batch.to_pylist():
                if row["text"]:
                    row["warc_id"], row["source_id"] = row["id"], row["source_name"]
                    yield {name: row[name] for name in _COLUMNS}

    def output_columns(self) -> list[str]:
        return list(_COLUMNS)


class TrommelAlgorithm(HTMLExtractorAlgorithm):
    """Returns the main text of a page by paragraphs, regardless of stop words and language."""

    def __init__(self, **choices: Any) -> None:
        self.extractor = _native.Extractor(**choices)

    def extract_text(self, html: str, stop_words: frozenset[str], language: str) -> list[str] | None:
        text = self.extractor.text(html)
        return [paragraph for paragraph in text.split("\n\n") if paragraph] or None
