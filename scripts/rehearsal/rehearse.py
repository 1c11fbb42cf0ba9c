#!/usr/bin/env python3
"""Rehearses a snapshot on one machine: many archives from slow storage, in job arrays and in Spark, killed all the time.

    rehearse.py WORK RECORDS... [--archives 2000] [--size 500000] [--kills 200] [--engines program,arrays,spark]
                [--program trommel] [--seed 1]

WORK is a folder to be made, which needs the archives' size three times; RECORDS are folders of archives to take records
from. The engines are arrays of `trommel run --shard I/N --resume`, the array of pipelines/slurm, and Spark; the latter two
run with the Python that has trommel_text (and pyspark). They read the archives over HTTP from a server that throttles,
refuses and drops. Every file that they end with must be that of a run without faults and kills, and their manifest must name
the damage that was made. Prints tables; exit code 1 if anything differs.
"""

import argparse
import hashlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import archives as archive_maker
from storage import Storage

ROOT = Path(__file__).resolve().parents[2]
# Archives of a task of an array; tasks at once.
ARCHIVES_OF_A_TASK = 40
TASKS_AT_ONCE = 3
# Keys of counts that differ from run to run.
TIMES = ("seconds", "page_times")


@dataclass
class Result:
    """What a run took and gave."""

    name: str
    out: Path
    seconds: float = 0.0
    cpu: float = 0.0
    kills: int = 0
    starts: int = 0
    requests: int = 0
    refused: int = 0
    dropped: int = 0
    documents: int = 0
    faults: list[str] = field(default_factory=list)


def cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def descendants(root: int) -> dict[int, tuple[int, str]]:
    """Parent and command of each process below one."""
    parents: dict[int, tuple[int, str]] = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            parents[int(place.name)] = (parent, (place / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except (OSError, ValueError, IndexError):
            continue
    found: dict[int, tuple[int, str]] = {}
    below = {root}
    while below:
        below = {one for one, (parent, _) in parents.items() if parent in below}
        found |= {one: parents[one] for one in below}
    return found


@dataclass
class Job:
    """Archives to read, and with what."""

    listed: Path
    program: str
    kills: int
    dice: random.Random

    def tasks(self) -> int:
        return max(1, len(self.listed.read_text().split()) // ARCHIVES_OF_A_TASK)


def of_slurm(job: Job, out: Path, task: int) -> tuple[list[str], dict[str, str]]:
    """The command of a task of the Slurm recipe, and its variables."""
    own = {"SLURM_ARRAY_TASK_ID": str(task), "SLURM_ARRAY_TASK_COUNT": str(job.tasks()), "SLURM_CPUS_PER_TASK": "1"}
    own["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return ["bash", str(ROOT / "pipelines" / "slurm" / "array.sbatch"), str(job.listed), str(out)], own


def of_the_program(job: Job, out: Path, task: int) -> tuple[list[str], dict[str, str]]:
    """The command of a task that needs no Python."""
    place = str(out / f"task-{task:03}")
    share = ["--shard", f"{task + 1}/{job.tasks()}", "-j", "1", "--set", "checkpoint=64K"]
    return [job.program, "run", f"@{job.listed}", "-q", "-f", "parquet", "-o", place, "--summary", f"{place}.json", "--resume", *share], {}


def array(result: Result, job: Job, command_of) -> None:
    """A job array: tasks that are killed go to the end of the queue, as with --requeue."""
    waiting = list(range(job.tasks()))
    running: dict[int, tuple[subprocess.Popen, float]] = {}
    log = open(result.out.with_suffix(".log"), "a")
    while waiting or running:
        while waiting and len(running) < TASKS_AT_ONCE:
            task = waiting.pop(0)
            end = time.monotonic() + (0.3 + job.dice.expovariate(1 / 2.5) if result.kills < job.kills else 1e9)
            command, own = command_of(job, result.out, task)
            environment = {**os.environ, **own}
            process = subprocess.Popen(command, env=environment, start_new_session=True, stdout=log, stderr=log)
            running[task] = process, end
            result.starts += 1
        for task, (process, end) in list(running.items()):
            if process.poll() is None and time.monotonic() > end and result.kills < job.kills:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                result.kills += process.returncode == -signal.SIGKILL
            if process.poll() is None:
                continue
            del running[task]
            if process.returncode == -signal.SIGKILL:
                waiting.append(task)
            elif process.returncode not in (0, 1):
                result.faults.append(f"task {task}: exit code {process.returncode}, see {log.name}")
        time.sleep(0.01)


def spark(result: Result, job: Job) -> None:
    """A Spark job on two executors, whose workers and machines are killed."""
    command = [sys.executable, str(Path(__file__).with_name("spark_job.py")), str(job.listed), str(result.out)]
    log = open(result.out.with_suffix(".log"), "a")
    process = subprocess.Popen(command, start_new_session=True, stdout=log, stderr=log)
    result.starts = 1
    at = time.monotonic() + 5
    while process.poll() is None:
        time.sleep(0.05)
        if result.kills >= job.kills or time.monotonic() < at or not list(result.out.glob("_shards/*.json")):
            continue
        below = descendants(process.pid)
        workers = [
            one
            for one, (parent, command) in below.items()
            if "pyspark.daemon" in command and "pyspark.daemon" in below.get(parent, (0, ""))[1]
        ]
        machines = [one for one, (_, command) in below.items() if "CoarseGrainedExecutorBackend" in command]
        # A lost machine takes seconds to be replaced, a lost worker none.
        victims = machines if job.dice.random() < 0.1 else workers
        if victims:
            try:
                os.kill(job.dice.choice(victims), signal.SIGKILL)
                result.kills += 1
            except ProcessLookupError:
                pass
            at = time.monotonic() + job.dice.expovariate(1 / 1.0)
    if process.returncode:
        result.faults.append(f"Spark: exit code {process.returncode}, see {result.out.with_suffix('.log')}")


def without_times(path: Path, folder: Path) -> bytes:
    """The bytes of a file; of counts, without the times in them."""
    data = path.read_bytes()
    if path.suffix != ".json" and path.name != "_MANIFEST":
        return data
    counts = {key: value for key, value in json.loads(data).items() if key not in TIMES}
    # Inputs stand in the order in which they were read.
    for key in {"files", "damage"} & counts.keys():
        counts[key] = sorted(counts[key], key=lambda one: json.dumps(one, sort_keys=True))
    # The folders of two runs differ in their names.
    return json.dumps(counts, sort_keys=True).replace(str(folder), "OUT").encode()


def tree(folder: Path) -> dict[str, str]:
    """Checksums of all files below a folder."""
    # Times are in the saved states of runs that are done; a kill may leave a file that had no final name yet.
    others = (".state", ".tmp")
    files = (path for path in folder.rglob("*") if path.is_file())
    paths = [path for path in files if path.name != "_STATE" and path.suffix not in others]
    return {str(path.relative_to(folder)): hashlib.sha256(without_times(path, folder)).hexdigest() for path in paths}


def merged(job: Job, out: Path) -> dict:
    """The manifest of a job."""
    command = [sys.executable, "-m", "trommel_text.shards", "merge", str(job.listed), str(out)]
    done = subprocess.run(command, stdout=subprocess.DEVNULL)
    assert done.returncode in (0, 1)
    return json.loads((out / "_MANIFEST").read_text())


def added(job: Job, out: Path) -> dict:
    """The sums of the summaries of tasks without Python."""
    total: dict = {"files": [], "damage": []}
    for task in range(job.tasks()):
        for key, value in json.loads((out / f"task-{task:03}.json").read_text()).items():
            if isinstance(value, (int, list)) and not isinstance(value, bool):
                total[key] = total.get(key, type(value)()) + value
    total["unread"] = [file["file"] for file in total["files"] if file["error"]]
    total["missing"] = sorted(set(job.listed.read_text().split()) - {file["file"] for file in total["files"]})
    return total


def run(result: Result, work, sums, job: Job, storage: Storage) -> dict:
    """Does the work; gives the counts of the job."""
    result.out.mkdir()
    before = (storage.faults.requests, storage.faults.refused, storage.faults.dropped)
    begin, cpu = time.monotonic(), cpu_of_children()
    work(result, job)
    result.seconds, result.cpu = time.monotonic() - begin, cpu_of_children() - cpu
    now = (storage.faults.requests, storage.faults.refused, storage.faults.dropped)
    result.requests, result.refused, result.dropped = (after - then for after, then in zip(now, before))
    return sums(job, result.out)


def compared(result: Result, quiet: Result) -> None:
    """Notes every file that differs from that of the quiet run."""
    ours, theirs = tree(result.out), tree(quiet.out)
    names = sorted(name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name))
    result.faults += [f"{name}: {'differs' if name in ours and name in theirs else 'is in one of the runs only'}" for name in names]


@dataclass
class Damage:
    """What became of archives with one kind of damage."""

    archives: int = 0
    # In the manifest, by place or as unread.
    named: int = 0
    # Records whose bytes are as they were.
    intact: int = 0
    # Those of them that were not read.
    lost: int = 0


def counted(result: Result, manifest: dict, made: list[archive_maker.Archive], url: str) -> dict[str, Damage]:
    """Checks the manifest of a job against what was put into the archives: of archives without damage no record is lost, no
    document is there twice. Gives what is said of the others, by the kind of damage."""
    import pyarrow.parquet as pq

    told = {file["file"]: file for file in manifest["files"]}
    places_of_damage = {one["file"] for one in manifest["damage"]}
    kinds: dict[str, Damage] = {}
    for one in made:
        place = f"{url}/{one.name}"
        report = told[place]
        is_named = place in places_of_damage or bool(report["error"]) or bool(report["failures"])
        if one.damage is None:
            if report["records"] != one.records or is_named:
                result.faults.append(f"{one.name}: {report['records']} records of {one.records}, damage reported: {is_named}")
            continue
        kind = kinds.setdefault(one.damage + (" (plain)" if one.packing == "plain" else ""), Damage())
        kind.archives += 1
        kind.named += is_named
        kind.intact += one.intact
        kind.lost += max(0, one.intact - report["records"])
    places = set()
    rows = 0
    for path in sorted(result.out.rglob("*.parquet")):
        columns = ["file_path", "source_offset", "source_inner"]
        table = pq.read_table(path, columns=columns)
        rows += table.num_rows
        places |= set(zip(*(table[name].to_pylist() for name in columns)))
    result.documents = rows
    if not rows == len(places) == manifest["documents"]:
        result.faults.append(f"{rows} documents, {len(places)} places, {manifest['documents']} in the manifest")
    return kinds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("work", type=Path)
    parser.add_argument("records", type=Path, nargs="+")
    parser.add_argument("--archives", type=int, default=2000)
    parser.add_argument("--size", type=int, default=500_000, help="bytes of an archive")
    parser.add_argument("--kills", type=int, default=200, help="kills of each engine")
    parser.add_argument("--engines", default="program,arrays,spark")
    parser.add_argument("--program", default="trommel")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    work: Path = given.work
    work.mkdir(parents=True)
    pool = archive_maker.pool_of(given.records, 400)
    made = archive_maker.make(work / "archives", pool, given.archives, given.size, given.seed)
    stored = sum(path.stat().st_size for path in (work / "archives").iterdir())
    records = sum(one.records for one in made)
    print(f"{len(made)} archives, {stored / 1e6:.0f} MB, {records} records, of {len(pool)} different ones", flush=True)
    storage = Storage(work / "archives", given.seed)
    listed = work / "inputs.txt"
    listed.write_text("".join(f"{storage.url}/{one.name}\n" for one in made))

    # Of each engine: how it works, how its counts are added up, and the engine whose quiet run it must equal.
    engines = {
        "program": (lambda result, job: array(result, job, of_the_program), added, "program"),
        "arrays": (lambda result, job: array(result, job, of_slurm), merged, "arrays"),
        "spark": (spark, merged, "arrays"),
    }
    results = []
    quiet: dict[str, Result] = {}
    for engine in given.engines.split(","):
        how, sums, like = engines[engine]
        if like not in quiet:
            quiet[like] = Result(f"{like}, quiet", work / f"{like}-quiet")
            calm = Job(listed, given.program, 0, random.Random(0))
            manifest = run(quiet[like], engines[like][0], sums, calm, storage)
            damaged = counted(quiet[like], manifest, made, storage.url)
            results.append(quiet[like])
        one = Result(engine, work / engine)
        storage.faults.bad = True
        job = Job(listed, given.program, given.kills, random.Random(given.seed))
        counts = run(one, how, sums, job, storage)
        storage.faults.bad = False
        compared(one, quiet[like])
        counted(one, counts, made, storage.url)
        results.append(one)
    storage.stop()

    print("\n| run | seconds | CPU s | kills | starts | requests | refused | dropped | documents | differences |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for one in results:
        numbers = [one.kills, one.starts, one.requests, one.refused, one.dropped, one.documents, len(one.faults)]
        # Spark's executors are no children that anybody here waits for.
        cpu = "" if one.name == "spark" else f"{one.cpu:.0f}"
        print(f"| {one.name} | {one.seconds:.0f} | {cpu} | " + " | ".join(map(str, numbers)) + " |", flush=True)
    print("\n| damage | archives | named in the manifest | intact records | of these not read |\n|---|--:|--:|--:|--:|")
    for kind, one in sorted(damaged.items()):
        print(f"| {kind} | {one.archives} | {one.named} | {one.intact} | {one.lost} |")
    lost = {key: manifest.get(key, 0) for key in ("records", "pages", "documents", "damaged", "lost_bytes", "stored_bytes")}
    print(f"\n{json.dumps(lost)}; unread: {len(manifest['unread'])}, missing: {len(manifest['missing'])}")
    for one in results:
        for fault in one.faults[:20]:
            print(f"{one.name}: {fault}")
    return int(any(one.faults for one in results))


if __name__ == "__main__":
    sys.exit(main())
