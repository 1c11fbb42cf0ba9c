from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from os import PathLike
from typing import Any, BinaryIO, Literal, TypedDict, final

from typing_extensions import Required, Unpack

__all__: list[str]
__version__: str

Page = bytes | bytearray | memoryview | str
Path = str | PathLike[str]
Comments = Literal["exclude", "include", "separate"]
Headline = Literal["auto", "include", "exclude"]
Articles = Literal["all", "first"]
Favor = Literal["precision", "balanced", "recall"]
Role = Literal[
    "headline",
    "body",
    "comment",
    "review",
    "question-answer",
    "card",
    "specification",
    "ingredient",
    "step",
    "caption",
    "byline",
    "notice",
    "control",
    "count",
    "author-box",
    "pager",
    "navigation",
    "header",
    "footer",
    "aside",
    "form",
    "hidden",
    "other",
]
Math = Literal["tex", "plain", "off"]
Notes = Literal["keep", "drop"]
Scripts = Literal["caret", "unicode"]
Readings = Literal["keep", "drop"]
# An Arrow array or chunked array: whatever has `__arrow_c_array__` or `__arrow_c_stream__`.
Arrow = Any

# Settings of pages: the keywords of `Extractor`, `extract`, `extract_batch` and `inspect`.
class Choices(TypedDict, total=False):
    markdown: bool
    text: Literal["plain", "markdown"]
    comments: Comments
    headline: Headline
    articles: Articles
    favor: Favor
    include: Sequence[Role] | str
    exclude: Sequence[Role] | str
    keep: Sequence[str] | str
    drop: Sequence[str] | str
    links: bool
    images: bool
    addresses: Literal["absolute", "as-written"]
    sections: bool
    names: bool
    math: Math
    notes: Notes
    scripts: Scripts
    readings: Readings
    max_tokens: int
    tokenizer: str
    blocks: bool
    spans: bool
    tables: bool
    posts: bool
    chunks: str
    metadata: Literal["auto", "all", "few"]

# Settings of runs that give documents: the keywords of `read_warc`.
class RunChoices(Choices, total=False):
    model: Path | bytes | None
    site_memory: Literal["off", "two-pass"]
    sites: Path
    sites_size: int | str
    url: Sequence[str] | str
    host: Sequence[str] | str
    not_host: Sequence[str] | str
    status: Sequence[str] | str
    media_types: Sequence[str] | str
    robots: Sequence[Literal["noindex", "noai"]] | str
    min_words: int
    max_words: int
    min_chars: int
    max_chars: int
    languages: Sequence[str] | str
    exclude_languages: Sequence[str] | str
    page_types: Sequence[str] | str
    exclude_page_types: Sequence[str] | str
    min_confidence: float
    rules: Sequence[Literal["c4", "gopher", "gopher-repetition", "block-page", "rights-reserved"]] | str
    exact_duplicates: bool
    near_duplicates: bool
    duplicates_memory: int | str
    pages_only: bool
    crawler_text: bool
    check_hashes: bool
    resolve_revisits: bool
    base_url: str
    select_anywhere: bool
    whole_ranges: bool
    limit: int
    jobs: int
    max_record: int | str
    max_payload: int | str
    max_memory: int | str

# Settings of runs that write files: the keywords of `run`.
class FileChoices(RunChoices, total=False):
    format: Sequence[str] | str
    compress: Literal["zst", "gz", "none"]
    split_size: int | str
    checkpoint: int | str
    hard_share: str

class TrommelError(Exception): ...

class ArchiveError(TrommelError):
    file: str | None
    offset: int | None

class RunError(TrommelError): ...
class ModelError(TrommelError): ...

# A page with what is known of it: the keywords of `extract`.
class HintedPage(TypedDict, total=False):
    html: Required[Page]
    url: str | None
    charset: str | None
    date: str | None

class Progress(TypedDict):
    bytes: int
    total: int | None
    records: int
    documents: int
    failures: int

class Link(TypedDict):
    url: str
    block: int
    probability: float
    kept: bool
    role: Role

class Known(TypedDict):
    links: list[Link]
    canonical: str | None
    robots: str | None
    next_page: str | None

