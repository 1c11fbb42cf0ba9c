import pickle
import threading

import pytest
import trommel_text
from conftest import SENTENCE, page

MILL = page(7)


def test_a_page_in_every_form_of_bytes():
    expected = trommel_text.extract(MILL)
    assert expected.text.startswith("Paragraph 1 of page 7. The mill stands")
    assert "Copyright" not in expected.text and "All news" not in expected.text
    assert (expected.title, expected.lang) == ("Page 7", "en")
    assert 0.5 < expected.confidence <= 1
    for form in (bytearray(MILL), memoryview(MILL), MILL.decode()):
        assert trommel_text.extract(form).text == expected.text
    for other in (7, None, ["a"]):
        with pytest.raises(TypeError):
            trommel_text.extract(other)


def test_text_is_text_whatever_it_says_of_itself():
    html = f"<meta charset=iso-8859-1><h1>Über</h1><p>Straße — 日本語. {SENTENCE}</p>"
    assert "Straße — 日本語" in trommel_text.extract(html).text
    # Bytes are in the encoding that the server names, else in that which the page names.
    greek = f"<meta charset=iso-8859-7><p>Αθήνα. {SENTENCE}</p>".encode("iso-8859-7")
    assert "Αθήνα" in trommel_text.extract(greek).text
    document = trommel_text.extract(greek, charset="windows-1252")
    assert "ÁèÞíá" in document.text and document.charset == "windows-1252" and document.charset_source == "http"
    # Characters that UTF-8 does not have.
    assert "a?b" in trommel_text.extract(f"<p>a\ud800b {SENTENCE}</p>").text


def test_empty_and_odd_pages_give_empty_documents():
    for odd in (b"", b"\0\xff\xfe", "", b"%PDF-1.4", b"<" * 10_000):
        assert isinstance(trommel_text.extract(odd).text, str)
    assert trommel_text.extract(b"").text == ""


def test_choices():
    html = f"<h1>T</h1><p>See <a href='/b'>this</a>: {SENTENCE}</p><p><b>Strong</b> words. {SENTENCE}</p>"
    markdown = trommel_text.extract(html, url="https://a.example/", markdown=True).text
    assert "**Strong** words" in markdown and "](" not in markdown
    linked = trommel_text.extract(html, url="https://a.example/", links=True).text
    assert "[this](https://a.example/b)" in linked
    blocks = trommel_text.extract(MILL, blocks=True).blocks
    assert [block.kept for block in blocks if block.text.startswith("Copyright")] == [False]
    assert blocks[0].tag == "nav" and trommel_text.extract(MILL).blocks == []
    assert "T\n" in trommel_text.extract(html, headline="include").text
    for bad in ({"comments": "all"}, {"headline": "x"}, {"math": "x"}, {"notes": "x"}, {"scripts": "x"}):
        with pytest.raises(ValueError, match="unknown value .* expected"):
            trommel_text.extract(html, **bad)


def test_models():
    assert trommel_text.models()[:2] == ["fast", "best"]
    with pytest.raises(trommel_text.ModelError, match="slow"):
        trommel_text.Extractor("slow")
    with pytest.raises(trommel_text.ModelError):
        trommel_text.Extractor(b"no model")
    assert issubclass(trommel_text.ModelError, trommel_text.TrommelError)


def test_extractor_and_document_are_pickled():
    extractor = trommel_text.Extractor("best", markdown=True, comments="separate", notes="drop", math="off")
    copy = pickle.loads(pickle.dumps(extractor))
    assert repr(copy) == repr(extractor)
    assert "model='best'" in repr(copy) and "comments='separate'" in repr(copy) and "notes='drop'" in repr(copy)
    document = extractor.extract(MILL, url="https://a.example/")
    assert copy.extract(MILL, url="https://a.example/") == document
    again = pickle.loads(pickle.dumps(document))
    assert again == document and again.url == "https://a.example/" and again.to_dict() == document.to_dict()
    assert extractor.extract(page(8)) != document


def test_json_has_what_the_program_prints():
    found = trommel_text.extract(MILL, url="https://a.example/").to_dict()
    assert found["title"] == "Page 7" and found["url"] == "https://a.example/" and "blocks" not in found


def test_only_the_text():
    extractor = trommel_text.Extractor()
    assert extractor.text(MILL) == extractor.extract(MILL).text
    marked = trommel_text.Extractor(markdown=True)
    assert marked.text(MILL) == marked.extract(MILL).text


def test_one_extractor_in_many_threads():
    extractor = trommel_text.Extractor()
    expected = [extractor.extract(page(number)).text for number in range(20)]
    found = {}

    def work(name):
        found[name] = [extractor.extract(page(number)).text for number in range(20)]

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all(texts == expected for texts in found.values())


@pytest.mark.parametrize("size", [1, 7, 100, 100_000])
def test_a_page_in_parts_is_the_page(size):
    session = trommel_text.Session("https://a.example/", extractor=trommel_text.Extractor(blocks=True))
    for start in range(0, len(MILL), size):
        assert session.feed(MILL[start : start + size]) == "continue"
    assert len(session) == len(MILL)
    assert [link["url"] for link in session.known()["links"]] == ["https://a.example/", "https://a.example/a"]
    whole = trommel_text.extract(MILL, url="https://a.example/", blocks=True)
    assert session.finish() == whole
    for call in (session.finish, session.known, lambda: session.feed(b"")):
        with pytest.raises(ValueError, match="finished"):
            call()


def test_a_session_says_early_what_is_not_wanted():
    assert trommel_text.Session(stop_not_html=True).feed(b"%PDF-1.7" + b"x" * 2000) == "not-html"
    french = b"<html lang=fr><head><title>x</title></head><body><p>" + b"mot " * 4000
    assert trommel_text.Session(charset="utf-8", stop_languages=["en"]).feed(french) == "language"
    full = trommel_text.Session(max_page=100)
    assert full.feed(MILL) == "full"
    assert full.finish().capped == ["max-page"]


def test_inspection_shows_itself(tmp_path):
    shown = trommel_text.inspect(MILL, url="https://a.example/")
    assert shown.text == trommel_text.extract(MILL).text
    assert "<h1>" not in shown.markdown and shown.markdown.startswith("# Page 7")
    frame = shown._repr_html_()
    assert frame.startswith("<iframe sandbox=") and frame.count('"') == 6
    shown.save(tmp_path / "page.html")
    assert "Copyright News." in (tmp_path / "page.html").read_text()
