import gzip
import hashlib
import http.server
import io
import json
import logging
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import pytest
import trommel_text
from conftest import ROOT, SENTENCE, page, record

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


def texts(archive, **keywords):
    return [row["text"] for row in rows(trommel_text.read_warc(archive, **keywords))]


def test_every_key_of_a_configuration_has_its_effect(archive, sample, tmp_path):
    plain = texts(archive)
    marked = texts(archive, config={"text": "markdown"})
    assert marked != plain == texts(archive, config={"text": "plain"})
    assert marked == texts(archive, markdown=True) == texts(archive, extractor=trommel_text.Extractor(markdown=True))
    # A choice wins over the file.
    assert texts(archive, config={"text": "markdown"}, markdown=False) == plain
    assert texts(archive, config={"include": ["navigation"]}) == texts(archive, include="navigation") != plain
    assert texts(archive, config={"exclude": ["body"]}) != plain
    assert texts(archive, config={"headline": "include"}) == texts(archive, headline="include") != plain
    assert texts(sample, config={"model": "lite"}) == texts(sample, model="lite") != texts(sample)
    assert texts(sample, config={"comments": "include"}) == texts(sample, comments="include") != texts(sample)
    twice = page(1).replace(b"</body>", b"") + page(2).replace(b"<article>", b"<article id=b>")
    two = tmp_path / "two.warc.gz"
    two.write_bytes(record(1, twice))
    assert texts(two, config={"articles": "first"}) == texts(two, articles="first")
    for key in ("blocks", "spans", "tables"):
        (first, *_) = trommel_text.read_warc(archive, config={key: True})
        assert key in first.column_names
        assert first.column_names == trommel_text.document_schema(config={key: True}).column_names
    # Longer than the least bound.
    long = tmp_path / "long.warc.gz"
    more = b"".join(b"<p>" + SENTENCE.encode() + b" %d</p>" % number for number in range(40))
    long.write_bytes(record(1, page(1).replace(b"</article>", more + b"</article>")))
    whole = texts(long)
    for key in ("max_payload", "max_record"):
        assert texts(long, config={key: 1024}) != whole, key
    # Of files, which there are none of here; and the ready ones go on serving.
    assert texts(archive, config={"format": "wet", "compress": "gz", "split_size": 4096}) == plain
    for bad in ({"model": "nonsense"}, {"sites": str(tmp_path / "none.sites")}):
        with pytest.raises((ValueError, trommel_text.TrommelError), match="none.sites|nonsense"):
            trommel_text.read_warc(archive, config=bad)
    with pytest.raises(ValueError, match="output.compress: parquet cannot be compressed as zst"):
        trommel_text.read_warc(archive, config={"format": "parquet", "compress": "zst"})


def test_what_an_extractor_says_is_not_said_again(archive, tmp_path):
    extractor = trommel_text.Extractor()
    config = tmp_path / "c.toml"
    config.write_text("comments = 'exclude'\n[filters]\nmin_words = 1\n")
    for call in (trommel_text.read_warc, lambda *given, **more: trommel_text.run(*given, tmp_path / "o", **more)):
        for twice in ({"config": {"comments": "include"}}, {"config": config}, {"markdown": True}):
            with pytest.raises(ValueError, match="(comments of config|text) and extractor"):
                call(archive, extractor=extractor, **twice)
    assert len(rows(trommel_text.read_warc(archive, extractor=extractor, config={"filters": {"min_words": 1}}))) == 30


def sited(folder):
    """An archive of pages of one site, which share a paragraph."""
    path = folder / "site.warc.gz"
    shared = b"<p>" + SENTENCE.encode() + b" Subscribe to the letter of the mill and get it every week.</p></article>"
    path.write_bytes(b"".join(record(number, page(number).replace(b"</article>", shared)) for number in range(40)))
    return path


def test_a_memory_of_sites_has_its_effect(tmp_path):
    archive = sited(tmp_path)
    plain = texts(archive)
    two_pass = texts(archive, config={"site_memory": "two-pass"})
    assert plain != two_pass
    assert texts(archive, config={"site_memory": "off"}) == plain
    (row, *_) = rows(trommel_text.read_warc(archive, config={"site_memory": "two-pass"}))
    assert row["notes"] == "site memory: fixed"
    trommel_text.run(archive, tmp_path / "o.jsonl", config={"site_memory": "two-pass"})
    written = [json.loads(line)["text"] for line in (tmp_path / "o.jsonl").read_text().splitlines()]
    assert written == two_pass
    with open(archive, "rb") as file, pytest.raises(ValueError, match="once only"):
        trommel_text.read_warc(file, config={"site_memory": "two-pass"})
    # Another way to make the text what it is: not one run.
    with pytest.raises(trommel_text.RunError):
        trommel_text.run(archive, tmp_path / "o.jsonl", resume=True)


