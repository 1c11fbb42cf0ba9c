"""Main text of web pages and web archives.

>>> import trommel_text
>>> trommel_text.extract(b"<h1>The mill</h1><p>It stands by the river, and its wheel turns.").text
'It stands by the river, and its wheel turns.'

One page: `extract`, `extract_file`, `fetch`; `Extractor` for many pages with the same settings; `Session` for a page that arrives in parts.
Many pages: `Extractor.pipe` returns documents one by one; `extract_batch` takes and returns Arrow data.
Archives: `read_documents` returns documents one by one, `read_warc` record batches of them; `run` writes files.
`settings` lists all settings. `inspect` shows why a block is kept or dropped. `compat` has stand-ins for the functions
of other libraries.
"""

from ._files import extract_file, fetch
from ._native import (
    ArchiveDocuments,
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
    read_documents,
    read_warc,
    run,
    settings,
)

__all__ = [
    "ArchiveDocuments",
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
    "extract_file",
    "fetch",
    "inspect",
    "models",
    "read_documents",
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
