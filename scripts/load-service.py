#!/usr/bin/env python3
"""Loads `trommel serve` with a real client and compares it with `trommel run` over the same pages.

    scripts/load-service.py [ARCHIVE.warc.gz] [--rounds N] [--seconds S] [--minutes M]

wrk keeps 64 connections busy; each sends one page of the archive after the other and asks for JSON.

- speed: rounds of `run -j 2` and of the service, one after the other, so that what else the machine does
  meets both; the median of the ratios of a round counts. Both have two threads to judge pages; the client
  and the network are on top of that for the service.
- latency: p50 and p99 with all connections asking without a pause (then the mean is what 64 over the pages a
  second is, however good the service), and at 70 % of that rate, connections pausing between requests.
- memory: resident set each ten seconds over --minutes of load.
- over capacity: a service with room for eight requests and 64 clients that come again when told. Each page
  must be answered in the end with what a quiet service says, each 429 must say when to come back, and the
  service must have counted what the clients did.

Needs wrk. TROMMEL names the program. Fails on any error, and where a bound is named and missed.
"""

import argparse
import gzip
import http.client
import json
import os
import random
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from warc_pages import pages, record

ROOT = Path(__file__).resolve().parent.parent
TROMMEL = os.environ.get("TROMMEL", "trommel")
CONNECTIONS = 64
JOBS = 2
# What is sent, page after page; threads begin at different places. `delay` makes wrk pause.
CLIENT = """
local threads = 0
function setup(thread) thread:set("place", threads); threads = threads + 1 end
function init(arguments)
   requests, pause = {}, tonumber(arguments[3])
   for number = 0, tonumber(arguments[2]) - 1 do
      local file = assert(io.open(arguments[1] .. "/" .. number .. ".html", "rb"))
      wrk.headers["Content-Type"] = "text/html"
      requests[#requests + 1] = wrk.format("POST", "/extract", wrk.headers, file:read("*a"))
      file:close()
   end
   place = math.floor(place * #requests / 2)
   if pause > 0 then delay = function() return math.floor(2 * pause * math.random()) end end
end
function request() place = place % #requests + 1; return requests[place] end
function done(summary, latency)
   local errors = summary.errors
   print(string.format('DONE {"answers": %d, "seconds": %f, "p50": %f, "p99": %f, "mean": %f, "faults": %d, "refused": %d}',
      summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency.mean / 1e3,
      errors.connect + errors.read + errors.write + errors.timeout, errors.status))
end
"""


