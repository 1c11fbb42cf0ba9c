#!/usr/bin/env python3
"""Crawls a site by every recipe that can run here, and compares the documents with those of `trommel run`.

    scripts/check-crawlers.py ARCHIVE.warc.gz [--most N] [--doors curl,wget,warcprox,scrapy,crawlee,spider,java]

The bodies of the archive are served by nginx under one host with an index page, with the Content-Type that
they have in the archive. The reference is what `trommel run` makes of an archive of the same bodies under
the URLs of that site. Needs nginx, wget, curl, java, and the Python packages scrapy and
crawlee[beautifulsoup] with httpx (PYTHON names an interpreter that has them); TROMMEL names the program, and
SPIDER the one that `cargo build` makes in examples/crawlers/spider; WARCPROX names warcprox, which
wants another cryptography than scrapy: an environment of its own. Doors whose program is missing are skipped
and named. Ids, dates and places are not compared; everything else must be equal.
"""

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from warc_pages import pages, record

ROOT = Path(__file__).resolve().parent.parent
RECIPES = ROOT / "examples/crawlers"
TROMMEL = os.environ.get("TROMMEL", "trommel")
SPIDER = os.environ.get("SPIDER", "examples/crawlers/spider/target/debug/crawl")
WARCPROX = os.environ.get("WARCPROX", "warcprox")
PYTHON = os.environ.get("PYTHON", sys.executable)
# warcprox does not fetch from 127.0.0.1.
SITE = "127.0.0.2"
# What is not the same on another day, in another archive, or is not part of a single page.
APART = {"id", "date", "source", "status", "notes", "truncated", "url"}


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{command[0]}: ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done


def documents(path):
    return [json.loads(line) for line in open(path, encoding="utf-8")]


def plain(value):
    """Lines have every key, and lists of names as one text; single documents have what says something."""
    return (", ".join(value) if isinstance(value, list) else value) or None


