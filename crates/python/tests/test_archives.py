import gzip
import hashlib
import io
import json
import logging
import os
import signal
import threading
import time

import pytest
import trommel_text
from conftest import page, record

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def rows(batches):
    return [row for batch in batches for row in batch.to_pylist()]


def test_documents_are_those_of_a_run(sample, tmp_path):
    counts = trommel_text.run(str(sample), tmp_path / "out", format=["parquet", "jsonl"], compress="gz")
    assert counts["outcome"] == "clean"
    (written,) = (tmp_path / "out").glob("*.parquet")
    table = pq.read_table(written)
    assert table.num_rows == counts["documents"] > 30
    batches = trommel_text.read_warc(sample, batch_size=7)
    assert batches.summary is None
    read = [batch.to_pyarrow() for batch in batches]
    assert {batch.num_rows for batch in read[:-1]} == {7}
    merged = pa.Table.from_batches(read)
    merged.validate(full=True)
    assert merged.column_names == table.column_names
    assert merged.to_pylist() == table.to_pylist()
    summary = batches.summary
    for key in ("records", "documents", "pages", "drops"):
        assert summary[key] == counts[key]
    (lines,) = (tmp_path / "out").glob("*.jsonl.gz")
    with gzip.open(lines) as file:
        texts = [json.loads(line)["text"] for line in file]
    assert texts == merged["text"].to_pylist()


def test_paths_file_objects_and_lists(archive, tmp_path):
    expected = rows(trommel_text.read_warc(archive))
    assert [row["url"] for row in expected] == [f"https://news.example/{number}" for number in range(30)]
    assert rows(trommel_text.read_warc(str(archive))) == expected
    with open(archive, "rb") as file:
        assert rows(trommel_text.read_warc(file)) == expected
    unnamed = rows(trommel_text.read_warc(io.BytesIO(archive.read_bytes())))
    assert [row["text"] for row in unnamed] == [row["text"] for row in expected]
    assert {row["file_path"] for row in unnamed} == {"<file>"}
    assert len(rows(trommel_text.read_warc([archive, str(archive)]))) == 60
    # The place leads to the record.
    place = expected[11]
    member = archive.read_bytes()[place["source_offset"] :][: place["source_length"]]
    assert gzip.decompress(member).endswith(page(11) + b"\r\n\r\n")


def test_a_file_object_that_fails_is_reported():
    class Failing(io.RawIOBase):
        name = "failing.warc.gz"

        def read(self, size=-1):
            raise OSError("the network is gone")

    with pytest.raises(trommel_text.ArchiveError, match="failing.warc.gz.*the network is gone") as error:
        list(trommel_text.read_warc(Failing()))
    assert error.value.file == "failing.warc.gz"


def test_damage_is_told_with_its_place(archive, caplog):
    bytes_ = bytearray(archive.read_bytes())
    place = rows(trommel_text.read_warc(archive))[10]
    middle = place["source_offset"] + place["source_length"] // 2
    bytes_[middle : middle + 60] = b"\xff" * 60
    archive.write_bytes(bytes_)
    with caplog.at_level(logging.WARNING, logger="trommel_text"):
        batches = trommel_text.read_warc(archive)
        kept = rows(batches)
    assert len(kept) == 29 and batches.summary["damaged"] >= 1
    assert any("pages.warc.gz" in line and "offset" in line for line in caplog.messages), caplog.messages
    strict = trommel_text.read_warc(archive, strict=True)
    with pytest.raises(trommel_text.ArchiveError, match="offset") as error:
        list(strict)
    assert error.value.file == str(archive)
    assert place["source_offset"] <= error.value.offset <= middle + 60


def test_what_is_not_there(tmp_path):
    with pytest.raises(trommel_text.ArchiveError, match="none.warc.gz") as error:
        list(trommel_text.read_warc(tmp_path / "none.warc.gz"))
    assert error.value.file.endswith("none.warc.gz")
    with pytest.raises(ValueError, match="sys.stdin.buffer"):
        trommel_text.read_warc("-")
    with pytest.raises(TypeError):
        trommel_text.read_warc(7)


