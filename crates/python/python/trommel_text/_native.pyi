"""Types of the compiled part: those of the package, and what only the package itself uses."""

from typing import NoReturn

from . import (
    ArchiveDocuments as ArchiveDocuments,
    ArchiveError as ArchiveError,
    Block as Block,
    Chunk as Chunk,
    Document as Document,
    DocumentBatches as DocumentBatches,
    Documents as Documents,
    Extractor as Extractor,
    Inspection as Inspection,
    ModelError as ModelError,
    Post as Post,
    RecordBatch as RecordBatch,
    RunError as RunError,
    Session as Session,
    Table as Table,
    TrommelError as TrommelError,
    check_config as check_config,
    document_schema as document_schema,
    evaluate as evaluate,
    extract as extract,
    extract_batch as extract_batch,
    inspect as inspect,
    models as models,
    read_documents as read_documents,
    read_warc as read_warc,
    run as run,
    settings as settings,
    train as train,
    __version__ as __version__,
)

def check_choices(**choices: object) -> None: ...
def command(arguments: list[str]) -> NoReturn: ...
