"""Spark with two executors: the documents of `trommel run`, whatever happens to an executor."""

import json
import os
import signal
import sys
import threading
import time

import pytest

pyspark = pytest.importorskip("pyspark")

import pyarrow.parquet as pq  # noqa: E402
import trommel_text  # noqa: E402
from conftest import descendants, hashes  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402
from trommel_text import shards, spark as trommel_spark  # noqa: E402


@pytest.fixture(scope="module")
def spark():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_HOME", os.path.dirname(pyspark.__file__))
    master = os.environ.get("TROMMEL_SPARK_MASTER", "local-cluster[2,1,2048]")
    session = (
        SparkSession.builder.master(master)
        .config("spark.executor.memory", "1024m")
        .config("spark.task.maxFailures", "4")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.python.filterPushdown.enabled", "true")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    session.dataSource.register(trommel_spark.TrommelDataSource)
    print("master:", session.sparkContext.master)
    yield session
    session.stop()


def collected(frame):
    return hashes((row["id"], row["text"]) for row in frame.select("id", "text").toLocalIterator())


def test_the_data_source_gives_the_documents_of_a_run(spark, archives, expected, tmp_path):
    frame = spark.read.format("trommel").option("reports", str(tmp_path / "reports")).load([str(one) for one in archives])
    assert frame.rdd.getNumPartitions() == len(archives)
    assert collected(frame) == expected
    merged = shards.merge(tmp_path, archives, reports=tmp_path / "reports")
    assert merged["documents"] == len([one for value in expected.values() for one in value.split()])
    # One is no archive and gives no rows; the cut one gives all before the cut.
    assert merged["shards"] == len(archives) and merged["unread"] == [str(archives[23])]
    assert merged["damaged"] == 1


def test_parquet_reads_the_same(spark, archives, expected, tmp_path):
    whole = [str(one) for number, one in enumerate(archives) if number < 6]
    spark.read.format("trommel").load(whole).write.parquet(str(tmp_path / "spark"))
    trommel_text.run(whole, tmp_path / "run", format=["parquet"])
    ours = pq.read_table([str(one) for one in sorted((tmp_path / "run").glob("*.parquet"))])
    theirs = pq.read_table(tmp_path / "spark")
    assert theirs.column_names == ours.column_names

    def rows(table):
        return sorted(table.to_pylist(), key=lambda row: (row["file_path"], row["source_offset"], row["source_inner"]))

    assert rows(theirs) == rows(ours)


def test_filters_are_pushed_down_and_change_nothing(spark, archives):
    paths = [str(one) for one in archives[:4]]
    frame = spark.read.format("trommel").option("filterPushdown", "true").load(paths)
    everything = frame.select("id", "lang", "confidence", "file_path").collect()
    for condition, keep in [
        ("lang = 'en'", lambda row: row["lang"] == "en"),
        ("lang in ('de', 'zh') and confidence >= 0.5", lambda row: row["lang"] in ("de", "zh") and row["confidence"] >= 0.5),
        ("lang = 'no language'", lambda row: False),
        (f"file_path = '{paths[2]}'", lambda row: row["file_path"] == paths[2]),
    ]:
        found = sorted(row["id"] for row in frame.where(condition).select("id").collect())
        assert found == sorted(row["id"] for row in everything if keep(row)), condition
    assert frame.where(f"file_path = '{paths[2]}'").rdd.getNumPartitions() == 1


def test_map_in_arrow_over_pages_and_over_paths(spark, archives, expected):
    pages = [(number, f"<p>Page {number}. " + "The mill stands by the river, and its wheel turns. " * 3) for number in range(50)]
    frame = spark.createDataFrame(pages, "number int, html string")
    schema = trommel_spark.extract_schema(frame.select("number").schema)
    found = frame.mapInArrow(trommel_spark.extract_in_arrow("html", keep=["number"]), schema).collect()
    assert {row["number"]: row["text"] for row in found} == {
        number: trommel_text.extract(html).text for number, html in pages
    }
    paths = spark.createDataFrame([(str(one),) for one in archives], "path string").repartition(8)
    read = paths.mapInArrow(trommel_spark.read_in_arrow(), trommel_spark.document_schema())
    assert collected(read) == expected


def executors():
    return [process for process, command in descendants().items() if "CoarseGrainedExecutorBackend" in command]


def test_an_executor_that_is_killed_changes_nothing(spark, archives, expected, tmp_path):
    if not spark.sparkContext.master.startswith("local-cluster"):
        pytest.skip("there are no executors to kill")
    killed = []

    def kill():
        while not list((tmp_path / "reports").glob("*.json")) or not executors():
            time.sleep(0.05)
        victim = executors()[0]
        os.kill(victim, signal.SIGKILL)
        killed.append(victim)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    frame = spark.read.format("trommel").option("reports", str(tmp_path / "reports")).load([str(one) for one in archives])
    frame.write.parquet(str(tmp_path / "out"))
    assert killed and (tmp_path / "out" / "_SUCCESS").exists()
    table = pq.read_table(tmp_path / "out", columns=["id", "text"])
    assert hashes((row["id"], row["text"]) for row in table.to_pylist()) == expected
    assert shards.merge(tmp_path, archives, reports=tmp_path / "reports")["shards"] == len(archives)


def test_shards_written_by_tasks_are_those_of_a_run(spark, archives, expected, tmp_path):
    out = str(tmp_path / "out")

    def work(path):
        return shards.run_shard(path, out, jobs=1, format="jsonl")["documents"]

    documents = spark.sparkContext.accumulator(0)
    spark.sparkContext.parallelize([str(one) for one in archives], len(archives)).foreach(
        lambda path: documents.add(work(path))
    )
    merged = shards.merge(out, archives)
    assert documents.value == merged["documents"] == sum(len(value.split()) for value in expected.values())
    assert json.loads((tmp_path / "out" / "_MANIFEST").read_text())["documents"] == documents.value