def compare(door, found, wanted):
    """Compares by URL; pages of the site besides (its index, robots.txt) are no matter."""
    found = {document["url"]: document for document in found}
    unequal = []
    for url, document in wanted.items():
        if url not in found:
            unequal.append((url, "missing"))
            continue
        keys = (set(document) | set(found[url])) - APART
        differ = [key for key in sorted(keys) if plain(document.get(key)) != plain(found[url].get(key))]
        if differ:
            unequal.append((url, ", ".join(differ)))
    print(f"{door}: {len(wanted) - len(unequal)} of {len(wanted)} documents are equal", flush=True)
    for url, what in unequal[:20]:
        print(f"  {url}: {what}")
    return not unequal


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive")
    parser.add_argument("--most", type=int, default=-1)
    parser.add_argument("--doors", default="curl,wget,warcprox,scrapy,crawlee,spider,java")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="trommel-crawl-"))
    folder.chmod(0o755)
    site, service = free_port(), free_port()
    base = f"http://{SITE}:{site}"
    running = []
    try:
        (folder / "site").mkdir()
        kinds, links = [], []
        archive = open(folder / "reference.warc", "wb")
        for number, (kind, body) in enumerate(pages(options.archive, options.most)):
            name = f"{number:05}.html"
            (folder / "site" / name).write_bytes(body)
            kinds.append(f'        /{name} "{kind}";')
            links.append(f'<li><a href="{name}">{name}</a>')
            archive.write(record(number, f"{base}/{name}", kind, body))
        archive.close()
        (folder / "site/index.html").write_text("<!DOCTYPE html><title>Index</title><ul>" + "".join(links) + "</ul>")
        (folder / "nginx.conf").write_text(f"""
worker_processes 1; daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.log;
events {{ worker_connections 256; }}
http {{
    access_log off; client_body_temp_path {folder}/t; proxy_temp_path {folder}/t; fastcgi_temp_path {folder}/t;
    uwsgi_temp_path {folder}/t; scgi_temp_path {folder}/t; map_hash_bucket_size 256; map_hash_max_size 16384;
    map $uri $kind {{ default "text/html; charset=utf-8";
{chr(10).join(kinds)}
    }}
    server {{ listen {SITE}:{site}; root {folder}/site; types {{}} default_type ""; index index.html; add_header Content-Type $kind; }}
}}
""")
        run([TROMMEL, "run", "reference.warc", "-o", "reference.jsonl"], cwd=folder)
        wanted = {document["url"]: document for document in documents(folder / "reference.jsonl")}
        print(f"{len(links)} pages, {len(wanted)} documents", flush=True)
        running.append(subprocess.Popen(["nginx", "-c", folder / "nginx.conf", "-p", folder], stderr=subprocess.DEVNULL))
        log = open(folder / "service.log", "w")
        unix = folder / "trommel.sock"
        running.append(subprocess.Popen(
            [TROMMEL, "serve", "--listen", f"127.0.0.1:{service}", "--listen", f"unix:{unix}"], stderr=log))
        wait_for(site, SITE), wait_for(service)
        environment = dict(os.environ, TROMMEL=TROMMEL, TROMMEL_URL=f"http://127.0.0.1:{service}")
        is_equal = True
        for door in options.doors.split(","):
            out = folder / f"{door}.jsonl"
            begin = time.monotonic()
            if door == "curl":
                with open(folder / "reference.warc", "rb") as body:
                    run(["curl", "-sS", "-f", "-T", "-", "-X", "POST", "-o", out, f"http://127.0.0.1:{service}/extract/batch"], stdin=body)
            elif door == "wget" and shutil.which("wget"):
                run([RECIPES / "wget/crawl.sh", f"{base}/index.html", out], env=environment)
            elif door == "warcprox" and shutil.which("wget") and shutil.which(WARCPROX):
                proxy = dict(environment, PORT=str(free_port()), IDLE="5", WARCPROX=WARCPROX)
                run([RECIPES / "warcprox/crawl.sh", f"{base}/index.html", out], env=proxy)
            elif door == "scrapy" and has("scrapy"):
                code = (RECIPES / "scrapy/crawl.py").read_text()
                setting = f'"TROMMEL_URL": "http://127.0.0.1:{service}",\n        "FEEDS"'
                (folder / "crawl.py").write_text(code.replace('"FEEDS"', setting))
                shutil.copy(RECIPES / "scrapy/pipeline.py", folder)
                run([PYTHON, "crawl.py", f"{base}/index.html", out], cwd=folder)
            elif door == "crawlee" and has("crawlee") and has("httpx"):
                run([PYTHON, RECIPES / "crawlee/crawl.py", f"{base}/index.html", out], env=environment, cwd=folder)
            elif door == "spider" and shutil.which(SPIDER):
                # By push sessions, and by the archive that spider writes itself.
                run([SPIDER, f"{base}/index.html", out, folder / "spider.warc"])
                run([TROMMEL, "run", "spider.warc", "-o", "spider-warc.jsonl"], cwd=folder)
                is_equal &= compare("spider's own archive", documents(folder / "spider-warc.jsonl"), wanted)
            elif door == "java" and shutil.which("java"):
                is_equal &= java(folder, unix, base, wanted)
                continue
            else:
                print(f"skipped: {door}: it is not installed")
                continue
            is_equal &= compare(door, documents(out), wanted)
            print(f"  {time.monotonic() - begin:.1f} s", flush=True)
        sys.exit(0 if is_equal else 1)
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait()
        shutil.rmtree(folder)


def java(folder, unix, base, wanted):
    """A program starts for each page, so a few are enough."""
    found = []
    some = list(wanted)[:5]
    for url in some:
        page = folder / "site" / url.removeprefix(f"{base}/")
        kind = ["java", RECIPES / "java/ExtractClient.java", f"unix:{unix}", page, url]
        found.append(json.loads(run(kind).stdout))
    # The recipe says text/html without a charset; pages whose server named one may differ by that alone.
    bare = {url: dict(wanted[url]) for url in some}
    for document, url in zip(found, some):
        for key in ("charset_source", "charset"):
            bare[url][key] = document[key]
    return compare("java over a Unix socket", found, bare)


def has(module):
    return subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True).returncode == 0


def wait_for(port, host="127.0.0.1"):
    for _ in range(100):
        try:
            socket.create_connection((host, port)).close()
            return
        except OSError:
            time.sleep(0.1)
    sys.exit(f"nothing listens on port {port}")


if __name__ == "__main__":
    main()
