#!/usr/bin/env python3
"""Joins annotations with the indexes that cdxj-indexer makes of the same archives, in DuckDB.

    scripts/check-annotations.py PROGRAM ARCHIVE...

Every row of the annotations must join with the line of the index for its record by time and offset. Rows behind the place where cdxj-indexer stops at damage are counted apart. The index that `run --hard-to`
writes has to join with every row, damaged archives among them. Needs duckdb and cdxj-indexer (PyPI).
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb


def index_lines(archive: Path) -> tuple[list[tuple[str, int]], bool]:
    """Time and offset of each response that cdxj-indexer finds, and whether it reads the whole archive."""
    command = [sys.executable, "-m", "cdxj_indexer.main", str(archive)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = []
    for line in ran.stdout.splitlines():
        _, time, keys = line.split(" ", 2)
        lines.append((time, int(json.loads(keys)["offset"])))
    # At a broken gzip member it only says so and exits with 0.
    return lines, ran.returncode == 0 and "Error" not in ran.stderr


def unlike_our_index(program: str, archive: str, table: Path, folder: str) -> tuple[int, int]:
    """Rows of pages that are not blocked, and those among them without a line in the index of copied records."""
    copies = Path(folder) / "copies.warc.gz"
    index = Path(f"{copies}.cdxj")
    options = ["-o", f"{folder}/run.jsonl", "--overwrite", "--hard-to", copies, "--set", "hard_share=100%"]
    subprocess.run([program, "run", "-q", archive, *options], check=False, stderr=subprocess.DEVNULL)
    lines = [json.loads(line.split(" ", 2)[2]) for line in index.read_text().splitlines()] if index.exists() else []
    copies.unlink(missing_ok=True)
    index.unlink(missing_ok=True)
    connection = duckdb.connect()
    connection.execute("CREATE TABLE lines (url VARCHAR, place BIGINT, inner_place BIGINT)")
    rows = [(line["url"], int(line["offset"]), int(line.get("inner", 0))) for line in lines]
    if rows:
        connection.executemany("INSERT INTO lines VALUES (?, ?, ?)", rows)
    query = (
        "SELECT count(*), count(*) FILTER (WHERE NOT EXISTS (SELECT 1 FROM lines i WHERE i.url = coalesce(a.url, '-') AND "
        f"i.place = a.warc_record_offset AND i.inner_place = a.warc_record_inner)) FROM '{table}' a "
        "WHERE a.block_reason IS NULL"
    )
    return connection.execute(query).fetchone()


def main() -> None:
    program, *archives = sys.argv[1:]
    joined = documents = behind = pages = missing = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in archives:
            table = Path(folder) / f"{len(list(Path(folder).iterdir()))}.annotations.parquet"
            ran = subprocess.run([program, "annotate", "-q", name, "-o", table], check=False)
            if ran.returncode == 2 or not table.exists():
                print(f"{name}: not annotated")
                continue
            of_pages, of_missing = unlike_our_index(program, name, table, folder)
            pages += of_pages
            missing += of_missing
            lines, is_whole = index_lines(Path(name))
            if not lines:
                print(f"{name}: cdxj-indexer makes no index")
                continue
            connection = duckdb.connect()
            connection.execute("SET TimeZone = 'UTC'")
            connection.execute("CREATE TABLE lines (time VARCHAR, place BIGINT)")
            connection.executemany("INSERT INTO lines VALUES (?, ?)", lines)
            connection.execute(
                "CREATE VIEW urls AS SELECT place, "
                "strptime(time, '%Y%m%d%H%M%S') AT TIME ZONE 'UTC' AS fetch_time FROM lines"
            )
            query = (
                f"SELECT count(*), count(*) FILTER (WHERE EXISTS (SELECT 1 FROM urls i WHERE "
                f"i.fetch_time = a.fetch_time AND i.place = a.warc_record_offset)) FROM '{table}' a"
            )
            if not is_whole:
                last = max(place for *_, place in lines)
                unread = connection.execute(f"SELECT count(*) FROM '{table}' WHERE warc_record_offset > {last}")
                behind += unread.fetchone()[0]
                query += f" WHERE a.warc_record_offset <= {last}"
            of_table, of_join = connection.execute(query).fetchone()
            documents += of_table
            joined += of_join
            if of_table != of_join:
                print(f"{name}: {of_join} of {of_table} documents join")
    print(f"{behind} documents are behind the end of the index of a damaged archive")
    print(f"{joined} of {documents} documents join")
    print(f"{pages - missing} of {pages} documents that are not blocked join with our index of copied records")
    sys.exit(joined != documents or documents == 0 or missing > 0)


if __name__ == "__main__":
    main()
