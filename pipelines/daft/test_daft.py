"""Daft: the documents of `trommel run` from archives, from its own reader of WARC, and from columns of pages."""

import pytest

daft = pytest.importorskip("daft")

import trommel_text  # noqa: E402
from conftest import hashes  # noqa: E402
from trommel_text import daft as trommel_daft, shards  # noqa: E402


def collected(frame):
    return hashes((row["id"], row["text"]) for row in frame.select("id", "text").to_pylist())


def test_archives_as_a_frame(archives, expected, tmp_path):
    frame = trommel_daft.read_warc([str(one) for one in archives], reports=tmp_path / "reports")
    assert collected(frame) == expected
    merged = shards.merge(tmp_path, archives, reports=tmp_path / "reports")
    assert merged["documents"] == sum(len(value.split()) for value in expected.values())
    assert merged["unread"] == [str(archives[23])] and merged["damaged"] == 1


def test_an_archive_that_cannot_be_read_fails_the_query_if_asked(archives):
    frame = trommel_daft.read_warc(str(archives[23]), on_error="fail")
    with pytest.raises(Exception, match="part-23"):
        frame.collect()
    with pytest.raises(ValueError, match="on_error"):
        trommel_daft.read_warc(str(archives[23]), on_error="ignore")


def test_records_of_the_engine_are_read_as_those_of_an_archive(archives):
    paths = [str(one) for one in archives[:6]]
    rows = daft.read_warc(paths).with_column("document", trommel_daft.from_records())
    found = rows.where(rows["document"].not_null()).select(rows["document"]["id"], rows["document"]["text"])
    theirs = hashes(tuple(row.values()) for row in found.to_pylist())
    assert theirs == collected(trommel_daft.read_warc(paths)) and len(theirs) > 50


def test_columns_of_pages():
    pages = [f"<p>Page {number}. " + "The mill stands by the river, and its wheel turns. " * 3 for number in range(50)]
    urls = [f"https://a.example/{number}" for number in range(50)]
    frame = daft.from_pydict({"number": list(range(50)), "html": pages, "url": urls})
    made = frame.with_column("document", trommel_daft.extract(frame["html"], frame["url"], markdown=True))
    rows = made.select("number", made["document"]["text"], made["document"]["url"]).to_pylist()
    for row in rows:
        document = trommel_text.extract(pages[row["number"]], markdown=True)
        assert (row["text"], row["url"]) == (document.text, urls[row["number"]])
    assert len(rows) == 50
    alone = frame.select(trommel_daft.extract(frame["html"])["text"]).to_pydict()["text"]
    assert alone == [trommel_text.extract(page).text for page in pages]
