"""The cascade with a stand-in for the server of a model."""

import gzip
import json
import os
import shutil
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

duckdb = pytest.importorskip("duckdb")

ROOT = Path(__file__).resolve().parents[2]
ARCHIVE = ROOT / "samples" / "wcxb-sample.warc.gz"
SCRIPT = Path(__file__).parent / "hard_pages.py"
TROMMEL = os.environ.get("TROMMEL", "trommel")
pytestmark = pytest.mark.skipif(shutil.which(TROMMEL) is None, reason="no program trommel; name it in TROMMEL")

sys.path.insert(0, str(Path(__file__).parent))
import hard_pages


class Server(ThreadingHTTPServer):
    """A server that chooses the blocks of more than 60 characters. Each third time it is busy first."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.questions, self.keys, self.answer, self.redirect = [], [], None, None
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.path == "/v1/chat/completions" and body["model"] == "stand-in"
        server.questions.append(body["messages"][1]["content"])
        server.keys.append(self.headers["Authorization"])
        if server.redirect or len(server.questions) % 3 == 0:
            self.send_response(302 if server.redirect else 503)
            self.send_header("Location", server.redirect or "")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        lines = [line.partition(": ") for line in server.questions[-1].splitlines()]
        wanted = [number for number, _, text in lines if len(text) > 60]
        answer = server.answer or ", ".join(wanted) or "none"
        answer = json.dumps({"choices": [{"message": {"content": answer}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(hard_pages.time, "sleep", lambda _: None)
    server = Server()
    yield server
    server.shutdown()


def run(folder: Path, server: Server) -> subprocess.CompletedProcess:
    command = [sys.executable, SCRIPT, ARCHIVE, "-o", folder, "--server", server.url, "--model", "stand-in", "--share", "20%"]
    environment = {**os.environ, "OPENAI_API_KEY": "sesame", "TROMMEL": TROMMEL}
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment)


def documents(path: Path) -> list[dict]:
    query = "SELECT * EXCLUDE (filename, file_row_number) FROM read_parquet(?, filename=true, file_row_number=true) ORDER BY filename, file_row_number"
    found = duckdb.execute(query, [str(path)])
    names = [column[0] for column in found.description]
    return [dict(zip(names, row)) for row in found.fetchall()]


def test_hard_pages_take_the_texts_of_the_model(server, tmp_path):
    done = run(tmp_path, server)
    assert done.returncode == 0, done.stderr
    before, after = documents(tmp_path / "pages" / "*.parquet"), documents(tmp_path / "merged.parquet")
    theirs = {line["id"]: line for line in map(json.loads, (tmp_path / "theirs.jsonl").read_text().splitlines())}
    with gzip.open(tmp_path / "hard.warc.gz") as records:
        assert records.read().count(b"WARC/1.1\r\n") == len(theirs)
    assert 2 <= len(theirs) < len(before) / 2
    assert [page["id"] for page in before] == [page["id"] for page in after]
    with gzip.open(tmp_path / "hard.jsonl.gz", "rt", encoding="utf-8") as lines:
        blocks = {page["id"]: page["blocks"] for page in map(json.loads, lines)}
    for old, new in zip(before, after):
        if old["id"] in theirs:
            long = [block["text"] for block in blocks[old["id"]] if len(" ".join(block["text"].split())[:160]) > 60]
            assert new["text"].split() == " ".join(long).split() and new["extractor"] == "stand-in"
            old = old | {"text": new["text"], "extractor": new["extractor"]}
        assert old | {"extractor": old["extractor"] or ""} == new
    hardest = sorted(page["confidence"] for page in before)[: len(theirs)]
    assert sorted(page["confidence"] for page in before if page["id"] in theirs) == hardest
    assert set(server.keys) == {"Bearer sesame"}
    # Repeated, nothing is asked; after a kill, what was cut.
    asked = len(server.questions)
    assert run(tmp_path, server).returncode == 0 and len(server.questions) == asked
    cut = (tmp_path / "theirs.jsonl").read_bytes()[:-5]
    (tmp_path / "theirs.jsonl").write_bytes(cut)
    assert run(tmp_path, server).returncode == 0 and len(server.questions) > asked
    assert documents(tmp_path / "merged.parquet") == after


def test_pages_without_an_answer_keep_their_text(server, tmp_path):
    server.answer = "I think that the text is good."
    done = run(tmp_path, server)
    assert done.returncode == 0 and "no answer, keeps its text" in done.stderr
    assert (tmp_path / "theirs.jsonl").read_text() == ""
    assert documents(tmp_path / "merged.parquet") == [
        page | {"extractor": ""} for page in documents(tmp_path / "pages" / "*.parquet")
    ]


def test_the_key_is_not_sent_on(server, monkeypatch):
    other = Server()
    server.redirect = other.url
    monkeypatch.setenv("OPENAI_API_KEY", "sesame")
    with pytest.raises(OSError):
        hard_pages.answer(server.url, "stand-in", "0: text")
    assert server.keys == ["Bearer sesame"] and other.keys == []
    other.shutdown()


def test_answers_are_numbers():
    for text, expected in [
        ("3-5, 7", [3, 4, 5, 7]),
        ("`0`.", [0]),
        ("<think>maybe 1</think>\n2; 2 9-99999999999", [2, 9]),
        ("none", []),
        ("None.", []),
        ("parts 3 and 4", None),
        ("", None),
        ("-3", None),
    ]:
        assert hard_pages.numbers(text, 10) == expected, text
