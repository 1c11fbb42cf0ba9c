"""Ray with two workers: the documents of `trommel run`, also if a worker is killed."""

import os
import signal
import threading
import time

import pytest

ray = pytest.importorskip("ray")

import pyarrow as pa  # noqa: E402
import trommel_text  # noqa: E402
from conftest import descendants, hashes  # noqa: E402
from trommel_text import ray as trommel_ray, shards  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=400 << 20, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


def collected(dataset):
    return hashes((row["id"], row["text"]) for row in dataset.select_columns(["id", "text"]).iter_rows())


def test_archives_as_a_dataset(archives, expected, tmp_path):
    dataset = trommel_ray.read_warc([str(one) for one in archives], reports=str(tmp_path / "reports"))
    assert collected(dataset) == expected
    merged = shards.merge(tmp_path, archives, reports=tmp_path / "reports")
    assert merged["documents"] == sum(len(value.split()) for value in expected.values())
    assert merged["unread"] == [str(archives[23])] and merged["damaged"] == 1


def test_pages_by_actors():
    pages = [f"<p>Page {number}. " + "The mill stands by the river, and its wheel turns. " * 3 for number in range(200)]
    table = pa.table({"number": range(200), "html": pages, "url": [f"https://a.example/{at}" for at in range(200)]})
    made = ray.data.from_arrow(table).map_batches(
        trommel_ray.Extract,
        fn_constructor_kwargs={"content": "html", "url": "url"},
        batch_format="pyarrow",
        batch_size=32,
        concurrency=2,
    )
    rows = {row["number"]: row for row in made.iter_rows()}
    assert len(rows) == 200
    for number, page in enumerate(pages):
        assert rows[number]["text"] == trommel_text.extract(page).text and rows[number]["url"].endswith(f"/{number}")
    assert "html" not in rows[0]


def workers():
    """Processes that run a task of the reading just now; Ray's own are called `ray::` as well."""
    return [process for process, command in descendants().items() if command.startswith("ray::Read")]


def test_a_worker_that_is_killed_changes_nothing(archives, expected, tmp_path):
    killed = []

    def kill():
        while not killed:
            if list((tmp_path / "reports").glob("*.json")):
                for process in workers()[:1]:
                    os.kill(process, signal.SIGKILL)
                    killed.append(process)
            time.sleep(0.02)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    dataset = trommel_ray.read_warc([str(one) for one in archives], reports=str(tmp_path / "reports"))
    assert collected(dataset) == expected
    assert killed
