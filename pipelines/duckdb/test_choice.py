"""DuckDB: rows of annotations are chosen, and `trommel run --select` reads their records."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

duckdb = pytest.importorskip("duckdb")

TROMMEL = os.environ.get("TROMMEL", "trommel")
pytestmark = pytest.mark.skipif(shutil.which(TROMMEL) is None, reason="no program trommel; name it in TROMMEL")
SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "wcxb-sample.warc.gz"


def test_records_are_chosen_by_their_annotations(tmp_path):
    def trommel(*arguments):
        return subprocess.run([TROMMEL, *map(str, arguments)], cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    shutil.copy(SAMPLE, tmp_path)
    trommel("annotate", SAMPLE.name, "-o", "annotations.parquet")
    everything = [json.loads(line) for line in trommel("run", SAMPLE.name, "-o", "-").splitlines()]
    chosen, table = tmp_path / "chosen.parquet", tmp_path / "annotations.parquet"
    duckdb.sql(f"COPY (SELECT * FROM '{table}' WHERE confidence < 0.9 AND lang = 'en') TO '{chosen}'")
    read = [json.loads(line) for line in trommel("run", "--select", chosen, "-o", "-").splitlines()]
    wanted = [page for page in everything if page["confidence"] < 0.9 and page["lang"] == "en"]
    assert 2 < len(wanted) < len(everything)
    assert [(page["id"], page["text"]) for page in read] == [(page["id"], page["text"]) for page in wanted]
