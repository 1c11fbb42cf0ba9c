"""Beam on its local runner: the documents of `trommel run` from paths, and documents of pages."""

import json

import pytest

beam = pytest.importorskip("apache_beam")

import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
import trommel_text  # noqa: E402
from apache_beam.options.pipeline_options import PipelineOptions  # noqa: E402
from conftest import hashes  # noqa: E402
from trommel_text import beam as trommel_beam, shards  # noqa: E402

OPTIONS = PipelineOptions(runner="DirectRunner", direct_num_workers=2, direct_running_mode="multi_threading")


def test_archives_become_parquet(archives, expected, tmp_path):
    read = trommel_beam.ReadWarc(reports=str(tmp_path / "reports"))
    with beam.Pipeline(options=OPTIONS) as pipeline:
        documents = pipeline | beam.Create([str(one) for one in archives]) | read
        _ = documents | beam.io.WriteToParquet(str(tmp_path / "documents"), read.schema, file_name_suffix=".parquet")
    table = pa.concat_tables(pq.read_table(path) for path in sorted(tmp_path.glob("*.parquet")))
    assert table.schema.names == read.schema.names
    assert hashes(zip(table["id"].to_pylist(), table["text"].to_pylist())) == expected
    merged = shards.merge(tmp_path, archives, reports=tmp_path / "reports")
    assert merged["documents"] == table.num_rows
    assert merged["unread"] == [str(archives[23])] and merged["damaged"] == 1


def test_pages_become_documents(tmp_path):
    pages = [
        {"number": number, "html": f"<p>Page {number}. " + "The mill stands by the river. " * 5, "url": f"https://a.example/{number}"}
        for number in range(50)
    ]
    out = tmp_path / "texts"
    with beam.Pipeline(options=OPTIONS) as pipeline:
        documents = pipeline | beam.Create(pages) | trommel_beam.Extract("html", url="url", markdown=True)
        lines = documents | beam.Map(lambda row: json.dumps([row["number"], row["url"], row["text"], "html" in row]))
        _ = lines | beam.io.WriteToText(str(out))
    found = [json.loads(line) for path in tmp_path.glob("texts-*") for line in path.read_text().splitlines()]
    texts = [trommel_text.extract(page["html"], markdown=True).text for page in pages]
    assert sorted(found) == [[page["number"], page["url"], text, False] for page, text in zip(pages, texts)]


def test_unknown_choices_are_refused_at_once():
    with pytest.raises(TypeError, match="nonsense"):
        trommel_beam.ReadWarc(nonsense=1)
