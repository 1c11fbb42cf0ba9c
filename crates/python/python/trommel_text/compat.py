"""Stand-ins for functions of other libraries, so that trying trommel takes one line:

    from trommel_text.compat import extract                # instead of: from trafilatura import extract
    from trommel_text.compat import extract_plain_text     # instead of: from resiliparse.extract.html2text ...

Arguments have the same effect as in those libraries. Arguments that trommel cannot honour are refused, and so are
unknown ones. The text is that of trommel: docs/python.md lists the differences.
"""

from __future__ import annotations

import csv
import functools
import io
import json
from typing import Any

from ._native import Extractor

__all__ = ["extract", "extract_plain_text"]

_FORMATS = ("txt", "markdown", "json", "csv")
_CSV = ("url", "fingerprint", "hostname", "title", "image", "date", "text", "comments", "license", "pagetype")


@functools.cache
def _extractor(**choices: Any) -> Extractor:
    return Extractor(**choices)


def _bytes(filecontent: Any) -> Any:
    """Pages as trafilatura takes them: text, bytes, or a response with `data`."""
    if isinstance(filecontent, (str, bytes, bytearray, memoryview)):
        return filecontent
    data = getattr(filecontent, "data", None)
    if isinstance(data, (str, bytes)):
        return data
    raise TypeError(f"a page is bytes, str or a response with data, not {type(filecontent).__name__}")


def extract(
    filecontent: Any,
    url: str | None = None,
    record_id: str | None = None,
    fast: bool = False,
    no_fallback: bool = False,
    favor_precision: bool = False,
    favor_recall: bool = False,
    include_comments: bool = True,
    output_format: str = "txt",
    tei_validation: bool = False,
    target_language: str | None = None,
    include_tables: bool = True,
    include_images: bool = False,
    include_formatting: bool | None = None,
    include_links: bool = False,
    deduplicate: bool = False,
    date_extraction_params: dict[str, Any] | None = None,
    with_metadata: bool = False,
    only_with_metadata: bool = False,
    max_tree_size: int | None = None,
    url_blacklist: set[str] | None = None,
    author_blacklist: set[str] | None = None,
    settingsfile: Any = None,
    prune_xpath: Any = None,
    config: Any = None,
    options: Any = None,
) -> str | None:
    """Main text of a page with the arguments of `trafilatura.extract`, or `None` if there is none.

    Effective: `url`, `record_id`, `include_comments`, `output_format` (`txt`, `markdown`, `json`, `csv`),
    `target_language`, `include_formatting`, `include_links` and `include_images` (which give Markdown),
    `with_metadata`, `only_with_metadata`, `url_blacklist`, `author_blacklist`; `fast` and `no_fallback` choose the
    model `fast` instead of `best`. `favor_precision` and `favor_recall` set
    `favor`, the first if both are given. Without effect: `deduplicate`, `date_extraction_params`,
    `max_tree_size`. Refused: the formats `xml`, `xmltei` and `html`,
    `include_tables=False`, `tei_validation`, `prune_xpath`, `settingsfile`, `config`, `options`.
    """
    if output_format not in _FORMATS:
        raise ValueError(f"output_format {output_format!r}: expected {', '.join(_FORMATS)}")
    if tei_validation or not include_tables:
        raise ValueError("tei_validation and include_tables=False have no counterpart in trommel")
    own = {"settingsfile": settingsfile, "prune_xpath": prune_xpath, "config": config, "options": options}
    for name, value in own.items():
        if value is not None:
            raise ValueError(f"{name} has no counterpart in trommel")
    del deduplicate, date_extraction_params, max_tree_size
    if filecontent is None:
        return None
    marked = output_format == "markdown" or bool(include_formatting) or include_links or include_images
    extractor = _extractor(
        model="lite" if fast or no_fallback else "fast",
        favor="precision" if favor_precision else "recall" if favor_recall else "balanced",
        markdown=marked,
        links=include_links,
        images=include_images,
        # Behind the text, as there.
        comments="separate" if include_comments else "exclude",
    )
    document = extractor.extract(_bytes(filecontent), url=url)
    address = document.canonical or url
    if not document.text and not document.comments:
        return None
    if target_language and document.lang and document.lang != target_language:
        return None
    if only_with_metadata and not (document.published and document.title and address):
        return None
    if url_blacklist and address in url_blacklist:
        return None
    if author_blacklist and any(author in author_blacklist for author in document.author):
        return None
    date = document.published and document.published.date().isoformat()
    host = (address or "").partition("://")[2].partition("/")[0] or None
    if output_format == "json":
        return json.dumps(
            {
                "title": document.title,
                "author": "; ".join(document.author) or None,
                "hostname": host,
                "date": date,
                "id": record_id,
                "source": address,
                "source-hostname": document.site,
                "excerpt": document.description,
                "language": document.lang,
                "text": document.text,
                "comments": document.comments or "",
            },
            ensure_ascii=False,
        )
    if output_format == "csv":
        values = {
            "url": address,
            "hostname": host,
            "title": document.title,
            "date": date,
            "text": document.text,
            "comments": document.comments,
            "pagetype": document.page_type,
        }
        line = io.StringIO()
        csv.writer(line, delimiter="\t").writerow([values.get(name) or "null" for name in _CSV])
        return line.getvalue()
    text = document.text.rstrip("\n")
    if document.comments:
        text = f"{text}\n{document.comments}".lstrip("\n")
    if with_metadata:
        values = {
            "title": document.title,
            "author": "; ".join(document.author),
            "url": address,
            "hostname": host,
            "description": document.description,
            "sitename": document.site,
            "date": date,
            "id": record_id,
            "language": document.lang,
        }
        head = "".join(f"{name}: {value}\n" for name, value in values.items() if value)
        text = f"---\n{head}---\n{text}"
    return text


def extract_plain_text(
    html: Any,
    preserve_formatting: bool | str = True,
    main_content: bool = True,
    list_bullets: bool = True,
    alt_texts: bool = False,
    links: bool = False,
    form_fields: bool = False,
    noscript: bool = False,
    comments: bool = True,
    post_meta: bool = True,
    hidden_elements: bool = False,
    skip_elements: Any = None,
) -> str:
    """Main text of a page with the arguments of Resiliparse's `extract_plain_text`, text or bytes or a tree.

    Effective: `preserve_formatting` (without it white space is folded to spaces), `links` (as Markdown),
    `comments`. Without effect: `list_bullets`, `alt_texts`, `form_fields`, `noscript`, `post_meta`,
    `hidden_elements`. `main_content=False` asks for all visible text, which trommel does not give, and is refused,
    as are `skip_elements` and `preserve_formatting="minimal_html"`. Note that Resiliparse's own default is
    `main_content=False`.
    """
    if not main_content:
        raise ValueError("main_content=False: trommel gives main text only")
    if skip_elements:
        raise ValueError("skip_elements: trommel knows no selectors")
    if preserve_formatting not in (True, False):
        raise ValueError("preserve_formatting is True or False")
    del list_bullets, alt_texts, form_fields, noscript, post_meta, hidden_elements
    if not isinstance(html, (str, bytes, bytearray, memoryview)):
        document = getattr(html, "document", None)
        html = getattr(document, "html", None) or str(html)
    extractor = _extractor(links=links, comments="include" if comments else "exclude")
    text = extractor.text(html)
    return text if preserve_formatting else " ".join(text.split())
