"""NeMo Curator's and dolma's own base classes, where these packages install; Dask."""

import pytest
import trommel_text
from conftest import hashes


def test_curator_iterator(archives):
    pytest.importorskip("nemo_curator.stages.text.download")
    from trommel_text.curator import TrommelAlgorithm, TrommelIterator

    iterator = TrommelIterator()
    rows = list(iterator.iterate(str(archives[0])))
    assert list(rows[0]) == iterator.output_columns()
    expected = [row for batch in trommel_text.read_warc(archives[0]) for row in batch.to_pylist() if row["text"]]
    assert [row["text"] for row in rows] == [row["text"] for row in expected]
    page = "<p>The mill stands by the river.</p><p>Its wheel has turned there for two hundred years.</p>"
    assert TrommelAlgorithm().extract_text(page, frozenset(), "ENGLISH") == trommel_text.extract(page).text.split("\n\n")
    assert TrommelAlgorithm().extract_text("", frozenset(), "ENGLISH") is None


def test_dolma_linearizer():
    pytest.importorskip("dolma.warc.linearizers")
    from dolma.warc.linearizers import LinearizerRegistry
    from trommel_text.dolma import TrommelLinearizer

    page = b"<p>The mill stands by the river, and its wheel has turned there for two hundred years.</p>"
    linearizer = LinearizerRegistry.get("trommel")()
    assert isinstance(linearizer, TrommelLinearizer)
    assert linearizer.linearize(page) == trommel_text.extract(page).text != ""


def test_dask_frames(archives, expected):
    pytest.importorskip("dask.dataframe")
    from trommel_text.dask import read_warc

    readable = [one for number, one in enumerate(archives) if number != 23]
    frame = read_warc(readable)
    assert frame.npartitions == len(readable)
    rows = frame[["id", "text"]].compute(scheduler="threads", num_workers=2)
    assert hashes(zip(rows["id"], rows["text"])) == expected
    with pytest.raises(trommel_text.ArchiveError):
        read_warc([archives[23]]).compute(scheduler="synchronous")


def test_cc_pyspark_rows(archives):
    from trommel_text.ccpyspark import documents_of_file

    with open(archives[0], "rb") as file:
        rows = list(documents_of_file("crawl-data/part-00.warc.gz", file))
    expected = [row for batch in trommel_text.read_warc(archives[0]) for row in batch.to_pylist()]
    assert [(row[0], row[3]) for row in rows] == [(row["id"], row["text"]) for row in expected]
