import json

import pytest
import trommel_text
from conftest import page, record
from trommel_text import shards

pq = pytest.importorskip("pyarrow.parquet")


def archives(folder, count=4):
    paths = []
    for number in range(count):
        path = folder / f"part-{number}.warc.gz"
        path.write_bytes(b"".join(record(number * 100 + at, page(number * 100 + at)) for at in range(10)))
        paths.append(path)
    return paths


def test_names_of_shards():
    assert shards.name_of("/a/b/CC-MAIN-1.warc.gz") == "CC-MAIN-1"
    assert shards.name_of("s3://bucket/x.wacz?versionId=3") == "x"
    assert shards.name_of("a.arc") == "a" and shards.name_of("notes.txt") == "notes.txt"


def test_shards_add_up_to_one_run(tmp_path):
    paths = archives(tmp_path)
    out = tmp_path / "out"
    for path in reversed(paths):
        shards.run_shard(path, out)
    merged = shards.merge(out, paths)
    whole = trommel_text.run([str(path) for path in paths], tmp_path / "whole", format=["parquet"])
    for key in ("records", "documents", "pages", "drops", "failures", "stored_bytes", "text_bytes"):
        assert merged[key] == whole[key], key
    assert merged["shards"] == 4 and merged["missing"] == [] and merged["unread"] == []
    assert (out / "_SUCCESS").exists() and json.loads((out / "_MANIFEST").read_text())["documents"] == 40
    for path in paths:
        name = f"{shards.name_of(path)}.parquet"
        assert (out / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_a_committed_shard_is_not_done_again(tmp_path):
    (path,) = archives(tmp_path, 1)
    first = shards.run_shard(path, tmp_path / "out")
    written = tmp_path / "out" / "part-0.parquet"
    time = written.stat().st_mtime_ns
    again = shards.run_shard(path, tmp_path / "out")
    assert {**again, "seconds": 0} == {**first, "seconds": 0}
    assert written.stat().st_mtime_ns == time
    # What is there without its state is nobody's: it is written again.
    (tmp_path / "out" / "_part-0.parquet.state").unlink()
    written.write_bytes(b"half of a file")
    shards.run_shard(path, tmp_path / "out")
    assert pq.read_table(written).num_rows == 10


def test_a_corrupt_and_a_missing_shard_are_reported_and_the_rest_completes(tmp_path):
    paths = archives(tmp_path)
    cut = paths[1].read_bytes()
    paths[1].write_bytes(cut[: len(cut) - 250])
    paths[2].write_bytes(b"no archive at all")
    gone = tmp_path / "gone.warc.gz"
    for path in [*paths, gone]:
        shards.run_shard(path, tmp_path / "out")
    merged = shards.merge(tmp_path / "out", [*paths, gone, "never-run.warc.gz"])
    assert merged["documents"] == 30 - 1 and merged["missing"] == ["never-run.warc.gz"]
    assert str(gone) in merged["unread"] and not (tmp_path / "out" / "_SUCCESS").exists()


def test_two_inputs_of_one_name_are_refused(tmp_path):
    (path,) = archives(tmp_path, 1)
    other = tmp_path / "other"
    other.mkdir()
    (other / path.name).write_bytes(path.read_bytes())
    shards.run_shard(path, tmp_path / "out")
    with pytest.raises(ValueError, match="the shard part-0 is that of"):
        shards.run_shard(other / path.name, tmp_path / "out")


def test_what_failed_lies_in_one_place(tmp_path):
    for path in archives(tmp_path, 2):
        shards.run_shard(path, tmp_path / "out")
    assert not (tmp_path / "out" / "quarantine.warc.gz").exists()
    # As shards with failed records leave them.
    for number in (1, 0):
        held = tmp_path / "out" / "_quarantine" / f"part-{number}.warc.gz"
        held.write_bytes(record(number, page(number)))
    shards.merge(tmp_path / "out")
    rows = [row for batch in trommel_text.read_warc(tmp_path / "out" / "quarantine.warc.gz") for row in batch.to_pylist()]
    assert [row["url"] for row in rows] == ["https://news.example/0", "https://news.example/1"]