def test_a_run_has_what_the_program_has(archive, tmp_path):
    def ran(name, inputs=archive, **keywords):
        counts = trommel_text.run(inputs, tmp_path / name, **keywords)
        lines = (tmp_path / name).read_text().splitlines()
        return counts, [json.loads(line) for line in lines]

    _, all_ = ran("all.jsonl")
    # Single records by an index.
    index = tmp_path / "i.cdxj"
    places = [json.dumps({"filename": archive.name, "offset": row["source"]["offset"], "length": row["source"]["length"]}) for row in all_[3:5]]
    index.write_text("".join(f"a 2024 {place}\n" for place in places))
    _, found = ran("selected.jsonl", [], select=index)
    assert [row["url"] for row in found] == [row["url"] for row in all_[3:5]]
    # A share of the inputs.
    folder = tmp_path / "crawl"
    folder.mkdir()
    for number in range(8):
        (folder / f"{number}.warc.gz").write_bytes(record(number, page(number)))
    counts = [ran(f"share{part}.jsonl", folder, shard=f"{part}/2")[0]["documents"] for part in (1, 2)]
    assert sum(counts) == 8 and 0 < counts[0] < 8
    # Records of another kind.
    with open(archive, "ab") as file:
        file.write(record(77, b"%PDF-1.7 a report"))
    counts, _ = ran("aside.jsonl", set_aside={"pdf": tmp_path / "pdfs.warc.gz"})
    assert counts["set_aside"] == {str(tmp_path / "pdfs.warc.gz"): 1}
    assert b"%PDF-1.7 a report" in gzip.decompress((tmp_path / "pdfs.warc.gz").read_bytes())
    # What grows, until nothing new comes.
    _, found = ran("followed.jsonl", folder, follow=True, idle=0.1, until_idle=0.3)
    assert len(found) == 8
    _, found = ran("linked.jsonl", folder, links=True, images=True)
    assert found[0]["text"].startswith("# Page 0")
    for bad, told in [
        ({"shard": "3/2"}, "shard: expected I/N"),
        ({"set_aside": {"pdf": "pdfs"}}, "KIND=FILE.warc.gz"),
        ({"set_aside": {"pdf": archive.parent / "x.warc.gz", "image": archive.parent / "x.warc.gz"}}, "is an output"),
        ({"follow": True, "shard": "1/2"}, "^follow=True and shard exclude each other"),
        ({"idle": 1}, "follow=True"),
        ({"whole_ranges": True}, "name one with select$"),
        ({"format": "csv"}, "unknown value .csv."),
        ({"format": "parquet", "compress": "zst"}, "leave the key out"),
    ]:
        with pytest.raises(ValueError, match=told):
            trommel_text.run(archive, tmp_path / "bad", **bad)
    with pytest.raises(ValueError, match="can be followed"):
        trommel_text.run("https://a.example/x.warc.gz", tmp_path / "bad", follow=True)
    # The configuration that ships says jsonl and zst.
    counts = trommel_text.run(folder, tmp_path / "parquet", format="parquet", config=ROOT / "pipelines" / "common-crawl.toml")
    assert counts["outcome"] == "clean"


class Bucket(http.server.BaseHTTPRequestHandler):
    """As much of S3 as a run asks for: a list, and objects in one piece."""

    objects: dict = {}

    def log_message(self, *_):
        pass

    def answer(self, body=b"", headers=()):
        self.send_response(200)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        keys = "".join(f"<Contents><Key>{key}</Key><Size>1</Size><LastModified>2024-05-01T00:00:00.000Z</LastModified><ETag>x</ETag></Contents>" for key in self.objects)
        self.answer(f"<ListBucketResult><IsTruncated>false</IsTruncated>{keys}</ListBucketResult>".encode())

    def do_PUT(self):
        self.objects[self.path.partition("?")[0].split("/", 2)[2]] = self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(headers=[("ETag", '"x"')])


