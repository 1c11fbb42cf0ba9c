#!/usr/bin/env python3
"""Makes an archive of the pages that the Python package formasaurus carries, of which labels/ labels some.

    scripts/formasaurus-pages.py OUT    # an archive, one record a page

The package (MIT) comes from the registry of Python by pip. Its pages keep their owners' rights.
"""

import gzip
import hashlib
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import uuid

PACKAGE = "formasaurus-0.10.0"
DATA = f"{PACKAGE}/formasaurus/data"
FETCH = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest"]


def record(name, url, body):
    """A page as a gzip member of its own. Its id follows from the package and the name of its file."""
    try:
        body.decode()
        kind = "text/html; charset=utf-8"
    except UnicodeDecodeError:
        kind = "text/html"
    http = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
    head = (
        f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, name)}>\r\n"
        f"WARC-Target-URI: {url}\r\nWARC-Date: 2015-12-01T00:00:00Z\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + http + b"\r\n\r\n", mtime=0)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[1])
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*FETCH, folder, PACKAGE.replace("-", "==")], check=True)
        with tarfile.open(pathlib.Path(folder, f"{PACKAGE}.tar.gz")) as package:
            pages = json.load(package.extractfile(f"{DATA}/index.json"))
            bodies = {name: package.extractfile(f"{DATA}/{name}").read() for name in pages}
    seen = set()
    with open(out, "wb") as archive:
        for name in sorted(pages, key=lambda name: int(pathlib.PurePath(name).stem)):
            digest = hashlib.sha256(bodies[name]).digest()
            if digest not in seen:
                seen.add(digest)
                archive.write(record(f"{PACKAGE}/{name}", pages[name]["url"], bodies[name]))
    print(f"{len(seen)} pages in {out}, {len(pages) - len(seen)} left out as repetitions")


if __name__ == "__main__":
    main()