def test_filters_from_a_dict_and_from_a_file(archive, tmp_path):
    with open(archive, "ab") as file:
        file.write(record(99, page(3), status=404))
    filters = {"filters": {"status": [200], "duplicates": {"exact": True}}}
    batches = trommel_text.read_warc(archive, config=filters)
    assert len(rows(batches)) == 30 and batches.summary["drops"] == {"http-status": 1}
    config = tmp_path / "c.toml"
    config.write_text("[filters]\nmin_words = 100000\n")
    assert rows(trommel_text.read_warc(archive, config=config)) == []
    with pytest.raises(ValueError, match="min_word"):
        trommel_text.read_warc(archive, config={"filters": {"min_word": 1}})
    with pytest.raises(ValueError, match="no page type"):
        trommel_text.read_warc(archive, config={"filters": {"page_types": ["poem"]}})


def test_a_run_tells_its_progress_and_refuses_to_replace(archive, tmp_path):
    told = []
    out = tmp_path / "a.jsonl"
    counts = trommel_text.run(archive, out, progress=told.append)
    assert told[-1]["documents"] == counts["documents"] == 30
    assert set(told[-1]) == {"bytes", "total", "records", "documents", "failures"}
    before = hashlib.sha256(out.read_bytes()).digest()
    with pytest.raises(trommel_text.RunError, match="is there already"):
        trommel_text.run(archive, out)
    trommel_text.run(archive, out, overwrite=True, jobs=1)
    assert hashlib.sha256(out.read_bytes()).digest() == before
    for bad in ("-", "s3://bucket/out/"):
        with pytest.raises(ValueError):
            trommel_text.run(archive, bad)


def test_an_exception_of_the_callback_ends_the_run_and_resume_continues_it(tmp_path):
    archive = tmp_path / "long.warc.gz"
    archive.write_bytes(b"".join(record(number, page(number) * 20) for number in range(3000)))
    whole = tmp_path / "whole" / "a.jsonl.zst"
    whole.parent.mkdir()
    trommel_text.run(archive, whole)

    def stop(counts):
        if counts["documents"] > 0:
            raise RuntimeError("enough")

    out = tmp_path / "a.jsonl.zst"
    with pytest.raises(RuntimeError, match="enough"):
        trommel_text.run(archive, out, progress=stop)
    assert not out.exists()
    counts = trommel_text.run(archive, out, resume=True)
    assert counts["documents"] == 3000 and out.read_bytes() == whole.read_bytes()


@pytest.mark.usefixtures("hears_ctrl_c")
def test_ctrl_c_ends_reading(tmp_path):
    # A pipe into which nobody writes.
    read, write = os.pipe()

    def press():
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        list(trommel_text.read_warc(f"/dev/fd/{read}"))
    thread.join()
    os.close(write)
    os.close(read)


def test_an_iterator_is_not_taken_over_a_fork(archive):
    batches = trommel_text.read_warc(archive)
    child = os.fork()
    if child == 0:
        try:
            next(batches)
        except ValueError:
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert len(rows(batches)) == 30


def test_reading_may_end_early(archive):
    for _ in range(20):
        batches = trommel_text.read_warc(archive, batch_size=1)
        next(batches)
        batches.close()
        del batches


def test_scores_are_those_of_the_program(sample):
    report = trommel_text.evaluate(sample)
    assert report["overall"]["pages"] > 30 and report["overall"]["f1"] > 0.85
    assert report["set"] == "wcxb-sample"
    with pytest.raises(trommel_text.TrommelError):
        trommel_text.evaluate("no.such")


@pytest.mark.skipif(not hasattr(trommel_text, "train"), reason="built without training")
def test_training_writes_a_model(sample, tmp_path):
    scores = trommel_text.train([sample], tmp_path / "own.trommel", base="fast", folds=2)
    assert scores[0]["pages"] > 30
    model = trommel_text.Extractor(tmp_path / "own.trommel")
    assert model.extract(page(1)).text.startswith("Paragraph 1 of page 1")
    # It goes along when it is pickled.
    import pickle

    packed = pickle.dumps(model)
    (tmp_path / "own.trommel").unlink()
    assert pickle.loads(packed).extract(page(1)) == model.extract(page(1))
