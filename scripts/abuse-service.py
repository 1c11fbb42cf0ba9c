#!/usr/bin/env python3
"""Abuses `trommel serve` for a while with a well-behaved client beside it; prints its peak memory and the answers.

    scripts/abuse-service.py [--minutes 10] [--max-memory 64M] [--timeout 5]

Clients that drip bodies, heads and the batch archive, clients that never read (of /openapi.json, /inspect,
/extract, /extract/batch, /metrics), big pages of text, of markup and of both, for which chunks, spans, links, images,
lists and selectors are asked, more connections than the service takes, and ones that break off, all at once and again
and again. Loopback only. One client asks for a page each second on
connections of its own, and one more on a connection that it keeps; each must be answered with 200 within
30 seconds, 429 and 408 being reasons to ask again.

TROMMEL names the program. Fails if the peak of the memory (VmHWM) is above twice --max-memory plus 100 MB, if a
well-behaved request was not answered in time, or if the service ends.
"""

import argparse
import collections
import http.client
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time

TROMMEL = os.environ.get("TROMMEL", "trommel")
SIZES = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
STORY = b"<title>Mill</title><h1>The mill</h1>" + b"<p>The mill stands by the river, and its wheel has turned for years." * 20
SHAPES = {
    "text": lambda size: b"<p>" + b"The mill stands by the river. " * (size // 30),
    "links": lambda size: b"<p>a <a href=x>b</a>" * (size // 20),
    "paragraphs": lambda size: b"<p>x" * (size // 4),
    "cells": lambda size: b"<table>" + b"<tr><td>1<td>2" * (size // 14),
    "formulas": lambda size: b"<math><mi>x</mi></math> and " * (size // 28),
    "data": lambda size: b'<script type="application/ld+json">[' + b"{\"a\":[1]}," * (size // 10) + b"{}]</script>",
    "brackets": lambda size: b"<" * size,
    "pictures": lambda size: b"<picture>" + b"<img src=a.png alt=x>" * (size // 21) + b"</picture>",
    "short": lambda size: b"".join(b"<p>Short number %d of it." % number for number in range(size // 25)),
    "addresses": lambda size: b"<p>Text of it " + b"<b>&lt;http://a.b/c&gt;</b> x " * (size // 30),
    "notes": lambda size: b"<p>text" + b"<sup><a href=#f id=r>1</a></sup> word " * (size // 75)
    + b"<p id=f>note <a href=#r>b</a></p>" * (size // 75),
    "classes": lambda size: b"<p class='" + b"a " * 30_000 + b"'>The mill stands by the river." * (size // 30),
}
# What is asked of big pages.
ASKED = [
    "",
    "?chunks=words%3D50&spans=true",
    "?chunks=tokens%3D64%2Coverlap%3D32&text=markdown&links=true&images=true",
    "?text=markdown&links=true&images=true&spans=true",
    "?blocks=true&tables=true&posts=true&spans=true&chunks=words%3D10",
    "?drop=" + "%2C".join(f".b{number}" for number in range(600)),
]


class Abuse:
    def __init__(self, port, most):
        self.port, self.most = port, most
        self.ends = False
        self.answers = collections.Counter()
        self.lock = threading.Lock()
        self.worst = {}

    def count(self, who, what):
        with self.lock:
            self.answers[f"{who}: {what}"] += 1

    def connect(self, buffer=None):
        own = socket.socket()
        if buffer:
            own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        own.settimeout(10)
        own.connect(("127.0.0.1", self.port))
        return own

    def post(self, path, body, more=b""):
        return b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n%s\r\n" % (path.encode(), len(body), more) + body

    def again(self, task, *arguments):
        """Does it until the end, each time on a new connection."""
        while not self.ends:
            try:
                task(*arguments)
            except OSError as error:
                self.count(task.__name__, type(error).__name__)
                time.sleep(0.05)

    # Each of these is one connection.

    def drips_a_body(self):
        with self.connect() as own:
            size = random.choice([1_000, 100_000, 1_000_000])
            own.sendall(self.post(random.choice(["/extract", "/inspect", "/extract/batch"]), b"x" * size)[: -size // 2])
            for _ in range(200):
                own.sendall(b"x")
                time.sleep(0.2)
                if self.ends:
                    return

    def drips_a_head(self):
        with self.connect() as own:
            for byte in b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: " + b"x" * 1000:
                own.sendall(bytes([byte]))
                time.sleep(0.2)
                if self.ends:
                    return

    def is_silent(self):
        with self.connect() as own:
            own.settimeout(60)
            self.count("is_silent", f"ended with {own.recv(100)[:15]!r}")

    def never_reads(self):
        with self.connect(2048) as own:
            path = random.choice(["/openapi.json", "/metrics", "/inspect", "/inspect", "/extract", "/extract/batch"])
            request = b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % path.encode() * 400
            if path in ("/inspect", "/extract"):
                request = self.post(path, SHAPES[random.choice(list(SHAPES))](random.choice([10_000, 300_000, self.most])))
            elif path == "/extract/batch":
                request = self.post(path, record(STORY * 20) * 500)
            try:
                own.sendall(request)
            except OSError:
                self.count("never_reads", "not taken")
            # As long as the service bears it.
            begin = time.monotonic()
            while not self.ends and time.monotonic() - begin < 60:
                time.sleep(1)
                try:
                    own.sendall(b"G")
                except TimeoutError:
                    pass
                except OSError:
                    self.count("never_reads", "let go")
                    return

    def sends_a_big_page(self):
        shape = random.choice(list(SHAPES))
        size = random.choice([self.most // 4, self.most - 1000, self.most + 1, 16 << 20])
        path = random.choice(["/extract", "/extract", "/extract", "/inspect"])
        asked = random.choice(ASKED) if path == "/extract" else ""
        with self.connect() as own:
            own.settimeout(60)
            try:
                own.sendall(self.post(path + asked, SHAPES[shape](size)))
            except OSError:
                pass
            read = own.recv(12)
            self.count(f"big {path}", read[9:12].decode() or "closed")
            while own.recv(1 << 16) if random.random() < 0.5 else False:
                pass

    def breaks_off(self):
        with self.connect() as own:
            own.sendall(self.post("/extract", STORY)[: random.randrange(1, len(STORY))])

    def crowds(self):
        crowd = []
        try:
            for _ in range(300):
                crowd.append(self.connect(2048))
                crowd[-1].setblocking(False)
                try:
                    crowd[-1].send(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 400)
                except OSError:
                    pass
            for _ in range(20):
                if not self.ends:
                    time.sleep(1)
        finally:
            for own in crowd:
                own.close()

    # And the well-behaved.

    def behaves(self, keeps):
        own = None
        while not self.ends:
            begin = time.monotonic()
            while True:
                try:
                    own = own or http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
                    own.request("POST", "/extract", body=STORY)
                    answer = own.getresponse()
                    text = answer.read()
                    status = answer.status if answer.status != 200 or b"wheel has turned" in text else "wrong"
                except (OSError, http.client.HTTPException) as error:
                    status, own = type(error).__name__, None
                self.count("behaves", status)
                if not keeps and own:
                    own.close()
                    own = None
                if status == 200 or self.ends:
                    break
                time.sleep(0.2)
            took = time.monotonic() - begin
            name = "keeps its connection" if keeps else "connects anew"
            with self.lock:
                self.worst.setdefault(name, []).append(took)
            time.sleep(max(0.0, 1 - took))


def record(page):
    http_part = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page
    head = (
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:%d>\r\nWARC-Target-URI: http://e.example/\r\n"
        b"WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n"
    )
    return head % (random.randrange(1 << 60), len(http_part)) + http_part + b"\r\n\r\n"


def memory(process, key):
    with open(f"/proc/{process.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(key)) / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--max-memory", default="64M")
    parser.add_argument("--timeout", type=int, default=5)
    asked = parser.parse_args()
    bound = 2 * int(asked.max_memory[:-1]) * SIZES[asked.max_memory[-1]] / (1 << 20) + 100
    command = [TROMMEL, "serve", "--listen", "127.0.0.1:0", "--max-memory", asked.max_memory]
    # Its log is read, or it would wait to write it.
    process = subprocess.Popen(command + ["--timeout", str(asked.timeout)], stderr=subprocess.PIPE, text=True)
    found = None
    for line in process.stderr:
        if found := re.search(r"listening on http://127\.0\.0\.1:(\d+)", line):
            break
    if not found:
        sys.exit("the service does not start")
    threading.Thread(target=collections.deque, args=(process.stderr, 0), daemon=True).start()
    port = int(found.group(1))
    about = http.client.HTTPConnection("127.0.0.1", port)
    about.request("GET", "/about")
    most = int(re.search(r'"max_body":(\d+)', about.getresponse().read().decode()).group(1))
    abuse = Abuse(port, most)
    print(f"--max-memory {asked.max_memory}, pages up to {most:,} bytes, {memory(process, 'VmHWM'):.0f} MB at the start")
    crowd = [(abuse.drips_a_body, 60), (abuse.drips_a_head, 60), (abuse.is_silent, 60), (abuse.never_reads, 60)]
    crowd += [(abuse.sends_a_big_page, 4), (abuse.breaks_off, 2), (abuse.crowds, 4)]
    threads = [threading.Thread(target=abuse.again, args=(task,), daemon=True) for task, count in crowd for _ in range(count)]
    threads += [threading.Thread(target=abuse.behaves, args=(keeps,), daemon=True) for keeps in (True, False)]
    for thread in threads:
        thread.start()
    begin, minute = time.monotonic(), 0
    while time.monotonic() - begin < asked.minutes * 60 and process.poll() is None:
        time.sleep(1)
        if time.monotonic() - begin >= 60 * (minute + 1):
            minute += 1
            print(f"minute {minute}: {memory(process, 'VmRSS'):.0f} MB, peak {memory(process, 'VmHWM'):.0f} MB", flush=True)
    if process.poll() is not None:
        sys.exit(f"the service ended with {process.returncode}")
    peak = memory(process, "VmHWM")
    abuse.ends = True
    process.send_signal(signal.SIGTERM)
    code = process.wait(90)
    for what, count in sorted(abuse.answers.items()):
        print(f"  {what:<40} {count:>8}")
    late = 0
    for name, times in abuse.worst.items():
        times.sort()
        late += sum(took > 30 for took in times)
        print(f"well-behaved, {name}: {len(times)} requests answered, median {times[len(times) // 2]:.2f} s, "
              f"99 of 100 within {times[len(times) * 99 // 100]:.2f} s, slowest {times[-1]:.2f} s")
    print(f"peak {peak:.0f} MB of at most {bound:.0f}; ended with {code} on SIGTERM")
    sys.exit(peak > bound or late > 0 or len(abuse.worst) < 2)


if __name__ == "__main__":
    main()
