"""Main text of web pages and web archives.

>>> import trommel_text
>>> trommel_text.extract(b"<h1>The mill</h1><p>It stands by the river, and its wheel turns.").text
'It stands by the river, and its wheel turns.'

One page: `extract`, or an `Extractor` for many pages of the same choices; `Session` for a page that arrives in
parts. Many pages: `Extractor.pipe`, documents one after the other; `extract_batch`, Arrow in and out. Archives: `read_warc` for record batches of documents,
`run` for files of them. `settings` lists every choice. `inspect` shows why which block is kept. `compat` has the calls of other libraries.
"""

from ._native import (
    ArchiveError,
    Block,
    Document,
    DocumentBatches,
    Documents,
    Extractor,
    Inspection,
    ModelError,
    Post,
    RecordBatch,
    RunError,
    Session,
    Chunk,
    Table,
    TrommelError,
    __version__,
    check_config,
    document_schema,
    evaluate,
    extract,
    extract_batch,
    inspect,
    models,
    read_warc,
    run,
    settings,
)

__all__ = [
    "ArchiveError",
    "Block",
    "Document",
    "DocumentBatches",
    "Documents",
    "Extractor",
    "Inspection",
    "ModelError",
    "Post",
    "RecordBatch",
    "RunError",
    "Session",
    "Chunk",
    "Table",
    "TrommelError",
    "__version__",
    "check_config",
    "document_schema",
    "evaluate",
    "extract",
    "extract_batch",
    "inspect",
    "models",
    "read_warc",
    "run",
    "settings",
]

try:
    # Not in builds without the feature `train`.
    from ._native import train as train

    __all__.append("train")
except ImportError:
    pass
