"""datatrove's own pipeline with our extractor in the place of trafilatura's, and with our reader."""

import json

import pytest

pytest.importorskip("datatrove")

import trommel_text  # noqa: E402
from conftest import hashes  # noqa: E402
from datatrove.executor import LocalPipelineExecutor  # noqa: E402
from datatrove.pipeline.readers import WarcReader  # noqa: E402
from datatrove.pipeline.writers import JsonlWriter  # noqa: E402
from trommel_text.datatrove import TrommelExtractor, TrommelReader  # noqa: E402


def ran(steps, folder, tasks=4):
    LocalPipelineExecutor(
        [*steps, JsonlWriter(str(folder / "out"), compression=None)],
        tasks=tasks,
        workers=1,
        logging_dir=str(folder / "logs"),
    ).run()
    rows = []
    for path in sorted((folder / "out").glob("*.jsonl")):
        # Lines as files have them: pages hold U+2028 and form feeds, at which `splitlines` divides, too.
        with path.open(encoding="utf-8") as lines:
            rows += [json.loads(line) for line in lines]
    stats = json.loads((folder / "logs" / "stats.json").read_text())
    return rows, stats


def test_the_reader_yields_the_documents_of_a_run(archives, expected, tmp_path):
    rows, stats = ran([TrommelReader(str(archives[0].parent), glob_pattern="*.warc.gz")], tmp_path)
    empty = hashes([("", "")])[""]
    with_text = {name: texts for name, texts in expected.items() if texts != empty}
    assert hashes((row["id"], row["text"]) for row in rows) == with_text
    reader = stats[0]["stats"]
    assert reader["unread_files"] == 1 or reader["unread_files"]["total"] == 1
    assert rows[0]["metadata"]["url"].startswith("http") and rows[0]["metadata"]["source_length"] > 0


def test_a_task_that_is_done_is_skipped(archives, tmp_path):
    steps = [TrommelReader(str(archives[0].parent), glob_pattern="part-0[0-3].warc.gz")]
    first, _ = ran(steps, tmp_path)
    (tmp_path / "out" / "00001.jsonl").unlink()
    again, _ = ran(steps, tmp_path)
    assert len(list((tmp_path / "logs" / "completions").iterdir())) == 4
    assert 0 < len(again) < len(first)


def test_the_extractor_in_the_place_of_trafilatura(archives, tmp_path):
    pytest.importorskip("trafilatura")
    from datatrove.pipeline.extractors import Trafilatura

    def reader():
        return WarcReader(str(archives[0].parent), glob_pattern="part-0[0-3].warc.gz")

    ours, ours_stats = ran([reader(), TrommelExtractor()], tmp_path / "ours", tasks=1)
    theirs, _ = ran([reader(), Trafilatura(timeout=20)], tmp_path / "theirs", tasks=1)
    read, _ = ran([reader()], tmp_path / "read", tasks=1)
    extractor = trommel_text.Extractor()
    without = [row["id"] for row in read if not extractor.text(row["text"], url=row["metadata"].get("url"))]
    # Each page that datatrove's reader gives is a document here unless it has no text at all.
    assert {row["id"] for row in ours} == {row["id"] for row in read} - set(without)
    missed = {row["id"] for row in theirs} - {row["id"] for row in ours}
    print(
        f"read {len(read)}, trommel {len(ours)}, trafilatura {len(theirs)}; "
        f"only trafilatura {len(missed)}, only trommel {len({row['id'] for row in ours} - {row['id'] for row in theirs})}"
    )
    assert missed <= set(without)
    by_id = {row["id"]: row for row in read}
    for row in ours[:20]:
        page = by_id[row["id"]]
        assert row["text"] == extractor.text(page["text"], url=page["metadata"].get("url"))
