"""datatrove: a reader that yields finished documents, and an extractor for readers that yield HTML.

    LocalPipelineExecutor([TrommelReader("crawl/", glob_pattern="*.warc.gz"), ...])
    LocalPipelineExecutor([WarcReader("crawl/"), TrommelExtractor(), ...])     # instead of Trafilatura()
"""

from __future__ import annotations

from typing import Any

from datatrove.data import DocumentsPipeline
from datatrove.pipeline.extractors.base import BaseExtractor
from datatrove.pipeline.readers.base import BaseDiskReader
from datatrove.utils.logging import logger
from datatrove.utils.typeshelper import StatHints
from fsspec.implementations.local import LocalFileSystem

from . import _native

__all__ = ["TrommelExtractor", "TrommelReader"]


class TrommelReader(BaseDiskReader):
    """Yields the documents of WARC, ARC and WET files: text, id, and all other columns as metadata.

    `config` (as for `trommel_text.read_warc`) or `extractor` has the settings. The other arguments are those of
    datatrove's file readers. `jobs` is the number of threads of a task. Like all readers it leaves out documents
    without text.
    """

    name = "🥁 trommel"
    _requires_dependencies = ["trommel_text"]

    def __init__(
        self,
        data_folder: Any,
        *,
        extractor: _native.Extractor | None = None,
        config: dict[str, Any] | str | None = None,
        jobs: int = 1,
        **options: Any,
    ) -> None:
        super().__init__(data_folder, **options)
        self.extractor = extractor
        self.config = config
        self.jobs = jobs

    def read_file(self, filepath: str) -> DocumentsPipeline:
        if isinstance(self.data_folder.fs, LocalFileSystem):
            yield from self._read(self.data_folder.resolve_paths(filepath), filepath)
        else:
            with self.data_folder.open(filepath, "rb") as file:
                yield from self._read(file, filepath)

    def _read(self, source: Any, filepath: str) -> DocumentsPipeline:
        batches = _native.read_warc(source, extractor=self.extractor, config=self.config, jobs=self.jobs)
        number = 0
        try:
            for batch in batches:
                for row in batch.to_pylist():
                    row = {key: value for key, value in row.items() if value not in (None, [])}
                    with self.track_time():
                        document = self.get_document_from_dict(row, filepath, number)
                    number += 1
                    if document:
                        yield document
        except _native.ArchiveError as error:
            self.stat_update("unread_files")
            logger.warning(str(error))
        summary = batches.summary or {}
        for key in ("records", "pages", "empty", "damaged"):
            if summary.get(key):
                self.stat_update(key, value=summary[key])
        for reason, count in (summary.get("drops", {}) | summary.get("failures", {})).items():
            self.stat_update(f"no document: {reason}", value=count)


class TrommelExtractor(BaseExtractor):
    """Extracts the main text of HTML, in place of `Trafilatura()`.

    It runs in the process of the pipeline and needs neither a fork nor a timeout, because no page can hang or crash
    it. It takes the keywords of `trommel_text.Extractor`, and uses the URL in `metadata`, if there is one.
    """

    name = "🥁 trommel"
    _requires_dependencies = ["trommel_text"]

    def __init__(self, **choices: Any) -> None:
        super().__init__()
        self.extractor = _native.Extractor(**choices)

    def extract(self, text: str) -> str:
        return self.extractor.text(text)

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> DocumentsPipeline:
        for document in data:
            self.stat_update(StatHints.total)
            with self.track_time():
                document.text = self.extractor.text(document.text, url=(document.metadata or {}).get("url"))
            if document.text:
                self.stat_update("extracted", StatHints.forwarded)
                self.update_doc_stats(document)
                yield document
            else:
                self.stat_update(StatHints.dropped)
