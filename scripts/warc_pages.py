"""The pages of an archive and records of pages, for the scripts beside this one."""

import gzip
import re
import time


def pages(archive, most=-1):
    """(Content-Type, body) of the HTML responses of an archive whose bodies are stored plainly."""
    data = gzip.open(archive).read()
    at = 0
    while most:
        at = data.find(b"WARC/1.", at)
        if at < 0:
            return
        end = data.find(b"\r\n\r\n", at)
        head = data[at:end]
        length = int(re.search(rb"(?i)^content-length: *(\d+)", head, re.M)[1])
        block = data[end + 4 : end + 4 + length]
        at = end + 4 + length
        if not re.search(rb"(?i)^warc-type: *response", head, re.M):
            continue
        http, _, body = block.partition(b"\r\n\r\n")
        if re.search(rb"(?i)^(transfer|content)-encoding: *(?!identity)\S", http, re.M):
            continue
        kind = re.search(rb"(?i)^content-type: *([^\r\n]*)", http, re.M)
        kind = kind[1].decode("latin-1").strip() if kind else "text/html"
        if "html" in kind.lower() and '"' not in kind:
            yield kind, body
            most -= 1


def record(number, url, kind, body):
    """A WARC record of a page."""
    http = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
    head = (
        f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012}>\r\n"
        f"WARC-Target-URI: {url}\r\nWARC-Date: {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"
