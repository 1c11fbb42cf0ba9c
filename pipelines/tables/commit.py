#!/usr/bin/env python3
"""Commits the finished Parquet files of a run's folder to a Delta, Iceberg or Lance table, each file once.

    commit.py FOLDER TABLE [--format delta|iceberg|lance]

TABLE is a folder. The table itself holds the SHA-256 of the files that are in it, so that the command can be repeated
after any interruption. Files that `_MANIFEST` does not list are not finished and are left out.
"""

import argparse
import hashlib
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

# The column by which a file is known in the table.
SHARD = "shard"


def shards(folder: Path) -> list[tuple[str, pa.Table]]:
    """The checksum and the rows of each finished file. Raises ValueError if a file is not that of the manifest."""
    found = []
    for file in json.loads((folder / "_MANIFEST").read_text())["files"]:
        if not file["name"].endswith(".parquet"):
            continue
        path = folder / file["name"]
        if hashlib.sha256(path.read_bytes()).hexdigest() != file["sha256"]:
            raise ValueError(f"{path}: is not the file of _MANIFEST")
        rows = pq.read_table(path)
        found.append((file["sha256"], rows.append_column(SHARD, pa.array([file["sha256"]] * len(rows), pa.string()))))
    return found


def delta(table: Path):
    """The checksums in a Delta table, and the function that appends to it."""
    from deltalake import DeltaTable, write_deltalake

    def append(rows: pa.Table) -> None:
        write_deltalake(str(table), rows, mode="append")

    if not DeltaTable.is_deltatable(str(table)):
        return set(), append
    columns = DeltaTable(str(table)).to_pyarrow_dataset().to_table([SHARD])
    return set(columns[SHARD].to_pylist()), append


def iceberg(table: Path):
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


def lance(table: Path):
    """The checksums in a Lance dataset, and the function that appends to it."""
    import lance as lance_format

    def append(rows: pa.Table) -> None:
        lance_format.write_dataset(rows, str(table), mode="append" if table.exists() else "create")

    if not table.exists():
        return set(), append
    columns = lance_format.dataset(str(table)).to_table(columns=[SHARD])
    return set(columns[SHARD].to_pylist()), append


FORMATS = {"delta": delta, "iceberg": iceberg, "lance": lance}


def commit(folder: Path, table: Path, kind: str) -> int:
    """Appends the files that are not in the table yet, one commit a file; gives their number."""
    known, append = FORMATS[kind](table)
    new = [(name, rows) for name, rows in shards(folder) if name not in known and len(rows)]
    for _, rows in new:
        append(rows)
    return len(new)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("table", type=Path)
    parser.add_argument("--format", choices=FORMATS, default="delta")
    arguments = parser.parse_args()
    print(f"{commit(arguments.folder, arguments.table, arguments.format)} files committed")


if __name__ == "__main__":
    main()
