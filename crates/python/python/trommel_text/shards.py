"""Runs on many machines with the guarantees of one. An input is a shard. Its output is complete or absent, finished
shards are skipped, the counts of all shards are added up, and failed records are collected in one file.

Any engine calls `run_shard` for each input, once or repeatedly, and `merge` at the end. All machines share the
folder of outputs, which contains:

    NAME.parquet                   the documents of a shard
    _shards/NAME.json              its counts, written last
    _quarantine/NAME.warc.gz       its failed records
    _MANIFEST, _SUCCESS            of the whole job, by `merge`
    quarantine.warc.gz             all failed records, by `merge`

As a program, for engines that start programs (`LIST` has one input on each line):

    python -m trommel_text.shards run LIST OUT --task 3 --of 100 [--config FILE] [--jobs N] [--format jsonl]
    python -m trommel_text.shards merge LIST OUT
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from . import _native

__all__ = ["merge", "name_of", "run_shard", "write_report"]

_ENDINGS = re.compile(r"(\.(warc|arc|wacz|wet))?(\.(gz|zst|lz4|br))?$", re.IGNORECASE)


def name_of(source: str | os.PathLike[str]) -> str:
    """Returns the name of a shard: that of its archive, without folder, query and endings."""
    name = re.split(r"[?#]", os.fspath(source))[0].rstrip("/").rpartition("/")[2]
    return _ENDINGS.sub("", name) or "shard"


def write_report(folder: str | os.PathLike[str], source: str | os.PathLike[str], summary: dict[str, Any]) -> None:
    """Writes the counts of a shard; the file is complete or absent.

    Raises ValueError if another input of the same name has a report there, because they would share an output.
    """
    path = Path(folder) / f"{name_of(source)}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    _check(path, source)
    new = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    new.write_text(json.dumps({"input": os.fspath(source), **summary}, indent=1) + "\n")
    os.replace(new, path)


def _check(path: Path, source: str | os.PathLike[str]) -> None:
    if path.exists():
        other = json.loads(path.read_text()).get("input")
        if other != os.fspath(source):
            raise ValueError(f"{os.fspath(source)}: the shard {path.stem} is that of {other}; write to another folder")


def run_shard(source: str | os.PathLike[str], out: str | os.PathLike[str], **choices: Any) -> dict[str, Any]:
    """Processes one input into its own output below `out` and returns its counts. `choices` are the keywords of
    `trommel_text.run`; `format` is one format, by default Parquet.

    A finished shard is skipped. An interrupted one continues, or starts again if its state is lost. An input that
    cannot be read raises no exception: `outcome` and `files` in the counts report it.
    """
    folder = Path(out)
    name = name_of(source)
    _check(folder / "_shards" / f"{name}.json", source)
    suffix = {"jsonl": "jsonl.zst", "msgpack": "msgpack.zst", "wet": "wet.gz"}
    kind = choices.pop("format", None) or "parquet"
    (folder / "_quarantine").mkdir(parents=True, exist_ok=True)
    target = folder / f"{name}.{suffix.get(kind, kind)}"
    # Whatever stands there without its state was written by nobody who finished.
    state = folder / f"_{target.name}.state"
    goes_on = state.exists() or not target.exists()
    summary = _native.run(
        os.fspath(source),
        target,
        quarantine=folder / "_quarantine" / f"{name}.warc.gz",
        resume=goes_on,
        overwrite=not goes_on,
        **choices,
    )
    write_report(folder / "_shards", source, summary)
    return summary


def _add(total: dict[str, Any], more: dict[str, Any]) -> None:
    for key, value in more.items():
        if isinstance(value, bool) or key in ("page_times", "outcome", "input", "quarantine"):
            continue
        if isinstance(value, (int, float)):
            total[key] = total.get(key, 0) + value
        elif isinstance(value, dict):
            _add(total.setdefault(key, {}), value)
        elif isinstance(value, list):
            total.setdefault(key, []).extend(value)


def merge(
    out: str | os.PathLike[str],
    inputs: Iterable[str | os.PathLike[str]] | None = None,
    reports: str | os.PathLike[str] | None = None,
) -> dict[str, Any]:
    """Adds up the counts of all shards below `out`, collects failed records in one `quarantine.warc.gz`, and writes
    `_MANIFEST`. It writes `_SUCCESS` if each of `inputs` (by default all that have a report) has been read.
    Returns the sums, with `shards` (their number), `missing` (inputs without a report) and `unread` (inputs that
    could not be read to their end). Shards are merged in the order of their names, so the result does not depend
    on the order of work.
    """
    folder = Path(out)
    total: dict[str, Any] = {"shards": 0}
    done = []
    for path in sorted(Path(reports or folder / "_shards").glob("*.json")):
        report = json.loads(path.read_text())
        done.append(report["input"])
        total["shards"] += 1
        _add(total, report)
    total["missing"] = sorted({os.fspath(one) for one in inputs or ()} - set(done))
    files = total.get("files", [])
    total["unread"] = [file["file"] for file in files if file["error"]]
    new = folder / ".quarantine.warc.gz.tmp"
    with open(new, "wb") as whole:
        for path in sorted(folder.glob("_quarantine/*.warc.gz")):
            with open(path, "rb") as part:
                shutil.copyfileobj(part, whole)
    if new.stat().st_size:
        os.replace(new, folder / "quarantine.warc.gz")
    else:
        new.unlink()
    manifest = folder / "._MANIFEST.tmp"
    manifest.write_text(json.dumps(total, indent=1, sort_keys=True) + "\n")
    os.replace(manifest, folder / "_MANIFEST")
    success = folder / "_SUCCESS"
    if total["missing"] or total["unread"]:
        success.unlink(missing_ok=True)
    else:
        success.touch()
    return total


def _lines(path: str) -> list[str]:
    lines = (line.strip() for line in Path(path).read_text(encoding="utf-8").split("\n"))
    return [line for line in lines if line and not line.startswith("#")]


def main(arguments: list[str] | None = None) -> int:
    """Runs the program. Returns 0 if all inputs were read, and 1 if something is missing or could not be read."""
    parser = argparse.ArgumentParser(prog="python -m trommel_text.shards", description="Shards of a job of many machines")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="run the inputs of a task: line TASK of the list and every OF-th after it")
    run.add_argument("--task", type=int, default=0, help="number of the task, from 0")
    run.add_argument("--of", type=int, default=1, help="number of tasks")
    run.add_argument("--config", help="configuration file")
    run.add_argument("--jobs", type=int, help="threads")
    run.add_argument("--format", default="parquet", help="format of the outputs")
    sums = commands.add_parser("merge", help="add up all shards")
    for command in (run, sums):
        command.add_argument("list", help="file with one input a line")
        command.add_argument("out", help="folder of outputs")
    given = parser.parse_args(arguments)
    inputs = _lines(given.list)
    if given.command == "merge":
        total = merge(given.out, inputs)
        counts = {key: total.get(key, 0) for key in ("shards", "records", "documents", "stored_bytes")}
        print(json.dumps({**counts, "missing": total["missing"], "unread": total["unread"]}))
        return int(bool(total["missing"] or total["unread"]))
    if not 0 <= given.task < given.of:
        parser.error(f"--task {given.task}: expected 0 to {given.of - 1}")
    clean = True
    for source in inputs[given.task :: given.of]:
        summary = run_shard(source, given.out, config=given.config, jobs=given.jobs, format=given.format)
        clean &= summary["outcome"] == "clean"
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
