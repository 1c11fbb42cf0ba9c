#!/usr/bin/env python3
"""Speed and memory of the Python module, beside Resiliparse in the same run. Needs the wheel, pyarrow and resiliparse.

    scripts/bench-python.py ARCHIVE [--trommel PROGRAM] [--calls 1000000] [--most 600]

Prints a JSON object: pages a second of each call (medians of 5 rounds that take turns), how much two threads gain, the time of
`run` over that of the program, growth of memory over many calls, the time of the import.
"""

import argparse
import gc
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def bodies(archive: str, most: int) -> list[str]:
    """Pages of an archive, decoded."""
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding
    import gzip

    found = []
    with gzip.open(archive) as file:
        stored = file.read()
    for record in stored.split(b"WARC/1.")[1:]:
        if b"WARC-Type: response" in record[:2000]:
            parts = record.split(b"\r\n\r\n", 2)
            if len(parts) == 3 and b"<" in parts[2][:2000]:
                found.append(bytes_to_str(parts[2], detect_encoding(parts[2])))
        if len(found) == most:
            break
    return found


def rounds(calls: dict, count: int) -> dict[str, list[float]]:
    """Seconds of each call, which take turns."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(count):
        for name, call in calls.items():
            begin = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - begin)
    return times


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive")
    parser.add_argument("--trommel", help="the program, to compare runs over the archive with")
    parser.add_argument("--calls", type=int, default=1_000_000, help="calls of the look for leaks")
    parser.add_argument("--most", type=int, default=600, help="pages")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()

    report: dict = {}
    imports = "import time; t = time.perf_counter(); import trommel_text; print(time.perf_counter() - t)"
    times = [float(subprocess.check_output([sys.executable, "-c", imports])) for _ in range(9)]
    report["import_ms"] = round(statistics.median(times) * 1000, 1)

    import trommel_text
    from resiliparse.extract.html2text import extract_plain_text

    pages = bodies(given.archive, given.most)
    report["pages"], report["mb"] = len(pages), round(sum(map(len, pages)) / 1e6, 1)
    extractor = trommel_text.Extractor()
    times = rounds(
        {
            "extract": lambda: [extractor.extract(page) for page in pages],
            "text": lambda: [extractor.text(page) for page in pages],
            "resiliparse": lambda: [extract_plain_text(page, main_content=True) for page in pages],
            "batch_1": lambda: extractor.extract_batch(pages, threads=1),
            "batch_2": lambda: extractor.extract_batch(pages, threads=2),
        },
        given.rounds,
    )
    median = {name: statistics.median(values) for name, values in times.items()}
    report["pages_per_second"] = {name: round(len(pages) / value) for name, value in median.items()}
    paired = [theirs / ours for ours, theirs in zip(times["extract"], times["resiliparse"])]
    report["extract_over_resiliparse"] = round(statistics.median(paired), 2)
    paired = [theirs / ours for ours, theirs in zip(times["text"], times["resiliparse"])]
    report["text_over_resiliparse"] = round(statistics.median(paired), 2)
    paired = [one / two for one, two in zip(times["batch_1"], times["batch_2"])]
    report["two_threads_over_one"] = round(statistics.median(paired), 2)
    report["two_threads_over_one_best"] = round(min(times["batch_1"]) / min(times["batch_2"]), 2)

    if given.trommel:
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "a.jsonl.zst")
            cpu: dict[str, list[float]] = {"program": [], "module": [], "read_warc": []}
            code = "import sys, trommel_text; trommel_text.run(sys.argv[1], sys.argv[2], overwrite=True)"
            read = "import sys, trommel_text\nfor batch in trommel_text.read_warc(sys.argv[1]): pass"
            commands = {
                "program": [given.trommel, "run", given.archive, "-o", out, "--overwrite"],
                "module": [sys.executable, "-c", code, given.archive, out],
                "read_warc": [sys.executable, "-c", read, given.archive],
            }
            for _ in range(given.rounds):
                for name, command in commands.items():
                    before = resource.getrusage(resource.RUSAGE_CHILDREN)
                    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
                    after = resource.getrusage(resource.RUSAGE_CHILDREN)
                    cpu[name].append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
            report["cpu_s"] = {name: round(statistics.median(values), 3) for name, values in cpu.items()}
            for name in ("module", "read_warc"):
                paired = [own / program for own, program in zip(cpu[name], cpu["program"])]
                report[f"{name}_over_program"] = round(statistics.median(paired), 3)

    small = b"<title>T</title><p>The mill stands by the river, and its wheel turns.</p>"
    for _ in range(20_000):
        extractor.extract(small)
    gc.collect()
    before = resident()
    for _ in range(given.calls):
        extractor.extract(small)
    for _ in range(given.calls // 100):
        extractor.extract_batch([small] * 3, threads=1)
    gc.collect()
    report["leak"] = {"calls": given.calls, "grown_kb": (resident() - before) // 1024}
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
