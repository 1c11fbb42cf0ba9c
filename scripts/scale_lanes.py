"""Measures how `trommel run` scales with workers; see scale.sh, which calls it."""

import argparse
import glob
import gzip
import multiprocessing
import os
import random
import shutil
import subprocess
import time
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SAMPLE = os.path.join(ROOT, "samples/wcxb-sample.warc.gz")
# Ticks of the clock that /proc counts CPU time in.
TICKS = os.sysconf("SC_CLK_TCK")


def records(path):
    """The records of an archive with a gzip member each, without compression."""
    stored = open(path, "rb").read()
    while stored:
        member = zlib.decompressobj(31)
        yield member.decompress(stored)
        stored = member.unused_data


def archive(path, pages, megabytes, seed):
    """An archive of the pages in another order and with other ids, again and again."""
    shuffled = random.Random(seed)
    with open(path + ".tmp", "wb") as out:
        number = 0
        while out.tell() < megabytes * 1_000_000:
            for page in shuffled.sample(pages, len(pages)):
                head, block = page.split(b"\r\n\r\n", 1)
                own = f"<urn:uuid:{seed:08}-0000-4000-8000-{number:012}>".encode()
                lines = [
                    b"WARC-Record-ID: " + own if line.startswith(b"WARC-Record-ID:") else line
                    for line in head.split(b"\r\n")
                ]
                out.write(gzip.compress(b"\r\n".join(lines) + b"\r\n\r\n" + block, 6, mtime=0))
                number += 1
    os.rename(path + ".tmp", path)


def measured(command):
    """Seconds, CPU seconds of each thread, and the most MB of memory of a command."""
    begin = time.monotonic()
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    threads, peak = {}, 0
    while run.poll() is None:
        for task in glob.glob(f"/proc/{run.pid}/task/*"):
            try:
                text = open(task + "/stat").read()
                name, fields = text[text.index("(") + 1 : text.rindex(")")], text[text.rindex(")") + 2 :].split()
                threads[task, name] = (int(fields[11]) + int(fields[12])) / TICKS
            except (OSError, ValueError):
                pass
        try:
            status = open(f"/proc/{run.pid}/status").read()
            peak = max(peak, int(status.split("VmHWM:")[1].split()[0]) / 1024)
        except (OSError, IndexError):
            pass
        time.sleep(0.02)
    if run.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {run.returncode}")
    return time.monotonic() - begin, {name: spent for (_, name), spent in threads.items()}, peak


def resiliparse(path):
    """Pages of an archive whose text FastWARC and Resiliparse take out."""
    from fastwarc.warc import ArchiveIterator, WarcRecordType
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    pages = 0
    for record in ArchiveIterator(open(path, "rb"), record_types=WarcRecordType.response):
        body = record.reader.read()
        extract_plain_text(bytes_to_str(body, detect_encoding(body)), main_content=True)
        pages += 1
    return pages


def peer(paths, jobs):
    """Seconds of Resiliparse over all archives, a process an archive; none where it is not installed."""
    try:
        import resiliparse  # noqa: F401
    except ImportError:
        return None
    begin = time.monotonic()
    with multiprocessing.Pool(jobs, maxtasksperchild=1) as pool:
        pool.map(resiliparse_of, paths, chunksize=1)
    return time.monotonic() - begin


resiliparse_of = resiliparse


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", required=True)
    parser.add_argument("--archives", type=int, default=64)
    parser.add_argument("--megabytes", type=float, default=50)
    parser.add_argument("--jobs", help="numbers of workers, with commas between them")
    parser.add_argument("--format", default="jsonl")
    parser.add_argument("--trommel", default=os.path.join(ROOT, "target/release/trommel"))
    options = parser.parse_args()
    cores = os.cpu_count() or 1
    powers = [1 << power for power in range(12) if 1 << power <= cores]
    jobs = [int(number) for number in options.jobs.split(",")] if options.jobs else sorted({*powers, cores})
    os.makedirs(options.work, exist_ok=True)
    pages = [record for record in records(SAMPLE) if b"WARC-Type: response" in record[:400]]
    paths = []
    for seed in range(options.archives):
        paths.append(os.path.join(options.work, f"{options.megabytes:g}-{seed:03}.warc.gz"))
        if not os.path.exists(paths[-1]):
            archive(paths[-1], pages, options.megabytes, seed)
    number = sum(sum(1 for _ in records(path)) for path in paths[:1]) * len(paths)
    print(f"{len(paths)} archives of {options.megabytes:g} MB, about {number} pages, {cores} cores")
    print("| -j | seconds | pages/s | speed-up | CPU s | readers | writers | largest other than a worker | peak MB | Resiliparse pages/s |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    first = None
    for number_of_jobs in jobs:
        out = os.path.join(options.work, "out")
        command = [options.trommel, "run", *paths, "-o", out, "-j", str(number_of_jobs), "-f", options.format]
        shutil.rmtree(out, ignore_errors=True)
        seconds, threads, peak = measured(command)
        shutil.rmtree(out, ignore_errors=True)
        first = first or seconds
        total = sum(threads.values())
        share = lambda name: sum(spent for thread, spent in threads.items() if thread.startswith(name)) / total
        # The first writer is the thread that the program begins with.
        own = {thread: spent for thread, spent in threads.items() if not thread.startswith("worker-")}
        writers = share("writer-") + share("trommel")
        other = peer(paths, number_of_jobs)
        print(
            f"| {number_of_jobs} | {seconds:.1f} | {number / seconds:.0f} | {first / seconds:.2f} | {total:.1f} "
            f"| {share('reader-'):.3f} | {writers:.3f} | {max(own.values()) / total:.3f} | {peak:.0f} "
            f"| {f'{number / other:.0f}' if other else 'not installed'} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
