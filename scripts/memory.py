#!/usr/bin/env python3
"""Memory of `trommel run`: in each of many passes over an archive in one process, and the peak under
--max-memory over an archive of records of 64 MB.

    cargo build --release -p trommel-cli
    scripts/memory.py [--trommel PROGRAM] [--passes 20] [ARCHIVE]

Ends with 1 if the last pass takes 5 % more than the second, or a peak is above its bound.
"""

import argparse
import gzip
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MB = 1 << 20


def resident(pid):
    """Resident MB of a process."""
    with open(f"/proc/{pid}/status") as file:
        fields = dict(line.split(":", 1) for line in file)
    return int(fields["VmRSS"].split()[0]) / 1024


def passes(program, archive, number, work):
    """Mean and greatest resident MB of each pass. A pass ends when its file has been given its name. The
    allocator is told to give freed memory back at once: what it keeps for a while differs by a third from
    moment to moment."""
    out = os.path.join(work, "out")
    command = [program, "run", *[archive] * number, "-o", out, "-j", "2", "--overwrite"]
    environment = {**os.environ, "MIMALLOC_PURGE_DELAY": "0"}
    run = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=environment)
    found, seen = [], []
    while run.poll() is None:
        names = os.listdir(out) if os.path.isdir(out) else []
        done = [name for name in names if name[0] != "." and ".jsonl" in name]
        try:
            seen.append(resident(run.pid))
        except (FileNotFoundError, KeyError, ProcessLookupError):
            break  # it has just ended
        if len(found) < len(done):
            found.append((statistics.mean(seen), max(seen)))
            seen = []
        time.sleep(0.005)
    if seen:
        found.append((statistics.mean(seen), max(seen)))
    if run.returncode:
        sys.exit(f"exit code {run.returncode}")
    return found[:number]


def large(path):
    """Eight records of 64 MB: paragraphs, table rows, one text, links; each twice."""
    makers = [
        lambda at: f"<p>Paragraph {at} of a page that goes on and on.</p>\n",
        lambda at: f"<tr><td>row {at}<td>cell",
        lambda at: f"word{at} ",
        lambda at: f"<a href=/{at}>Link {at}</a> ",
    ]
    with open(path, "wb") as file:
        for at, make in enumerate(makers * 2):
            parts, size = [], 0
            while size < 64 * MB - 1000:
                parts.append("".join(make(len(parts) * 1000 + one) for one in range(1000)))
                size += len(parts[-1])
            body = "".join(parts).encode()[: 64 * MB - 1000]
            http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body
            warc = (
                f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{at}>\r\n"
                f"WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: http://example.org/{at}\r\n"
                f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
            )
            file.write(gzip.compress(warc.encode() + http + b"\r\n\r\n", 1))


def peak(program, archive, bound, work):
    """Peak MB, and documents written."""
    out = os.path.join(work, "large.jsonl")
    command = [program, "run", archive, "-o", out, "-j", "2", "--overwrite", *bound]
    run = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(run.pid, 0)
    run.returncode = os.waitstatus_to_exitcode(status)
    if run.returncode != 0:
        sys.exit(f"exit code {run.returncode}")
    with open(out, "rb") as file:
        return usage.ru_maxrss / 1024, sum(1 for _ in file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trommel", default=os.path.join(ROOT, "target/release/trommel"))
    parser.add_argument("--passes", type=int, default=20)
    sample = os.path.join(ROOT, "samples/wcxb-sample.warc.gz")
    parser.add_argument("archive", nargs="?", default=sample)
    arguments = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as work:
        found = passes(arguments.trommel, arguments.archive, arguments.passes, work)
        print("pass, mean resident MB, greatest")
        for at, (mean, most) in enumerate(found, 1):
            print(f"{at}, {mean:.1f}, {most:.1f}", flush=True)
        bad += found[-1][0] > 1.05 * found[1][0]
        archive = os.path.join(work, "large.warc.gz")
        # By another process: what a process takes counts what its parent holds when it starts.
        maker = multiprocessing.Process(target=large, args=(archive,))
        maker.start()
        maker.join()
        print("--max-memory, peak MB, documents")
        for size in [None, 2048, 1024, 512, 256, 128]:
            bound = ["--max-memory", f"{size}M"] if size else []
            most, documents = peak(arguments.trommel, archive, bound, work)
            bad += size is not None and most > size
            print(f"{size or '-'}, {most:.0f}, {documents}", flush=True)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
