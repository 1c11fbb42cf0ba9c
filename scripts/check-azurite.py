#!/usr/bin/env python3
"""Reads and writes az:// locations of a real server, Azurite, and compares with files.

    scripts/check-azurite.py PROGRAM AZURITE-BLOB

AZURITE-BLOB is the program `azurite-blob` of the npm package azurite. Needs azure-storage-blob (PyPI). The tests in
crates/cli/tests/it/locations.rs run the same promises, throttling and broken connections among them, against a stand-in of
each store.
"""

import base64
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from azure.storage.blob import BlobServiceClient

SAMPLE = Path(__file__).resolve().parents[1] / "samples" / "wcxb-sample.warc.gz"
ACCOUNT, KEY = "account", base64.b64encode(b"sesame-hush").decode()


def main() -> None:
    program, azurite = sys.argv[1:]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    endpoint = f"http://127.0.0.1:{port}/{ACCOUNT}"
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        options = ["--blobHost", "127.0.0.1", "--blobPort", str(port), "--location", place + "/store"]
        options += ["--skipApiVersionCheck", "--silent", "--disableTelemetry"]
        environment = {**os.environ, "AZURITE_ACCOUNTS": f"{ACCOUNT}:{KEY}"}
        server = subprocess.Popen([azurite, *options], env=environment, stdout=subprocess.DEVNULL)
        try:
            check(program, endpoint, folder)
        finally:
            server.terminate()
            server.wait()


def container(endpoint: str):
    """A new container, as soon as the server answers."""
    for _ in range(60):
        try:
            return BlobServiceClient(endpoint, credential=KEY, retry_total=0).create_container("crawl")
        except OSError:
            time.sleep(0.5)
        except Exception as error:  # The package has an error of its own for a server that is not there.
            if "ServiceRequestError" not in type(error).__name__:
                raise
            time.sleep(0.5)
    raise SystemExit("azurite does not answer")


def check(program: str, endpoint: str, folder: Path) -> None:
    store = container(endpoint)
    body = SAMPLE.read_bytes()
    for key in ("a/b.warc.gz", "a/c.warc.gz", "a/sub/d.warc.gz", "z/e.warc.gz"):
        store.upload_blob(key, body)

    def run(*arguments: str, key: str = KEY) -> subprocess.CompletedProcess:
        variables = {
            "AZURE_STORAGE_ACCOUNT_NAME": ACCOUNT,
            "AZURE_STORAGE_ACCOUNT_KEY": key,
            "AZURE_STORAGE_ENDPOINT": endpoint,
            "AZURE_ALLOW_HTTP": "true",
        }
        done = subprocess.run(
            [program, "run", *arguments], capture_output=True, cwd=folder, env={**os.environ, **variables}, timeout=300
        )
        assert b"hush" not in done.stderr and KEY.encode() not in done.stderr, "the key is shown"
        return done

    def texts(output: bytes) -> list[bytes]:
        """The lines without the names of their archives."""
        return [line.split(b'"source":')[0] + line.split(b'"author":', 1)[1] for line in output.splitlines()]

    here = run(str(SAMPLE), "-o", "-")
    assert here.returncode == 0 and len(here.stdout.splitlines()) > 20, here.stderr
    read = run("az://crawl/a/b.warc.gz", "-o", "-")
    assert read.returncode == 0 and texts(read.stdout) == texts(here.stdout), read.stderr
    for name, count in [("az://crawl/a/", 3), ("az://crawl/a/*.warc.gz", 2), ("az://crawl/*/e.warc.gz", 1)]:
        listed = run(name, "-o", "out", "--dry-run")
        assert listed.stdout.count(b"az://crawl/") == count, (name, listed.stdout, listed.stderr)
    # Only the ranges that an index names.
    place = here.stdout.splitlines()[3].split(b'"source":', 1)[1]
    offset, length = (int(place.split(key, 1)[1].split(b",")[0]) for key in (b'"offset":', b'"length":'))
    (folder / "i.cdxj").write_text(f'x 1 {{"filename": "a/b.warc.gz", "offset": {offset}, "length": {length}}}\n')
    some = run("--select", "i.cdxj", "--base-url", "az://crawl", "-o", "-")
    assert texts(some.stdout) == texts(here.stdout)[3:4], some.stderr
    # Outputs have the bytes of files, and are not replaced unasked.
    assert run(str(SAMPLE), "-o", "here", "-f", "jsonl,wet").returncode == 0
    written = run(str(SAMPLE), "-o", "az://crawl/out", "-f", "jsonl,wet")
    assert written.returncode == 0, written.stderr
    for name in ("wcxb-sample.jsonl.zst", "wcxb-sample.warc.wet.gz"):
        assert store.download_blob(f"out/{name}").readall() == (folder / "here" / name).read_bytes(), name
    assert run(str(SAMPLE), "-o", "az://crawl/out", "-f", "jsonl,wet").returncode == 2
    assert run(str(SAMPLE), "-o", "az://crawl/out", "-f", "jsonl,wet", "--overwrite").returncode == 0
    # One object of several parts.
    many = [str(SAMPLE)] * 24 + ["--blocks", "-o"]
    assert run(*many, "big.jsonl").returncode == 0
    sent = run(*many, "az://crawl/d/big.jsonl")
    assert sent.returncode == 0, sent.stderr
    big = (folder / "big.jsonl").read_bytes()
    assert len(big) > 16 << 20 and store.download_blob("d/big.jsonl").readall() == big
    for name, key, words in [
        ("az://crawl/a/gone.warc.gz", KEY, b"not found"),
        ("az://crawl/a/b.warc.gz", base64.b64encode(b"wrong").decode(), b"access denied"),
    ]:
        refused = run(name, "-o", "-", key=key)
        assert refused.returncode == 2 and words in refused.stderr, refused.stderr
    print("az:// on azurite: read, listed, selected, written, replaced, parts, refusals: as files")


if __name__ == "__main__":
    main()
