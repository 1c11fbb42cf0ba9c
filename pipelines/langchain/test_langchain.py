"""LangChain: the loader of the README gives the chunks of `trommel run`, with the page of each."""

import re
from pathlib import Path

import pytest

pytest.importorskip("langchain_core")

import trommel_text  # noqa: E402
from langchain_core.vectorstores import InMemoryVectorStore  # noqa: E402

SAMPLE = Path(__file__).parents[2] / "samples" / "wcxb-sample.warc.gz"


def loader():
    """The class that the README shows."""
    code = re.search(r"```python\n(.*?)```", Path(__file__).with_name("README.md").read_text(), re.S)[1]
    assert len([line for line in code.splitlines() if line.strip()]) <= 13
    names = {}
    exec(code, names)
    return names["TrommelLoader"]


def test_chunks_are_those_of_a_run():
    documents = list(loader()(SAMPLE, min_words=100).lazy_load())
    pages = trommel_text.read_documents(SAMPLE, min_words=100, markdown=True, chunks="words=300")
    expected = [(page.url, page.place, chunk.id, chunk.text, chunk.headings) for page in pages for chunk in page.chunks]
    found = [
        (one.metadata["source"], one.metadata["place"], one.id, one.page_content, one.metadata["headings"])
        for one in documents
    ]
    assert found == expected and len(found) > 40


def test_a_store_finds_the_page():
    from langchain_core.embeddings import DeterministicFakeEmbedding

    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=64))
    documents = loader()(SAMPLE, limit=3).load()
    store.add_documents(documents)
    # The same text has the same vector: it is its own nearest.
    best = store.similarity_search(documents[1].page_content, k=1)[0]
    assert best.id == documents[1].id and best.metadata["source"].startswith("http")
