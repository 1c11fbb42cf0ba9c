import http.server
import json
import pathlib
import pickle
import threading
from datetime import datetime, timezone

import pytest
import trommel_text
from conftest import SENTENCE, page, record

MILL = page(7)


def test_a_page_in_every_form_of_bytes():
    expected = trommel_text.extract(MILL)
    assert "Paragraph 1 of page 7. The mill stands" in expected.text
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
    for odd in (b"", b"\xff\xfe", "", b"<" * 10_000):
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
    pictured = html.replace("<p><b>", "<figure><img src=m.png alt='The mill'></figure><p><b>")
    assert "![The mill](https://a.example/m.png)" in trommel_text.extract(pictured, url="https://a.example/", images=True).text
    assert "The mill]" not in trommel_text.extract(pictured, url="https://a.example/", markdown=True).text
    captioned = html + f"<figure><figcaption>The mill in 1911. {SENTENCE}</figcaption></figure>"
    for include in (["caption"], "caption", "caption, review", ("caption",)):
        assert "in 1911" in trommel_text.extract(captioned, include=include).text
    assert "::: caption" in trommel_text.extract(captioned, include="caption", sections=True).text


THREAD = "<title>Mills</title><h1>Mills</h1>" + "".join(
    f"<div class=post id=post-{number}><div class=post-head><a class=username href=/u/{number}>{name}</a> "
    f"<time datetime=2024-05-0{number}T10:00>then</time></div><div class=post-body><p>{SENTENCE} Said {name}.</p></div></div>"
    for number, name in enumerate(("ann", "bob"), 1)
)


def test_posts():
    document = trommel_text.extract(THREAD, posts=True)
    assert [(post.author, post.published) for post in document.posts] == [
        ("ann", datetime(2024, 5, 1, 10)),
        ("bob", datetime(2024, 5, 2, 10)),
    ]
    assert document.posts[1].text.endswith("Said bob.")
    assert pickle.loads(pickle.dumps(document)).posts[0].author == "ann"
    assert trommel_text.extract(THREAD).posts == []
    divided = trommel_text.extract(THREAD, posts=True, markdown=True).text
    assert "**bob**, 2024-05-02T10:00:00" in divided
    for bad in ({"sections": True}, {"spans": True, "markdown": True}):
        with pytest.raises(ValueError, match="sections"):
            trommel_text.extract(THREAD, posts=True, **bad)
    session = trommel_text.Session(extractor=trommel_text.Extractor(posts=True))
    session.feed(THREAD.encode())
    assert [post.author for post in session.finish().posts] == ["ann", "bob"]
    (row,) = trommel_text.extract_batch([THREAD], posts=True, markdown=True).to_pylist()
    assert row["text"] == divided
    assert [post["author"] for post in row["posts"]] == ["ann", "bob"]


def test_hints_that_mean_nothing_are_refused():
    extractor = trommel_text.Extractor()
    for call in (
        lambda **hints: trommel_text.extract(MILL, **hints),
        lambda **hints: extractor.extract(MILL, **hints),
        lambda **hints: trommel_text.Session(**hints),
    ):
        with pytest.raises(ValueError, match="charset: \"klingon\" is no encoding"):
            call(charset="klingon")
        with pytest.raises(ValueError, match="date: \"yesterday\" is no date"):
            call(date="yesterday")
        call(charset="latin1", date="2024-05-01")
    for call in (extractor.text, trommel_text.inspect):
        with pytest.raises(ValueError, match="klingon"):
            call(MILL, charset="klingon")
    # Columns are as servers said them.
    assert len(trommel_text.extract_batch([MILL], charsets=["klingon"])) == 1


INTERNALS = ("variant", "__new__", "Vec", "PyBool", "PyString", "PyDict", "PathBuf", "Option", "usize", "::")


@pytest.mark.parametrize(
    "call",
    [
        lambda: trommel_text.Extractor(markdwon=True),
        lambda: trommel_text.extract(MILL, markdwon=True),
        lambda: trommel_text.extract_batch([MILL], markdwon=True),
        lambda: trommel_text.read_warc("a.warc", markdwon=True),
        lambda: trommel_text.run("a.warc", "out", markdwon=True),
        lambda: trommel_text.Extractor(include=7),
        lambda: trommel_text.Extractor(include=[7]),
        lambda: trommel_text.Extractor(markdown="yes"),
        lambda: trommel_text.Extractor(comments=7),
        lambda: trommel_text.Extractor(7),
        lambda: trommel_text.extract(7),
        lambda: trommel_text.extract(MILL, url=7),
        lambda: trommel_text.extract_batch(7),
        lambda: trommel_text.extract_batch([MILL], urls=7),
        lambda: trommel_text.read_warc("a.warc", batch_size="x"),
        lambda: trommel_text.read_warc("a.warc", config=7),
        lambda: trommel_text.read_warc("a.warc", extractor="fast"),
        lambda: trommel_text.run("a.warc", "out", format=7),
        lambda: trommel_text.run("a.warc", "out", jobs="x"),
        lambda: trommel_text.run("a.warc", 7),
        lambda: trommel_text.run("a.warc", "out", set_aside="pdf"),
        lambda: trommel_text.Session(languages=7),
        lambda: trommel_text.Session().feed("text"),
        lambda: trommel_text.evaluate(7),
    ],
)
def test_errors_name_what_was_given_and_no_internals(call):
    with pytest.raises((TypeError, ValueError)) as error:
        call()
    told = str(error.value)
    assert not any(one in told for one in INTERNALS), told


