"""Flink on a local cluster: the documents of `trommel run` from a table of paths, and texts of pages."""

import sys

import pytest

pytest.importorskip("pyflink")

import trommel_text  # noqa: E402
from conftest import hashes  # noqa: E402
from pyflink.table import EnvironmentSettings, TableEnvironment  # noqa: E402
from pyflink.table.expressions import col, lit  # noqa: E402
from trommel_text import flink as trommel_flink, shards  # noqa: E402


@pytest.fixture(scope="module")
def tables():
    environment = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    for key, value in {
        "parallelism.default": "2",
        "python.executable": sys.executable,
        "python.client.executable": sys.executable,
    }.items():
        environment.get_config().set(key, value)
    return environment


def rows_of(table):
    with table.execute().collect() as rows:
        return [tuple(row) for row in rows]


def test_archives_as_a_table(tables, archives, expected, tmp_path):
    paths = tables.from_elements([(str(one),) for one in archives], ["path"])
    documents = trommel_flink.documents(reports=str(tmp_path / "reports"))
    made = paths.join_lateral(documents(col("path")).alias(*trommel_flink.COLUMNS))
    rows = rows_of(made.select(col("id"), col("text"), col("file_path"), col("path")))
    assert hashes((row[0], row[1]) for row in rows) == expected
    assert all(row[2] == row[3] for row in rows)
    merged = shards.merge(tmp_path, archives, reports=tmp_path / "reports")
    assert merged["documents"] == len(rows)
    assert merged["unread"] == [str(archives[23])] and merged["damaged"] == 1


def test_texts_of_pages(tables):
    pages = [(number, f"<p>Page {number}. " + "The <b>mill</b> stands by the river. " * 5) for number in range(50)]
    table = tables.from_elements(pages, ["number", "html"])
    text = trommel_flink.extract_text(markdown=True)
    rows = rows_of(table.select(col("number"), text(col("html"), lit("https://a.example/"))))
    assert sorted(rows) == [(number, trommel_text.extract(html, markdown=True).text) for number, html in pages]
