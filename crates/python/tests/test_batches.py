import multiprocessing
import os
import signal
import threading
import time

import pytest
import trommel_text
from conftest import page

pa = pytest.importorskip("pyarrow")
PAGES = [page(number) for number in range(40)]
URLS = [f"https://a.example/{number}" for number in range(40)]


def test_rows_are_pages_in_order_for_any_number_of_threads():
    single = [trommel_text.extract(html, url=url) for html, url in zip(PAGES, URLS)]
    for threads in (None, 1, 2, 5, 100):
        batch = trommel_text.extract_batch(PAGES, urls=URLS, threads=threads)
        rows = batch.to_pyarrow()
        rows.validate(full=True)
        assert rows["text"].to_pylist() == [document.text for document in single]
        assert rows["title"].to_pylist() == [document.title for document in single]
        assert rows["url"].to_pylist() == URLS
        assert rows["author"].to_pylist() == [[]] * 40
        assert rows["confidence"].to_pylist() == [document.confidence for document in single]
    assert len(batch) == batch.num_rows == 40 and batch.column_names == rows.schema.names


@pytest.mark.parametrize(
    "kind", [pa.binary(), pa.large_binary(), pa.binary_view(), pa.string(), pa.large_string(), pa.string_view()]
)
def test_arrow_arrays_of_every_kind(kind):
    is_text = not (pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or kind == pa.binary_view())
    values = [html.decode() if is_text else html for html in PAGES[:5]]
    array = pa.array([values[0], None, *values[1:]], kind)
    expected = trommel_text.extract_batch([values[0], None, *values[1:]]).to_pyarrow()
    assert expected["text"][1].as_py() is None and expected["text"][2].as_py().startswith("Paragraph 1 of page 1")
    assert trommel_text.extract_batch(array).to_pyarrow() == expected
    # A part of an array, and arrays in pieces.
    assert trommel_text.extract_batch(array.slice(2, 3)).to_pyarrow() == expected.slice(2, 3)
    chunked = pa.chunked_array([array.slice(0, 2), array.slice(2, 0), array.slice(2)])
    assert trommel_text.extract_batch(chunked).to_pyarrow() == expected
    # No pages at all.
    assert trommel_text.extract_batch(array.slice(0, 0)).num_rows == 0


def test_blocks_are_lists_of_structures():
    rows = trommel_text.extract_batch(PAGES[:3], blocks=True).to_pyarrow()
    rows.validate(full=True)
    blocks = rows["blocks"].to_pylist()
    single = trommel_text.extract(PAGES[2], blocks=True).blocks
    assert [block["text"] for block in blocks[2]] == [block.text for block in single]
    assert [block["kept"] for block in blocks[2]] == [block.kept for block in single]
    assert blocks[2][0]["start"] == single[0].start


def test_spans_and_tables_are_lists_of_structures():
    html = "<h1>Mill</h1><p>The mill &amp; its wheel stand by the river, and nobody knows since when they do.</p>" \
        "<table><caption>Days</caption><tr><th>Month<th>Dry<tr><td>May<td>3</table><p>Its owner opens the gate each" \
        " morning, listens to the water, and closes it again when the last sack has been ground.</p>"
    rows = trommel_text.extract_batch([html, PAGES[0]], spans=True, tables=True).to_pyarrow()
    rows.validate(full=True)
    single = trommel_text.extract(html, spans=True, tables=True)
    (table,) = single.tables
    assert (table.caption, table.header_rows, table.rows) == ("Days", 1, [["Month", "Dry"], ["May", "3"]])
    assert rows["tables"].to_pylist()[0] == [{"caption": "Days", "header_rows": 1, "rows": table.rows}]
    assert rows["tables"].to_pylist()[1] == []
    spans = [tuple(span.values()) for span in rows["spans"].to_pylist()[0]]
    assert spans == single.spans and len(spans) > 4
    start, chars, byte, size = next(span for span in spans if "&" in single.text[span[0] : span[0] + span[1]])
    part, source = single.text[start : start + chars], html.encode()[byte : byte + size].decode()
    assert source.replace("&amp;", "&") == part


def test_what_is_no_list_of_pages():
    with pytest.raises(TypeError, match="not one page"):
        trommel_text.extract_batch(PAGES[0])
    with pytest.raises(TypeError, match="not of Int64"):
        trommel_text.extract_batch(pa.array([1, 2]))
    with pytest.raises(TypeError):
        trommel_text.extract_batch([1])
    with pytest.raises(ValueError, match="2 URLs of 1 pages"):
        trommel_text.extract_batch(PAGES[:1], urls=["a", "b"])
    with pytest.raises((ValueError, OverflowError)):
        trommel_text.extract_batch(PAGES, threads=0)


def _texts(numbers):
    return [trommel_text.extract_batch([page(number)], threads=2).to_pyarrow()["text"][0].as_py() for number in numbers]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_of_either_kind(method):
    # In the parent first, so that a fork finds whatever it left.
    expected = _texts(range(6))
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert sum(pool.map(_texts, [[0, 1, 2], [3, 4, 5]]), []) == expected


@pytest.mark.usefixtures("hears_ctrl_c")
def test_ctrl_c_ends_a_batch():
    pages = [PAGES[0] * 2000] * 400

    def press():
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)

    for threads in (1, 2):
        thread = threading.Thread(target=press)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            trommel_text.extract_batch(pages, threads=threads)
        thread.join()


def test_the_interpreter_is_free_meanwhile():
    counted = 0
    done = threading.Event()

    def work():
        trommel_text.extract_batch([PAGES[0] * 500] * 30, threads=1)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.wait(0.005):
        counted += 1
    thread.join()
    assert counted > 5