class Service:
    """A service on a port of its own, ended at the end of `with`."""

    def __init__(self, folder, *arguments):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            self.port = taken.getsockname()[1]
        command = [TROMMEL, "--quiet", "serve", "--listen", f"127.0.0.1:{self.port}", *arguments]
        self.log = open(folder / "service.log", "ab")
        self.process = subprocess.Popen(command, stderr=self.log)
        for _ in range(200):
            try:
                self.get("/readyz")
                return
            except OSError:
                time.sleep(0.05)
        sys.exit(f"the service does not listen: see {folder}/service.log")

    def get(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", path)
        return connection.getresponse().read().decode()

    def resident(self):
        """Resident megabytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s*(\d+)", status)[1]) / 1024

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        code = self.process.wait(60)
        self.log.close()
        if code:
            sys.exit(f"the service ended with {code}")


def load(folder, count, service, seconds, pause=0):
    """What wrk says after so many seconds."""
    command = ["wrk", "-t2", f"-c{CONNECTIONS}", f"-d{seconds}s", "--timeout", "20s", "-s", folder / "client.lua",
               f"http://127.0.0.1:{service.port}", "--", folder / "pages", count, pause]
    said = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    found = re.search(r"^DONE (.*)$", said.stdout, re.M)
    if not found:
        sys.exit(f"wrk: {said.stdout}{said.stderr}")
    result = json.loads(found[1])
    if result["faults"] or result["refused"]:
        sys.exit(f"wrk met errors: {result}")
    return result


def run(folder, count, times):
    """Pages a second of `run` over one archive that has each page so often."""
    archive = folder / f"{times}.warc.gz"
    if not archive.exists():
        once = (folder / "pages.warc.gz").read_bytes()
        with open(archive, "wb") as copies:
            for _ in range(times):
                copies.write(once)
    command = [TROMMEL, "--quiet", "run", archive, "-o", "-", "-f", "jsonl", "-j", str(JOBS)]
    begin = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return count * times / (time.monotonic() - begin)


def over_capacity(folder, bodies):
    """64 clients, and room for eight requests."""
    expected = []
    with Service(folder) as service:
        connection = http.client.HTTPConnection("127.0.0.1", service.port)
        for body in bodies:
            connection.request("POST", "/extract", body, {"Content-Type": "text/html"})
            expected.append(connection.getresponse().read())
    counts = {"answered": 0, "told to come back": 0}
    faults, lock = [], threading.Lock()

    def client(number, port):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            ask_all(connection, number)
        except (OSError, http.client.HTTPException) as error:
            with lock:
                faults.append(f"client {number}: {error!r}")

    def ask_all(connection, number):
        for at in range(number, number + 20):
            at %= len(bodies)
            while True:
                connection.request("POST", "/extract", bodies[at], {"Content-Type": "text/html"})
                answer = connection.getresponse()
                body = answer.read()
                with lock:
                    if answer.status == 429 and int(answer.headers.get("Retry-After", 0)) > 0:
                        counts["told to come back"] += 1
                    elif answer.status == 200 and body == expected[at]:
                        counts["answered"] += 1
                        break
                    else:
                        faults.append(f"page {at}: {answer.status} {body[:80]}")
                        break
                # Sooner than told, so that there is something to refuse.
                time.sleep(random.random() / 5)

    with Service(folder, "--jobs", "1", "--queue", "7") as service:
        clients = [threading.Thread(target=client, args=(number, service.port)) for number in range(CONNECTIONS)]
        for one in clients:
            one.start()
        for one in clients:
            one.join()
        metrics = service.get("/metrics")
    counted = {status: int(count) for status, count in re.findall(r'trommel_requests_total\{status="(\d+)"\} (\d+)', metrics)}
    documents = int(re.search(r"^trommel_documents_total (\d+)", metrics, re.M)[1])
    print(f"over capacity: {counts}, the service counted {counted.get('200', 0)} and {counted.get('429', 0)}")
    if faults or counts["answered"] != 20 * CONNECTIONS or documents != counts["answered"]:
        sys.exit(f"something was lost: {documents} documents; {faults[:5]}")
    if counts["told to come back"] == 0 or counted.get("429") != counts["told to come back"]:
        sys.exit("refusals do not add up, or there were none")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", nargs="?", default=ROOT / "samples/wcxb-sample.warc.gz")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=10, help="of load in a round")
    parser.add_argument("--minutes", type=float, default=10, help="of load for the memory; 0: none")
    parser.add_argument("--most", type=int, default=300, help="pages of the archive")
    parser.add_argument("--least-ratio", type=float, help="fails below this share of the speed of run")
    parser.add_argument("--most-p99", type=float, help="fails above so many milliseconds, without pauses")
    parser.add_argument("--most-growth", type=float, default=10, help="fails if memory grows by more per cent")
    options = parser.parse_args()
    if not shutil.which("wrk"):
        sys.exit("skipped: wrk is not installed")
    folder = Path(tempfile.mkdtemp(prefix="trommel-load-"))
    missed = []
    try:
        measure(options, folder, missed)
    finally:
        shutil.rmtree(folder)
    if missed:
        sys.exit("missed: " + "; ".join(missed))


def measure(options, folder, missed):
    (folder / "pages").mkdir()
    (folder / "client.lua").write_text(CLIENT)
    bodies = []
    with open(folder / "pages.warc.gz", "wb") as archive:
        for number, (kind, body) in enumerate(pages(options.archive, options.most)):
            (folder / f"pages/{number}.html").write_bytes(body)
            archive.write(gzip.compress(record(number, f"http://a.example/{number}", kind, body)))
            bodies.append(body)
    count = len(bodies)
    print(f"{count} pages, {sum(map(len, bodies)) / count / 1024:.0f} KB each", flush=True)

    with Service(folder, "--jobs", str(JOBS)) as service:
        load(folder, count, service, 2)
        times = max(1, round(options.seconds * run(folder, count, 20) / count))
        ratios, rates, p99 = [], [], []
        for number in range(options.rounds):
            alone = run(folder, count, times)
            served = load(folder, count, service, options.seconds)
            rate = served["answers"] / served["seconds"]
            ratios.append(rate / alone)
            rates.append(rate)
            p99.append(served["p99"])
            print(f"round {number + 1}: run -j {JOBS} {alone:.0f} pages/s, service {rate:.0f}, ratio {rate / alone:.3f}; "
                  f"mean {served['mean']:.1f} ms, p50 {served['p50']:.1f}, p99 {served['p99']:.1f}", flush=True)
        ratio = statistics.median(ratios)
        print(f"median ratio {ratio:.3f} ({min(ratios):.3f} to {max(ratios):.3f}), median p99 {statistics.median(p99):.1f} ms")
        if options.least_ratio and ratio < options.least_ratio:
            missed.append(f"ratio {ratio:.3f}")
        if options.most_p99 and statistics.median(p99) > options.most_p99:
            missed.append(f"p99 {statistics.median(p99):.1f} ms")
        # So many milliseconds between two requests of a connection make 70 % of the rate.
        pause = CONNECTIONS / (0.7 * statistics.median(rates)) * 1000
        paced = load(folder, count, service, options.seconds, pause)
        print(f"with pauses: {paced['answers'] / paced['seconds']:.0f} pages/s, mean {paced['mean']:.1f} ms, "
              f"p50 {paced['p50']:.1f}, p99 {paced['p99']:.1f}", flush=True)

        sizes, end = [], time.monotonic() + options.minutes * 60
        while time.monotonic() < end:
            load(folder, count, service, 10)
            sizes.append(service.resident())
            print(f"resident {sizes[-1]:.1f} MB", flush=True)
        if len(sizes) > 5:
            # Pools and buffers have their size after the first fifth.
            begin = statistics.median(sizes[len(sizes) // 5 :][:3])
            growth = (statistics.median(sizes[-3:]) / begin - 1) * 100
            print(f"memory: {growth:+.1f} % from {begin:.1f} MB, {max(sizes):.1f} MB at most")
            if growth > options.most_growth:
                missed.append(f"memory grows by {growth:.1f} %")
    over_capacity(folder, bodies)


if __name__ == "__main__":
    main()