@pytest.mark.parametrize("name", ["https://a.example/b", "http://a.example", "page.html", __file__])
def test_names_are_no_pages(name):
    for call in (trommel_text.extract, trommel_text.Extractor().text, trommel_text.inspect):
        with pytest.raises(ValueError, match="a page is its bytes.*: (extract_file|fetch)"):
            call(name)
    with pytest.raises(TypeError, match="extract_file"):
        trommel_text.extract(pathlib.Path(name))
    assert trommel_text.extract(f"<p>{name} is a place where the mill stood by the river for years.").text


class Site(http.server.BaseHTTPRequestHandler):
    """One page behind a redirect, with a charset that nobody knows."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send_response(302 if self.path == "/old" else 200)
        self.send_header("Location", "/new")
        self.send_header("Content-Type", "text/html; charset=klingon")
        self.end_headers()
        self.wfile.write(MILL)


def test_files_and_urls_have_functions_of_their_own(tmp_path):
    (tmp_path / "mill.html").write_bytes(MILL)
    made = trommel_text.extract_file(tmp_path / "mill.html", url="https://a.example/mill", markdown=True)
    assert made == trommel_text.extract(MILL, url="https://a.example/mill", markdown=True)
    with pytest.raises(FileNotFoundError):
        trommel_text.extract_file(tmp_path / "none.html")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        made = trommel_text.fetch(f"{address}/old", markdown=True)
        server.shutdown()
    assert made.url == f"{address}/new" and made.text.startswith("# Page 7\n")
    with pytest.raises(ValueError, match="expected a URL with http"):
        trommel_text.fetch("file:///etc/hostname")


def test_models():
    assert trommel_text.models() == ["fast", "lite"]
    with pytest.raises(trommel_text.ModelError, match="slow"):
        trommel_text.Extractor("slow")
    with pytest.raises(trommel_text.ModelError):
        trommel_text.Extractor(b"no model")
    assert issubclass(trommel_text.ModelError, trommel_text.TrommelError)


def test_extractor_and_document_are_pickled():
    extractor = trommel_text.Extractor("lite", markdown=True, comments="separate", notes="drop", math="off")
    copy = pickle.loads(pickle.dumps(extractor))
    assert repr(copy) == repr(extractor)
    assert "model='lite'" in repr(copy) and "comments='separate'" in repr(copy) and "notes='drop'" in repr(copy)
    document = extractor.extract(MILL, url="https://a.example/")
    assert copy.extract(MILL, url="https://a.example/") == document
    again = pickle.loads(pickle.dumps(document))
    assert again == document and again.url == "https://a.example/" and again.to_dict() == document.to_dict()
    assert extractor.extract(page(8)) != document
    robots = MILL.replace(b"</head>", b"<meta name=robots content=noarchive></head>")
    linked = extractor.extract(robots, url="https://a.example/")
    assert pickle.loads(pickle.dumps(linked)) == linked


def test_json_has_what_the_program_prints():
    found = trommel_text.extract(MILL, url="https://a.example/", date="2024-05-01T00:00:00Z").to_dict()
    assert found["title"] == "Page 7" and found["url"] == "https://a.example/" and found["blocks"] == []


def test_json_has_the_keys_of_a_line_of_a_run(tmp_path):
    archive = tmp_path / "a.warc.gz"
    archive.write_bytes(record(7, MILL))
    trommel_text.run(archive, tmp_path / "a.jsonl", blocks=True, tables=True)
    line = json.loads((tmp_path / "a.jsonl").read_text())
    url, date = line["url"], line["date"]
    document = trommel_text.extract(MILL, url=url, charset="utf-8", date=date, blocks=True, tables=True)
    found = json.loads(document.to_json())
    assert list(found) == list(line)
    assert {key: type(value) for key, value in found.items()} == {key: type(value) for key, value in line.items()}
    of_record = {"id": "", "status": 0, "source": {**line["source"], "name": "", "file": "", "offset": 0, "length": 0}}
    assert found == {**line, **of_record}
    of_thread = trommel_text.extract(MILL, posts=True, chunks="words=40").to_dict()
    assert list(of_thread)[-2:] == ["posts", "chunks"] and of_thread["chunks"][0]["text"] in of_thread["text"]


def test_what_is_no_page_is_empty_and_says_so():
    pdf = b"%PDF-1.7\n1 0 obj <</Title (Report of the year and its many words)>> endobj " * 40
    for bytes_, kind in [(pdf, "application/pdf"), (b"\x89PNG\r\n\x1a\n" + MILL, "image/png"), (b"\0\1\2\3" * 99, "application/octet-stream")]:
        document = trommel_text.extract(bytes_)
        assert (document.text, document.confidence) == ("", 0)
        assert document.notes == [f"{kind} data, not a page"] == [document.to_dict()["notes"]]
        assert trommel_text.Extractor().text(bytes_) == ""
        session = trommel_text.Session()
        session.feed(bytes_)
        assert session.finish().notes == document.notes
        (row,) = trommel_text.extract_batch([bytes_]).to_pylist()
        assert (row["text"], row["confidence"]) == ("", 0)
        with pytest.raises(ValueError, match=kind):
            trommel_text.inspect(bytes_)
    # Of a page without text there is nothing to be confident of.
    assert trommel_text.extract(b"<p>").confidence == trommel_text.extract(b"").confidence == 0
    assert trommel_text.extract(MILL).notes == []


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
    session = trommel_text.Session(url="https://a.example/", extractor=trommel_text.Extractor(blocks=True))
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
    assert trommel_text.Session(charset="utf-8", languages=["en"]).feed(french) == "language"
    english = b"<html lang=en><head><title>x</title></head><body><p>" + b"word " * 4000
    assert trommel_text.Session(charset="utf-8", languages="de,en").feed(english) == "continue"
    with pytest.raises(ValueError, match="languages: .*english"):
        trommel_text.Session(languages=["english"])
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


def test_a_document_shows_itself():
    html = f"<title>Mills &amp; wheels</title><p>Is 1 &lt; 2? {SENTENCE}</p>" + "".join(f"<p>{SENTENCE} {n}" for n in range(200))
    document = trommel_text.extract(html, url="https://a.example/?a=1&b=<2>")
    shown = document._repr_html_()
    assert "<b>Mills &amp; wheels</b>" in shown and "https://a.example/?a=1&amp;b=&lt;2>" in shown
    assert "Is 1 &lt; 2? The mill" in shown and shown.endswith(" ...</div></div>")
    assert f"confidence {document.confidence:.2f}" in shown
    assert len(shown) < 12_000


def test_times_of_a_page():
    page = "<meta property='article:published_time' content='{}'><meta property='article:modified_time' content='{}'><p>" + SENTENCE
    document = trommel_text.extract(page.format("2024-05-17", "2024-05-18T01:00:00+02:00"))
    assert document.published == datetime(2024, 5, 17)
    assert document.modified == datetime(2024, 5, 17, 23, tzinfo=timezone.utc)
    assert document.to_dict()["published"] == "2024-05-17"
    assert trommel_text.extract("<p>" + SENTENCE).published is None


def test_pages_one_after_the_other():
    taken = []

    def pages():
        for number in range(10):
            taken.append(number)
            html = f"<h1>The mill</h1><p>{SENTENCE} Number {number}."
            yield html if number % 2 else {"html": html.encode(), "url": f"https://a.example/{number}"}

    extractor = trommel_text.Extractor()
    documents = extractor.pipe(pages(), batch_size=4)
    first = next(documents)
    assert first.url == "https://a.example/0" and first.text.endswith("Number 0.")
    assert taken == [0, 1, 2, 3], "pages are taken as they are needed"
    rest = list(documents)
    assert [document.text[-2:] for document in rest] == [f"{number}." for number in range(1, 10)]
    assert [document.url for document in rest[:2]] == [None, "https://a.example/2"]
    assert list(documents) == [] and list(extractor.pipe([], threads=2)) == []
    for bad in ([{"url": "https://a.example/"}], [{"html": "x", "address": "y"}], [7], [{"html": "x", "date": "yesterday"}]):
        with pytest.raises((TypeError, ValueError)):
            list(extractor.pipe(bad))
    with pytest.raises(TypeError):
        extractor.pipe(b"<p>one page")


def test_what_is_said_beside_a_page_has_a_name():
    for call in (trommel_text.extract, trommel_text.inspect, trommel_text.Extractor().extract, trommel_text.Extractor().text):
        with pytest.raises(TypeError):
            call("<p>text", "https://a.example/")
    with pytest.raises(TypeError):
        trommel_text.Session("https://a.example/")