@final
class Block:
    @property
    def text(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def tag(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def words(self) -> int: ...
    @property
    def link_density(self) -> float: ...
    @property
    def probability(self) -> float: ...
    @property
    def kept(self) -> bool: ...
    @property
    def role(self) -> Role: ...
    @property
    def source(self) -> str: ...
    @property
    def decider(self) -> str: ...

@final
class Chunk:
    @property
    def id(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def headings(self) -> list[str]: ...
    @property
    def roles(self) -> list[Role]: ...
    @property
    def blocks(self) -> tuple[int, int]: ...
    @property
    def span(self) -> tuple[int, int, int, int]: ...

@final
class Table:
    @property
    def caption(self) -> str: ...
    @property
    def header_rows(self) -> int: ...
    @property
    def rows(self) -> list[list[str]]: ...

@final
class Post:
    @property
    def author(self) -> str | None: ...
    @property
    def published(self) -> datetime | None: ...
    @property
    def text(self) -> str: ...

@final
class Document:
    @property
    def text(self) -> str: ...
    @property
    def title(self) -> str | None: ...
    @property
    def lang(self) -> str | None: ...
    @property
    def url(self) -> str | None: ...
    @property
    def date(self) -> str | None: ...
    @property
    def place(self) -> str | None: ...
    @property
    def author(self) -> list[str]: ...
    @property
    def published(self) -> datetime | None: ...
    @property
    def modified(self) -> datetime | None: ...
    @property
    def site(self) -> str | None: ...
    @property
    def description(self) -> str | None: ...
    @property
    def canonical(self) -> str | None: ...
    @property
    def next(self) -> str | None: ...
    @property
    def lang_declared(self) -> str | None: ...
    @property
    def rights(self) -> str | None: ...
    @property
    def page_type(self) -> str | None: ...
    @property
    def headings(self) -> list[str]: ...
    @property
    def blocked(self) -> str | None: ...
    @property
    def comments(self) -> str | None: ...
    @property
    def charset(self) -> str: ...
    @property
    def charset_source(self) -> str: ...
    @property
    def confidence(self) -> float: ...
    @property
    def capped(self) -> list[str]: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def posts(self) -> list[Post]: ...
    @property
    def blocks(self) -> list[Block]: ...
    @property
    def spans(self) -> list[tuple[int, int, int, int]]: ...
    @property
    def tables(self) -> list[Table]: ...
    @property
    def chunks(self) -> list[Chunk]: ...
    def to_json(self) -> str: ...
    def to_dict(self) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...

@final
class RecordBatch:
    @property
    def num_rows(self) -> int: ...
    @property
    def column_names(self) -> list[str]: ...
    def to_pyarrow(self) -> Any: ...
    def to_pylist(self) -> list[dict[str, Any]]: ...
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

@final
class Extractor:
    def __new__(
        cls,
        model: Path | bytes | None = None,
        **choices: Unpack[Choices],
    ) -> Extractor: ...
    def extract(
        self, html: Page, *, url: str | None = None, charset: str | None = None, date: str | None = None
    ) -> Document: ...
    def text(self, html: Page, *, url: str | None = None, charset: str | None = None) -> str: ...
    def extract_batch(
        self,
        pages: Iterable[Page | None] | Arrow,
        *,
        urls: Iterable[str | None] | Arrow | None = None,
        charsets: Iterable[str | None] | Arrow | None = None,
        threads: int | None = None,
    ) -> RecordBatch: ...
    def pipe(
        self, pages: Iterable[Page | HintedPage], *, threads: int | None = None, batch_size: int | None = None
    ) -> Documents: ...

@final
class Documents:
    def __iter__(self) -> Iterator[Document]: ...
    def __next__(self) -> Document: ...

@final
class Session:
    def __new__(
        cls,
        *,
        url: str | None = None,
        charset: str | None = None,
        extractor: Extractor | None = None,
        date: str | None = None,
        max_page: int | None = None,
        stop_not_html: bool = False,
        stop_noindex: bool = False,
        languages: Sequence[str] | str = (),
        stop_hopeless: bool = False,
        stop_block_pages: bool = False,
    ) -> Session: ...
    def feed(self, part: bytes) -> str: ...
    def known(self) -> Known: ...
    def finish(self) -> Document: ...
    def __len__(self) -> int: ...

@final
class Inspection:
    @property
    def html(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def markdown(self) -> str: ...
    def save(self, path: Path) -> None: ...
    def _repr_html_(self) -> str: ...

@final
class DocumentBatches:
    def __iter__(self) -> Iterator[RecordBatch]: ...
    def __next__(self) -> RecordBatch: ...
    @property
    def summary(self) -> dict[str, Any] | None: ...
    def close(self) -> None: ...

@final
class ArchiveDocuments:
    def __iter__(self) -> Iterator[Document]: ...
    def __next__(self) -> Document: ...
    @property
    def summary(self) -> dict[str, Any] | None: ...
    def close(self) -> None: ...

def check_config(config: Path | dict[str, Any]) -> None: ...
def document_schema(
    *, config: Path | dict[str, Any] | None = None, **choices: Unpack[RunChoices]
) -> RecordBatch: ...
def settings() -> list[dict[str, Any]]: ...
def models() -> list[str]: ...
def extract(
    html: Page,
    *,
    url: str | None = None,
    charset: str | None = None,
    date: str | None = None,
    model: Path | bytes | None = None,
    **choices: Unpack[Choices],
) -> Document: ...
def extract_file(
    path: Path,
    *,
    url: str | None = None,
    charset: str | None = None,
    date: str | None = None,
    model: Path | bytes | None = None,
    **choices: Unpack[Choices],
) -> Document: ...
def fetch(
    url: str,
    *,
    timeout: float = 30,
    model: Path | bytes | None = None,
    **choices: Unpack[Choices],
) -> Document: ...
def extract_batch(
    pages: Iterable[Page | None] | Arrow,
    *,
    urls: Iterable[str | None] | Arrow | None = None,
    charsets: Iterable[str | None] | Arrow | None = None,
    threads: int | None = None,
    model: Path | bytes | None = None,
    **choices: Unpack[Choices],
) -> RecordBatch: ...
def inspect(
    html: Page,
    *,
    url: str | None = None,
    charset: str | None = None,
    model: Path | bytes | None = None,
    **choices: Unpack[Choices],
) -> Inspection: ...
def read_documents(
    source: Path | Sequence[Path] | BinaryIO,
    *,
    extractor: Extractor | None = None,
    config: Path | dict[str, Any] | None = None,
    strict: bool = False,
    select: Path | Sequence[Path] | None = None,
    shard: str | None = None,
    **choices: Unpack[RunChoices],
) -> ArchiveDocuments: ...
def read_warc(
    source: Path | Sequence[Path] | BinaryIO,
    *,
    extractor: Extractor | None = None,
    config: Path | dict[str, Any] | None = None,
    batch_size: int | None = 1024,
    strict: bool = False,
    select: Path | Sequence[Path] | None = None,
    shard: str | None = None,
    **choices: Unpack[RunChoices],
) -> DocumentBatches: ...
def run(
    inputs: Path | Sequence[Path] | BinaryIO,
    out: Path,
    *,
    extractor: Extractor | None = None,
    config: Path | dict[str, Any] | None = None,
    resume: bool = False,
    overwrite: bool = False,
    quarantine: Path | None = None,
    set_aside: dict[str, Path] | None = None,
    hard_to: Path | None = None,
    dropped: Path | None = None,
    select: Path | Sequence[Path] | None = None,
    shard: str | None = None,
    follow: bool = False,
    idle: float | None = None,
    until_idle: float | None = None,
    progress: Callable[[Progress], object] | None = None,
    **choices: Unpack[FileChoices],
) -> dict[str, Any]: ...
def evaluate(
    pages: Path,
    gold: Path | None = None,
    model: Path | bytes | None = None,
    *,
    comments: Comments | None = None,
    headline: Headline = "auto",
    favor: Favor = "balanced",
    strict_words: bool = False,
) -> dict[str, Any]: ...
def train(
    pages: Path | Sequence[Path],
    out: Path,
    gold: Path | Sequence[Path] | None = None,
    *,
    base: Path | bytes | None = None,
    name: str | None = None,
    folds: int = 5,
    date: str = "1970-01-01",
    progress: Callable[[str], object] | None = None,
) -> list[dict[str, Any]]: ...
