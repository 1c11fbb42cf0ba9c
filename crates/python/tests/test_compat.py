import gzip
import json

import pytest
import trommel_text
from conftest import page
from trommel_text.compat import extract, extract_plain_text


@pytest.fixture(scope="module")
def commented(sample):
    """A page of the sample with readers' comments beside its text, and one of these."""
    rows = [
        row
        for batch in trommel_text.read_warc(sample, extractor=trommel_text.Extractor(comments="separate"))
        for row in batch.to_pylist()
        if row["comments"] and row["comments"][:60] not in row["text"]
    ]
    # Which pages have them depends on the model.
    row = rows[0] if rows else pytest.skip("no page of the sample has comments beside its text")
    member = sample.read_bytes()[row["source_offset"] :][: row["source_length"]]
    html = gzip.decompress(member).split(b"\r\n\r\n", 2)[2]
    return html, row["comments"][:60]


def test_the_arguments_of_trafilatura():
    html = page(1)
    text = extract(html, url="https://a.example/1")
    assert text.startswith("Paragraph 1 of page 1") and "Copyright" not in text and not text.endswith("\n")
    assert extract(html, fast=True).startswith("Paragraph 1")
    assert extract(b"") is None and extract(None) is None
    assert extract(html, target_language="de") is None and extract(html, target_language="en") == text
    assert extract(html, output_format="markdown").startswith("# Page 1\n")
    found = json.loads(extract(html, url="https://a.example/1", output_format="json", record_id="r"))
    assert found["title"] == "Page 1" and found["id"] == "r" and found["hostname"] == "a.example"
    assert found["text"].rstrip("\n") == text
    headed = extract(html, url="https://a.example/1", with_metadata=True)
    assert headed.startswith("---\ntitle: Page 1\nurl: https://a.example/1\n") and headed.endswith(text)
    assert extract(html, url="https://a.example/1", output_format="csv").split("\t")[0] == "https://a.example/1"
    assert extract(html, url="https://a.example/1", url_blacklist={"https://a.example/1"}) is None
    # The page has no date.
    assert extract(html, url="https://a.example/1", only_with_metadata=True) is None
    with pytest.raises(ValueError, match="expected txt, markdown, json, csv"):
        extract(html, output_format="xml")
    with pytest.raises(ValueError, match="include_tables"):
        extract(html, include_tables=False)
    with pytest.raises(TypeError):
        extract(7)
    # What it does not know, it does not swallow.
    for unknown in ("favour_precision", "with_metadat"):
        with pytest.raises(TypeError, match=unknown):
            extract(html, **{unknown: True})
    for other in ("prune_xpath", "settingsfile", "config", "options"):
        with pytest.raises(ValueError, match=f"{other} has no counterpart"):
            extract(html, **{other: "x"})
    assert extract(html, include_images=True).startswith("# Page 1\n")


def test_comments_follow_the_text_as_there(commented):
    html, comment = commented
    without = extract(html, include_comments=False)
    assert comment not in without
    assert extract(html).startswith(without) and comment in extract(html)[len(without) :]
    assert comment in json.loads(extract(html, output_format="json"))["comments"]


def test_the_arguments_of_resiliparse(commented):
    html = page(1).decode()
    text = extract_plain_text(html, main_content=True)
    assert text.startswith("Paragraph 1 of page 1") and "\n" in text
    assert "\n" not in extract_plain_text(html, preserve_formatting=False)
    assert commented[1] in extract_plain_text(commented[0], comments=True)
    assert commented[1] not in extract_plain_text(commented[0], comments=False)
    for refused in ({"main_content": False}, {"skip_elements": ["p"]}, {"preserve_formatting": "minimal_html"}):
        with pytest.raises(ValueError):
            extract_plain_text(html, **refused)