def test_outputs_on_s3(archive, tmp_path, monkeypatch):
    Bucket.objects = {}
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Bucket)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for name, value in {
        "AWS_ENDPOINT": f"http://127.0.0.1:{server.server_port}",
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "k",
        "AWS_SECRET_ACCESS_KEY": "s",
        "AWS_DEFAULT_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    try:
        try:
            counts = trommel_text.run(archive, "s3://bucket/out", format="jsonl", compress="none")
        except trommel_text.RunError as error:
            assert "feature `remote`" in str(error)
            pytest.skip("built without a network")
        assert counts["files"][0]["outputs"] == ["s3://bucket/out/pages.jsonl"]
        trommel_text.run(archive, tmp_path / "a.jsonl")
        assert Bucket.objects["out/pages.jsonl"] == (tmp_path / "a.jsonl").read_bytes()
        assert "out/_SUCCESS" in Bucket.objects
        with pytest.raises(trommel_text.RunError, match="is there already"):
            trommel_text.run(archive, "s3://bucket/out", format="jsonl", compress="none")
    finally:
        server.shutdown()


def test_a_run_tells_its_progress_and_refuses_to_replace(archive, tmp_path):
    told = []
    out = tmp_path / "a.jsonl"
    counts = trommel_text.run(archive, out, progress=told.append)
    assert told[-1]["documents"] == counts["documents"] == 30
    counts = {"records", "pages", "documents", "dropped", "failures"}
    assert set(told[-1]) == {"bytes", "total", "archives", *counts}
    before = hashlib.sha256(out.read_bytes()).digest()
    # In Python's words, not in those of the command line.
    with pytest.raises(trommel_text.RunError, match="is there already; overwrite=True replaces it, resume=True continues"):
        trommel_text.run(archive, out)
    trommel_text.run(archive, out, overwrite=True, jobs=1)
    assert hashlib.sha256(out.read_bytes()).digest() == before
    for bad in ("-", "https://host.example/out/"):
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
    told = []
    scores = trommel_text.train([sample], tmp_path / "own.trommel", base="fast", folds=2, progress=told.append)
    assert scores[0]["pages"] > 30
    assert told[0].startswith("pages to learn from: ") and "cross-validation: 2 of 2 folds" in told, told
    model = trommel_text.Extractor(tmp_path / "own.trommel")
    assert model.extract(page(1)).text.startswith("Paragraph 1 of page 1")
    # It goes along when it is pickled.
    import pickle

    packed = pickle.dumps(model)
    (tmp_path / "own.trommel").unlink()
    assert pickle.loads(packed).extract(page(1)) == model.extract(page(1))


def test_documents_one_by_one_without_pyarrow(archive, sample, tmp_path):
    trommel_text.run(sample, tmp_path / "all.jsonl", posts=True, tables=True, chunks="words=100")
    expected = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    reader = trommel_text.read_documents(sample, posts=True, tables=True, chunks="words=100")
    documents = list(reader)
    assert [document.to_dict() for document in documents] == expected
    assert reader.summary["documents"] == len(documents) > 30
    first = documents[0]
    assert first.url == expected[0]["url"] and first.date == expected[0]["date"]
    source = expected[0]["source"]
    assert first.place == f"{sample}:{source['offset']}:{source['length']}"
    assert pickle.loads(pickle.dumps(first)) == first
    # As a newcomer would, in a Python that has no pyarrow.
    script = (
        "import sys; sys.modules['pyarrow'] = None; import trommel_text\n"
        "for document in trommel_text.read_documents(sys.argv[1], limit=3): print(document.url)\n"
        "try: next(trommel_text.read_warc(sys.argv[1])).to_pylist()\n"
        "except ImportError as error: print(error)"
    )
    made = subprocess.run([sys.executable, "-c", script, archive], capture_output=True, text=True)
    lines = made.stdout.splitlines()
    assert lines[:3] == [f"https://news.example/{number}" for number in range(3)], made.stderr
    assert lines[3].startswith("this needs pyarrow: pip install 'trommel_text[arrow]'")


def test_some_records(archive, tmp_path):
    assert [row["url"] for row in rows(trommel_text.read_warc(archive, limit=2))] == [
        "https://news.example/0",
        "https://news.example/1",
    ]
    batches = trommel_text.read_warc(archive, url=["*/1?", "news.example/7"], limit=3)
    assert [row["url"][21:] for row in rows(batches)] == ["7", "10", "11"]
    assert batches.summary["limit_reached"] is True
    # A URL may have commas of its own.
    assert rows(trommel_text.read_warc(archive, url="*/1,2")) == []
    hosts = tmp_path / "hosts.txt"
    hosts.write_text("# those that are left out\nnews.example\n")
    assert rows(trommel_text.read_warc(archive, not_host=str(hosts))) == []
    assert len(rows(trommel_text.read_warc(archive, host="example"))) == 30
    with pytest.raises(ValueError, match="gone.txt: no such file"):
        trommel_text.read_warc(archive, host="gone.txt")
