"""DuckDB: the documents of `trommel run` from a stream and from a table function, texts of pages in SQL, and the join with
annotations."""

import os
import shutil
import subprocess

import pytest

duckdb = pytest.importorskip("duckdb")

import trommel_text  # noqa: E402
from conftest import hashes  # noqa: E402
from trommel_text import duckdb as trommel_duckdb, shards  # noqa: E402

PROGRAM = os.environ.get("TROMMEL", "trommel")


def test_archives_as_a_stream(archives, expected, tmp_path):
    documents = trommel_duckdb.read_warc([str(one) for one in archives], reports=tmp_path / "reports")
    assert hashes(duckdb.sql("SELECT id, text FROM documents").fetchall()) == expected
    assert documents.schema.names[:2] == ["text", "id"]
    merged = shards.merge(tmp_path, archives, reports=tmp_path / "reports")
    assert merged["documents"] == sum(len(value.split()) for value in expected.values())
    assert merged["unread"] == [str(archives[23])] and merged["damaged"] == 1


def test_archives_by_a_table_function(archives, expected):
    connection = duckdb.connect()
    trommel_duckdb.register(connection)
    pattern = str(archives[0].parent / "*.warc.gz")
    rows = connection.execute("SELECT id, text FROM read_warc(?)", [pattern]).fetchall()
    assert hashes(rows) == expected
    query = f"SELECT count(*), max(word_count) FROM read_warc('{archives[0]}') WHERE lang IS NOT NULL"
    [(count, longest)] = connection.sql(query).fetchall()
    assert count > 5 and longest > 50


def test_texts_of_pages():
    connection = duckdb.connect()
    trommel_duckdb.register(connection, extractor=trommel_text.Extractor(markdown=True))
    pages = [f"<h1>Mill</h1><p>Page {number}. " + "The <b>mill</b> stands by the river. " * 5 for number in range(50)]
    connection.execute("CREATE TABLE pages (number INTEGER, html BLOB)")
    connection.executemany("INSERT INTO pages VALUES (?, ?)", [(at, page.encode()) for at, page in enumerate(pages)])
    rows = connection.sql("SELECT number, extract_text(html, NULL) FROM pages ORDER BY number").fetchall()
    assert rows == [(at, trommel_text.extract(page, markdown=True).text) for at, page in enumerate(pages)]
    assert "**mill**" in rows[0][1]


@pytest.mark.skipif(not shutil.which(PROGRAM), reason="no program trommel; name it in TROMMEL")
def test_the_table_function_joins_with_annotations(archives, tmp_path):
    table = tmp_path / "annotations.parquet"
    subprocess.run([PROGRAM, "annotate", "-q", archives[0], archives[1], "-o", table], check=True)
    connection = duckdb.connect()
    trommel_duckdb.register(connection)
    joined, equal, missing = connection.execute(
        f"SELECT count(*), count(*) FILTER (p.source_offset = a.warc_record_offset), count(*) FILTER (a.url IS NULL) "
        f"FROM read_warc(?) p LEFT JOIN '{table}' a ON p.id = a.warc_record_id",
        [str(archives[0])],
    ).fetchone()
    assert joined == equal > 5 and missing == 0
