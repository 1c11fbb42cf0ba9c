#!/usr/bin/env python3
"""Commits the finished Parquet files of a folder to a Delta, Iceberg or Lance table, each file once.

    commit.py FOLDER TABLE [--format delta|iceberg|lance]

FOLDER is that of a run, or that of `trommel_text.shards` (Slurm, Kubernetes ...), also while the job still runs. TABLE is a
folder. The table itself holds the SHA-256 of the files that are in it, so that the command can be repeated after any
interruption. A file without its line in `_MANIFEST`, or without its report in `_shards`, is not finished and is left out.
"""

import argparse
import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

# The column by which a file is known in the table.
SHARD = "shard"
# The checksums in a table, and what appends rows to it.
Committed = tuple[set[str], Callable[[pa.Table], None]]


def checksum(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def shards(folder: Path) -> list[tuple[str, Path]]:
    """The checksum and the path of each finished file, by name. Raises ValueError if a file is not that of the manifest."""
    reports = sorted((folder / "_shards").glob("*.json"))
    if reports:
        # An output has its final name when it is whole, and its report is written after that. An archive that could not
        # be read has a report and no output.
        paths = [folder / f"{report.stem}.parquet" for report in reports]
        return [(checksum(path), path) for path in paths if path.exists()]
    found = []
    for file in json.loads((folder / "_MANIFEST").read_text())["files"]:
        if not file["name"].endswith(".parquet"):
            continue
        path = folder / file["name"]
        if checksum(path) != file["sha256"]:
            raise ValueError(f"{path}: is not the file of _MANIFEST")
        found.append((file["sha256"], path))
    return found


def delta(table: Path) -> Committed:
    """The checksums in a Delta table, and the function that appends to it."""
    from deltalake import DeltaTable, write_deltalake

    def append(rows: pa.Table) -> None:
        write_deltalake(str(table), rows, mode="append")

    if not DeltaTable.is_deltatable(str(table)):
        return set(), append
    columns = DeltaTable(str(table)).to_pyarrow_dataset().to_table([SHARD])
    return set(columns[SHARD].to_pylist()), append


def iceberg(table: Path) -> Committed:
    """The checksums in an Iceberg table, whose catalog is an SQLite file beside its data, and the function that appends
    to it."""
    from pyiceberg.catalog.sql import SqlCatalog

    table.mkdir(parents=True, exist_ok=True)
    place = table.resolve()
    catalog = SqlCatalog("local", uri=f"sqlite:///{place}/catalog.db", warehouse=f"file://{place}")
    catalog.create_namespace_if_not_exists("crawl")

    def append(rows: pa.Table) -> None:
        # The field ids are given with the first schema and stay.
        catalog.create_table_if_not_exists("crawl.pages", schema=rows.schema).append(rows)

    if not catalog.table_exists("crawl.pages"):
        return set(), append
    columns = catalog.load_table("crawl.pages").scan(selected_fields=(SHARD,)).to_arrow()
    return set(columns[SHARD].to_pylist()), append


def lance(table: Path) -> Committed:
    """The checksums in a Lance dataset, and the function that appends to it."""
    import lance as lance_format

    # A folder is a dataset from its first version on: without one the first commit was interrupted.
    def begun() -> bool:
        return any((table / "_versions").glob("*.manifest"))

    def append(rows: pa.Table) -> None:
        lance_format.write_dataset(rows, str(table), mode="append" if begun() else "create")

    if not begun():
        return set(), append
    columns = lance_format.dataset(str(table)).to_table(columns=[SHARD])
    return set(columns[SHARD].to_pylist()), append


FORMATS = {"delta": delta, "iceberg": iceberg, "lance": lance}


def commit(folder: Path, table: Path, kind: str) -> int:
    """Appends the files that are not in the table yet, one commit a file; gives their number."""
    known, append = FORMATS[kind](table)
    committed = 0
    for name, path in shards(folder):
        if name in known:
            continue
        rows = pq.read_table(path)
        if len(rows):
            append(rows.append_column(SHARD, pa.array([name] * len(rows), pa.string())))
            # Two archives with the same documents give two equal files: they are one shard.
            known.add(name)
            committed += 1
    return committed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("table", type=Path)
    parser.add_argument("--format", choices=FORMATS, default="delta")
    arguments = parser.parse_args()
    print(f"{commit(arguments.folder, arguments.table, arguments.format)} files committed")


if __name__ == "__main__":
    main()
