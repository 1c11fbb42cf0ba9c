"""The scripts of Slurm and the command of the Kubernetes job, as those start them, task by task; each killed once."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from conftest import hashes

PIPELINES = Path(__file__).resolve().parents[1]
TASKS = 3


def slurm(listed, out, task):
    environment = {"SLURM_ARRAY_TASK_ID": str(task + 5), "SLURM_ARRAY_TASK_MIN": "5", "SLURM_ARRAY_TASK_COUNT": str(TASKS)}
    return ["bash", str(PIPELINES / "slurm" / "array.sbatch"), str(listed), str(out)], environment


def kubernetes(listed, out, task):
    text = (PIPELINES / "kubernetes" / "job.yaml").read_text()
    script = re.search(r"args:\n\s+- \|\n((?:\s{14}.*\n)+)", text)[1]
    script = script.replace("/data/inputs.txt", str(listed)).replace("/data/out", str(out))
    return ["/bin/sh", "-c", script], {"JOB_COMPLETION_INDEX": str(task), "TASKS": str(TASKS)}


@pytest.mark.parametrize("engine", [slurm, kubernetes])
def test_tasks_add_up_to_a_run(engine, archives, expected, tmp_path):
    listed, out = tmp_path / "inputs.txt", tmp_path / "out"
    listed.write_text("# archives\n" + "".join(f"{one}\n" for one in archives))
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for task in range(TASKS):
        command, own = engine(listed, out, task)
        started = subprocess.Popen(command, env={**environment, **own}, start_new_session=True)
        while not list(out.glob("_shards/*.json")) and started.poll() is None:
            time.sleep(0.01)
        time.sleep(0.1)
        if started.poll() is None:
            os.killpg(started.pid, signal.SIGKILL)
        started.wait()
        # Tried again, as by --requeue and by the controller of jobs.
        assert subprocess.run(command, env={**environment, **own}).returncode in (0, 1)
    merged = subprocess.run(
        ["bash", str(PIPELINES / "slurm" / "merge.sbatch"), str(listed), str(out)],
        env=environment, capture_output=True, text=True,
    )  # fmt: skip
    counts = json.loads(merged.stdout)
    assert counts["shards"] == len(archives) and counts["missing"] == [] and counts["unread"] == [str(archives[23])]
    tables = [pq.read_table(one, columns=["id", "text"]) for one in sorted(out.glob("*.parquet"))]
    rows = [row for table in tables for row in table.to_pylist()]
    assert hashes((row["id"], row["text"]) for row in rows) == expected
    assert counts["documents"] == len(rows)
