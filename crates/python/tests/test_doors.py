"""Every setting of pages gives the same document as through the doors of the program (crates/cli/tests/it/doors.rs)."""

import json
from pathlib import Path

import pytest
import trommel_text

FOLDER = Path(__file__).parents[3] / "tests" / "doors"
URL = "https://valley.example/news/1"
CASES = [json.loads(line) for line in (FOLDER / "doors.jsonl").read_text().splitlines()]


def document(text: str) -> dict:
    made = json.loads(text)
    for key in ("id", "date", "source", "status"):
        del made[key]
    return made


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['page']}-{case['settings']}")
def test_a_setting_gives_the_same_through_every_door(case, tmp_path):
    page = (FOLDER / f"{case['page']}.html").read_bytes()
    choice = case["settings"]
    extractor = trommel_text.Extractor(**choice)
    session = trommel_text.Session(url=URL, extractor=extractor)
    for at in range(0, len(page), 700):
        session.feed(page[at : at + 700])
    for made in (extractor.extract(page, url=URL), trommel_text.extract(page, url=URL, **choice), session.finish()):
        assert document(made.to_json()) == case["document"]
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    record = (
        b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\n"
        b"WARC-Date: 2024-05-18T01:58:10Z\r\nWARC-Target-URI: %s\r\n"
        b"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s%s\r\n\r\n"
    ) % (URL.encode(), len(head) + len(page), head, page)
    archive = tmp_path / "a.warc"
    archive.write_bytes(record)
    for more in (choice, {"config": choice}):
        trommel_text.run(archive, tmp_path / "out.jsonl", overwrite=True, **more)
        assert document((tmp_path / "out.jsonl").read_text()) == case["document"]
    (batch,) = trommel_text.read_warc(archive, **choice)
    assert batch.to_pylist()[0]["text"] == case["document"]["text"]
