"""What the tests read: the sample archive of the tree, and archives made on the spot."""

import gzip
import signal
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SENTENCE = "The mill stands by the river, and its wheel has turned there for two hundred years, as the record of the town says. "


def page(number: int) -> bytes:
    """A page of its own: a menu, some paragraphs, a footer."""
    body = "".join(f"<p>Paragraph {part} of page {number}. {SENTENCE}</p>" for part in range(1, 4 + number % 3))
    return (
        f"<html lang='en'><head><title>Page {number} | News</title></head><body>"
        "<nav><a href='/'>Home</a> <a href='/a'>All news</a></nav>"
        f"<article><h1>Page {number}</h1>{body}</article><footer>Copyright News.</footer></body></html>"
    ).encode()


def record(number: int, body: bytes, status: int = 200) -> bytes:
    """A WARC record of a page."""
    http = f"HTTP/1.1 {status} OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n".encode() + body
    head = (
        "WARC/1.1\r\nWARC-Type: response\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{number:012}>\r\n"
        f"WARC-Target-URI: https://news.example/{number}\r\nWARC-Date: 2024-05-01T00:00:00Z\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(http)}\r\n\r\n"
    ).encode()
    return gzip.compress(head + http + b"\r\n\r\n")


@pytest.fixture
def hears_ctrl_c():
    """Programs in the background of a shell are born deaf to SIGINT."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def sample() -> Path:
    """The labelled sample archive."""
    return ROOT / "samples" / "wcxb-sample.warc.gz"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """An archive of 30 pages."""
    path = tmp_path / "pages.warc.gz"
    path.write_bytes(b"".join(record(number, page(number)) for number in range(30)))
    return path
