"""Tables of a run's outputs, with the real packages; joins in DuckDB and Polars."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import trommel_text.shards

sys.path.insert(0, str(Path(__file__).parent))
import commit

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("TROMMEL", "trommel")
# Data files of a table, wherever its format puts them.
DATA = {"delta": "*.parquet", "iceberg": "crawl/pages/data/*.parquet", "lance": "data/*.lance"}
PACKAGES = {"delta": "deltalake", "iceberg": "pyiceberg", "lance": "lance"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Outputs of three archives: pages and annotations."""
    place = tmp_path_factory.mktemp("crawl")
    for name in ("a", "b", "c"):
        shutil.copy(ROOT / "samples" / "wcxb-sample.warc.gz", place / f"{name}.warc.gz")
    archives = sorted(place.glob("*.warc.gz"))
    out = place / "out"
    subprocess.run([PROGRAM, "run", "-q", *archives, "-o", out, "-f", "parquet"], check=True)
    subprocess.run([PROGRAM, "annotate", "-q", archives[0], "-o", place / "a.annotations.parquet"], check=True)
    return out


def rows_of(table: Path, kind: str) -> list[tuple[str, str]]:
    """Ids and texts in a table."""
    if kind == "delta":
        from deltalake import DeltaTable

        found = DeltaTable(str(table)).to_pyarrow_dataset().to_table(["id", "text"])
    elif kind == "iceberg":
        from pyiceberg.catalog.sql import SqlCatalog

        catalog = SqlCatalog("local", uri=f"sqlite:///{table}/catalog.db", warehouse=f"file://{table}")
        found = catalog.load_table("crawl.pages").scan(selected_fields=("id", "text")).to_arrow()
    else:
        import lance

        found = lance.dataset(str(table)).to_table(columns=["id", "text"])
    return sorted(zip(found["id"].to_pylist(), found["text"].to_pylist()))


def rows_of_files(folder: Path) -> list[tuple[str, str]]:
    """Ids and texts in the files of a folder."""
    tables = [pq.read_table(path, columns=["id", "text"]) for path in folder.glob("*.parquet")]
    return sorted(row for one in tables for row in zip(one["id"].to_pylist(), one["text"].to_pylist()))


@pytest.mark.parametrize("kind", commit.FORMATS)
def test_each_file_is_committed_once_whatever_is_interrupted(kind, folder, tmp_path, monkeypatch):
    pytest.importorskip(PACKAGES[kind])
    table = tmp_path / "table"
    expected = rows_of_files(folder)
    # Dies after the first commit.
    real = commit.FORMATS[kind]

    def dying(table):
        known, append = real(table)
        calls = iter([append])

        def once(rows):
            next(calls)(rows)

        return known, once

    monkeypatch.setitem(commit.FORMATS, kind, dying)
    with pytest.raises(StopIteration):
        commit.commit(folder, table, kind)
    assert len(rows_of(table, kind)) == len(expected) // 3
    monkeypatch.setitem(commit.FORMATS, kind, real)
    assert commit.commit(folder, table, kind) == 2
    assert commit.commit(folder, table, kind) == 0
    assert rows_of(table, kind) == expected


def killed(command: list[str], table: Path, data: str) -> bool:
    """Whether a process was killed as soon as it had begun another data file: before the commit that names it."""
    before = set(table.glob(data))
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while process.poll() is None:
        if set(table.glob(data)) - before:
            process.kill()
        time.sleep(0.0005)
    assert process.returncode in (0, -signal.SIGKILL)
    return process.returncode != 0


@pytest.mark.parametrize("kind", commit.FORMATS)
def test_a_kill_between_write_and_commit_loses_and_doubles_nothing(kind, folder, tmp_path):
    pytest.importorskip(PACKAGES[kind])
    table = tmp_path / "table"
    expected = rows_of_files(folder)
    command = [sys.executable, commit.__file__, str(folder), str(table), "--format", kind]
    kills = orphans = 0
    # Killed each time it writes; the last attempts are left alone.
    for _ in range(6):
        was_killed = killed(command, table, DATA[kind])
        kills += was_killed
        known, _ = commit.FORMATS[kind](table)
        orphans += was_killed and len(list(table.glob(DATA[kind]))) > len(known)
    assert kills and orphans, "no kill fell between write and commit"
    print(f"{kind}: {kills} kills, {orphans} left data that no commit names")
    subprocess.run(command, check=True)
    assert rows_of(table, kind) == expected
    assert commit.commit(folder, table, kind) == 0
    assert rows_of(table, kind) == expected


@pytest.mark.parametrize("kind", commit.FORMATS)
def test_shards_of_a_job_are_committed_while_it_runs(kind, folder, tmp_path):
    pytest.importorskip(PACKAGES[kind])
    out, table = tmp_path / "out", tmp_path / "table"
    archives = sorted(folder.parent.glob("*.warc.gz"))
    trommel_text.shards.run_shard(archives[0], out)
    # Whole, but its report is not there yet; and one that is being written.
    shutil.copy(out / "a.parquet", out / "z.parquet")
    (out / ".b.parquet.tmp").write_bytes(b"PAR1")
    assert commit.commit(out, table, kind) == 1
    for archive in archives[1:]:
        # The archives are equal but for their names, which every row has.
        trommel_text.shards.run_shard(archive, out)
        assert commit.commit(out, table, kind) == 1
    trommel_text.shards.merge(out, archives)
    assert commit.commit(out, table, kind) == 0
    assert rows_of(table, kind) == rows_of_files(folder)


def test_a_file_that_changed_is_refused(folder, tmp_path):
    copy = tmp_path / "out"
    shutil.copytree(folder, copy)
    (copy / "b.parquet").write_bytes((copy / "a.parquet").read_bytes() + b"x")
    with pytest.raises(ValueError, match="b.parquet: is not the file of _MANIFEST"):
        commit.shards(copy)


def test_annotations_join_with_pages(folder):
    duckdb = pytest.importorskip("duckdb")
    polars = pytest.importorskip("polars")
    annotations, pages = folder.parent / "a.annotations.parquet", folder / "a.parquet"
    query = f"SELECT p.id, a.confidence FROM '{pages}' p JOIN '{annotations}' a ON p.id = a.warc_record_id"
    by_duckdb = sorted(duckdb.sql(query).fetchall())
    joined = polars.scan_parquet(pages).join(
        polars.scan_parquet(annotations), left_on="id", right_on="warc_record_id", suffix="_table"
    )
    by_polars = sorted(joined.select("id", "confidence_table").collect().rows())
    manifest = json.loads((folder / "_MANIFEST").read_text())
    assert by_duckdb == by_polars
    assert len(by_duckdb) == next(file["documents"] for file in manifest["files"] if file["name"] == "a.parquet")
