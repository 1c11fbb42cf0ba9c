"""LlamaIndex: the reader of the README gives the chunks of `trommel run`, with the page of each."""

import re
from pathlib import Path

import pytest

pytest.importorskip("llama_index.core")

import trommel_text  # noqa: E402

SAMPLE = Path(__file__).parents[2] / "samples" / "wcxb-sample.warc.gz"


def reader():
    """The class that the README shows."""
    code = re.search(r"```python\n(.*?)```", Path(__file__).with_name("README.md").read_text(), re.S)[1]
    assert len([line for line in code.splitlines() if line.strip()]) <= 13
    names = {}
    exec(code, names)
    return names["TrommelReader"]()


def test_chunks_are_those_of_a_run():
    nodes = reader().load_data(SAMPLE, min_words=100)
    pages = trommel_text.read_documents(SAMPLE, min_words=100, markdown=True, chunks="words=300")
    expected = [
        (page.url, page.place, chunk.id, chunk.text, " > ".join(chunk.headings)) for page in pages for chunk in page.chunks
    ]
    found = [
        (one.metadata["url"], one.metadata["place"], one.node_id, one.text, one.metadata["headings"]) for one in nodes
    ]
    assert found == expected and len(found) > 40


def test_an_index_finds_the_page():
    from llama_index.core import MockEmbedding, VectorStoreIndex

    nodes = reader().load_data(SAMPLE, limit=3)
    index = VectorStoreIndex(nodes, embed_model=MockEmbedding(embed_dim=8))
    found = index.as_retriever(similarity_top_k=2).retrieve("mill")
    assert len(found) == 2 and all(one.node.metadata["url"].startswith("http") for one in found)
