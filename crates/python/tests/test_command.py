"""The command `trommel` of the wheel is the program: the same output, messages and exit codes."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import trommel_text
from trommel_text import _native

PROGRAM = os.environ.get("TROMMEL")
COMMAND = Path(sys.executable).with_name("trommel")

pytestmark = pytest.mark.skipif(not hasattr(_native, "command"), reason="this build is without the command")
needs_program = pytest.mark.skipif(not PROGRAM, reason="no program to compare with: name it in TROMMEL")


def started(program, *arguments, **options):
    return subprocess.run([program, *arguments], capture_output=True, **options)


def test_it_is_installed_under_two_names_and_as_a_module():
    version = f"trommel {trommel_text.__version__}\n".encode()
    for name in ("trommel", "trommel-text"):
        assert started(COMMAND.with_name(name), "-V").stdout == version
    assert started(sys.executable, "-m", "trommel_text", "-V").stdout == version


def test_its_files_are_those_of_the_module(sample, tmp_path):
    made = started(COMMAND, "run", "-q", sample, "-o", tmp_path / "command", "-f", "jsonl,parquet")
    assert (made.returncode, made.stdout, made.stderr) == (0, b"", b"")
    trommel_text.run(sample, tmp_path / "module", format=["jsonl", "parquet"])
    for ending in ("jsonl.zst", "parquet"):
        name = f"wcxb-sample.{ending}"
        assert (tmp_path / "command" / name).read_bytes() == (tmp_path / "module" / name).read_bytes()


def test_an_argument_need_not_be_text(sample, tmp_path):
    archive = os.fsencode(tmp_path) + b"/\xff.warc.gz"
    shutil.copy(sample, archive)
    assert started(COMMAND, "run", "-q", archive, "-o", tmp_path / "out.jsonl").returncode == 0
    assert len((tmp_path / "out.jsonl").read_bytes()) > 10_000


PAGE = b"<title>T</title><p>The river runs by the mill, and the mill by it." * 20


@needs_program
def test_every_format_has_the_bytes_of_the_program(sample, tmp_path):
    formats = ["jsonl", "msgpack", "wet", "parquet", "annotations", "anserini", "trec", "bulk"]
    done = {}
    for name, program in {"program": PROGRAM, "command": COMMAND}.items():
        folder = tmp_path / name
        made = started(program, "run", "-q", sample, "-o", folder, "-f", ",".join(formats))
        assert (made.returncode, made.stderr) == (0, b"")
        # The manifest has times in it.
        paths = [path for path in folder.iterdir() if path.suffix and not path.name.startswith(".")]
        done[name] = {path.name: path.read_bytes() for path in paths}
        # The files of an index have random names: what it finds is compared, with all documents among it.
        index = started(program, "run", "-q", sample, "-o", folder / "index.tantivy")
        found = started(program, "search", "--index", folder / "index.tantivy", "-n", "999", "--json", "--", "-nowhere")
        assert (index.returncode, found.returncode) == (0, 0), index.stderr + found.stderr
        done[name]["found"] = found.stdout
    assert len(done["command"]) > len(formats) and len(done["command"]["found"]) > 10_000
    assert done["command"].keys() == done["program"].keys()
    assert [name for name, data in done["command"].items() if data != done["program"][name]] == []


@needs_program
@pytest.mark.parametrize(
    "arguments, given",
    [
        (["--version"], b""),
        (["--help"], b""),
        (["run", "--help"], b""),
        (["extract", "-"], PAGE),
        (["extract", "-f", "json", "-"], PAGE),
        (["inspect", "-"], PAGE),
        (["nonsense"], b""),
        (["run", "missing.warc.gz", "-o", "out"], b""),
        (["run", "-q", "SAMPLE", "-o", "-"], b""),
        (["annotate", "-q", "SAMPLE", "-o", "OUT.parquet"], b""),
        (["index", "-q", "SAMPLE", "--index", "OUT"], b""),
        (["cat", "SAMPLE", "--help"], b""),
        (["model", "list"], b""),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_it_does_what_the_program_does(arguments, given, sample, tmp_path):
    done = []
    for name, program in {"program": PROGRAM, "command": COMMAND}.items():
        folder = tmp_path / name
        folder.mkdir()
        filled = [one.replace("SAMPLE", str(sample)).replace("OUT", str(folder / "out")) for one in arguments]
        made = started(program, *filled, input=given, cwd=folder)
        files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.parquet")}
        # Lines of the log begin with the time.
        messages = re.sub(rb"\d{4}-\d\d-\d\dT[\d:.]+Z", b"TIME", made.stderr).replace(os.fsencode(folder), b"FOLDER")
        done.append((made.returncode, made.stdout, messages, files))
    assert done[0] == done[1]
    assert done[0][1] or done[0][2] or done[0][3] or arguments[0] == "index"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full disk here")
def test_a_message_that_cannot_be_written_is_dropped(sample, tmp_path):
    with open("/dev/full", "w") as full:
        for arguments in (["run", sample, "-o", tmp_path / "out.jsonl"], ["extract", "-"]):
            assert subprocess.run([COMMAND, *arguments], input=PAGE, stdout=subprocess.DEVNULL, stderr=full).returncode == 0
        script = "import sys, trommel_text; trommel_text.run(sys.argv[1], sys.argv[2])"
        logged = f"import logging; logging.basicConfig(level=0); {script}"
        for code, name in ((script, "a.jsonl"), (logged, "b.jsonl")):
            made = subprocess.run([sys.executable, "-c", code, sample, tmp_path / name], stderr=full)
            assert made.returncode == 0 and (tmp_path / name).stat().st_size > 10_000


@needs_program
def test_ctrl_c_ends_it_as_it_ends_the_program(sample, tmp_path, hears_ctrl_c):
    codes = []
    for name, program in {"program": PROGRAM, "command": COMMAND}.items():
        run = subprocess.Popen(
            [program, "run", "-q", "-", "-o", tmp_path / name, "-f", "jsonl", "--set", "checkpoint=1K"], stdin=subprocess.PIPE
        )
        # The pipe does not end. A run that cannot go on later is ended at once.
        run.stdin.write(sample.read_bytes())
        run.stdin.flush()
        while not (list(tmp_path.glob(f"{name}*")) or list(tmp_path.glob(f".{name}*"))):
            assert run.poll() is None
        run.send_signal(signal.SIGINT)
        codes.append(run.wait())
        run.stdin.close()
    assert codes == [-signal.SIGINT, -signal.SIGINT]


@needs_program
def test_a_run_of_one_is_continued_by_the_other(sample, tmp_path):
    """They are one build: a saved state of the program is one of the command."""
    summaries = []
    for name in ("by-one", "by-both"):
        out = tmp_path / name
        started(PROGRAM, "run", "-q", sample, "-o", out, "-f", "jsonl", "--summary", tmp_path / f"{name}.json")
    again = started(COMMAND, "run", "-q", sample, "-o", tmp_path / "by-both", "-f", "jsonl", "--resume")
    assert (again.returncode, again.stderr) == (0, b"")
    for name in ("by-one", "by-both"):
        summaries.append(json.loads((tmp_path / f"{name}.json").read_text())["documents"])
    assert summaries[0] == summaries[1] > 10
    assert (tmp_path / "by-one" / "wcxb-sample.jsonl.zst").read_bytes() == (
        tmp_path / "by-both" / "wcxb-sample.jsonl.zst"
    ).read_bytes()
