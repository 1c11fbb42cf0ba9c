"""Pages in files and on the web."""

from __future__ import annotations

import os
import urllib.request
from pathlib import Path
from typing import Any

from ._native import Document, __version__, extract

# Bytes of a page that are fetched.
_MOST = 16 << 20


def extract_file(
    path: str | os.PathLike[str],
    *,
    url: str | None = None,
    charset: str | None = None,
    date: str | None = None,
    model: str | os.PathLike[str] | bytes | None = None,
    **choices: Any,
) -> Document:
    """Returns the document of an HTML file. The other arguments are those of `extract`."""
    return extract(Path(path).read_bytes(), url=url, charset=charset, date=date, model=model, **choices)


def fetch(
    url: str,
    *,
    timeout: float = 30,
    model: str | os.PathLike[str] | bytes | None = None,
    **choices: Any,
) -> Document:
    """Fetches a page over HTTP, at most 16 MiB of it, and returns its document. For many pages use a crawler. The other
    arguments are those of `extract`."""
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"{url}: expected a URL with http:// or https://")
    request = urllib.request.Request(url, headers={"User-Agent": f"trommel_text/{__version__}"})
    with urllib.request.urlopen(request, timeout=timeout) as answer:
        html, charset = answer.read(_MOST), answer.headers.get_content_charset()
        try:
            return extract(html, url=answer.url, charset=charset, model=model, **choices)
        except ValueError:
            # A server may name a charset that nobody knows.
            return extract(html, url=answer.url, model=model, **choices)
