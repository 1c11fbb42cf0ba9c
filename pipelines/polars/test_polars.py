"""Polars: the documents of `trommel run` in a lazy frame, with what is pushed down, and columns of pages."""

import pytest

pl = pytest.importorskip("polars")

import trommel_text  # noqa: E402
from conftest import hashes  # noqa: E402
from trommel_text import polars as trommel_polars, shards  # noqa: E402


def collected(frame):
    return hashes(frame.select("id", "text").collect().rows())


def test_archives_as_a_lazy_frame(archives, expected, tmp_path):
    frame = trommel_polars.scan_warc([str(one) for one in archives], reports=tmp_path / "reports")
    assert collected(frame) == expected
    merged = shards.merge(tmp_path, archives, reports=tmp_path / "reports")
    assert merged["documents"] == sum(len(value.split()) for value in expected.values())
    assert merged["unread"] == [str(archives[23])] and merged["damaged"] == 1


def test_what_is_pushed_down_changes_nothing(archives):
    frame = trommel_polars.scan_warc([str(one) for one in archives[:4]])
    everything = frame.collect()
    assert frame.select("id").head(5).collect().equals(everything.select("id").head(5))
    chosen = (pl.col("lang") == "en") & (pl.col("confidence") >= 0.5)
    assert frame.filter(chosen).select("id", "text").collect().equals(everything.filter(chosen).select("id", "text"))
    # Archives behind the last row are not opened.
    missing = trommel_polars.scan_warc([str(archives[0]), "missing.warc.gz"], on_error="fail")
    assert missing.head(3).collect().height == 3
    with pytest.raises(Exception, match="missing.warc.gz"):
        missing.collect()


def test_columns_of_pages():
    pages = [f"<p>Page {number}. " + "The mill stands by the river, and its wheel turns. " * 3 for number in range(50)]
    urls = [f"https://a.example/{number}" for number in range(50)]
    frame = pl.DataFrame({"html": [*pages, None], "url": [*urls, None]})
    made = frame.lazy().with_columns(document=trommel_polars.extract("html", url="url", markdown=True)).collect()
    rows = made["document"].struct.unnest()
    assert rows["text"].to_list()[:50] == [trommel_text.extract(page, markdown=True).text for page in pages]
    assert rows["url"].to_list()[:50] == urls and made.height == 51
    binary = frame.select(trommel_polars.extract(pl.col("html").cast(pl.Binary)).struct.field("text"))
    assert binary["text"].to_list()[:50] == [trommel_text.extract(page).text for page in pages]
