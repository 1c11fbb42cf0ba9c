"""dolma: a linearizer. The command of dolma cannot import plug-ins; pipelines/curator/README.md shows a wrapper."""

from __future__ import annotations

from dolma.warc.linearizers import BaseLinearizer, LinearizerRegistry

from . import _native

__all__ = ["TrommelLinearizer"]


@LinearizerRegistry.add("trommel")
class TrommelLinearizer(BaseLinearizer):
    """Main text of a page."""

    def __init__(self) -> None:
        self.extractor = _native.Extractor()

    def linearize(self, content: str | bytes) -> str:
        return self.extractor.text(content)
