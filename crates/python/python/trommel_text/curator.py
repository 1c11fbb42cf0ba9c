"""NeMo Curator: documents out of archives, or an algorithm for its own extraction of HTML.

    DocumentIterateExtractStage(iterator=TrommelIterator(), extractor=None, ...)
    CommonCrawlDownloadExtractStage(..., html_extraction=TrommelAlgorithm())

The first is better: the algorithm is only asked for pages in languages that have a list of stop words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nemo_curator.stages.text.download import DocumentIterator
from nemo_curator.stages.text.download.html_extractors.base import HTMLExtractorAlgorithm

from . import _native

__all__ = ["TrommelAlgorithm", "TrommelIterator"]

_COLUMNS = ["text", "url", "warc_id", "source_id", "language", "title", "date", "confidence"]


class TrommelIterator(DocumentIterator):
    """Documents of an archive, with text: no extractor is needed after it."""

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
    """Main text of a page, paragraph by paragraph. Stop words and language have no influence on it."""

    def __init__(self, **choices: Any) -> None:
        self.extractor = _native.Extractor(**choices)

    def extract_text(self, html: str, stop_words: frozenset[str], language: str) -> list[str] | None:
        text = self.extractor.text(html)
        return [paragraph for paragraph in text.split("\n\n") if paragraph] or None
