"""Assembles the captured pages into labelled sets: an archive and its gold for each kind."""
import base64
import gzip
import hashlib
import json
import os
import re
import sys
import uuid

from .capture import RAW
from .gold import gold
from .marks import unmark

# The address of a program that ran as a server becomes the name of its host.
LOCAL = re.compile(r"https?:(?:\\?/){2}(?:127\.0\.0\.1|localhost|testserver)(?::\d+)?")
DATE = "2026-11-25T00:00:00Z"


def _member(headers, content):
    text = "WARC/1.0\r\n" + "".join(f"{k}: {v}\r\n" for k, v in headers) + f"Content-Length: {len(content)}\r\n\r\n"
    return gzip.compress(text.encode() + content + b"\r\n\r\n", mtime=0)


def _response(url, record, html):
    body = html.encode("utf-8", "replace")
    digest = base64.b32encode(hashlib.sha1(body).digest()).decode()
    http = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    return _member([("WARC-Type", "response"), ("WARC-Target-URI", url), ("WARC-Date", DATE), ("WARC-Record-ID", record),
                    ("WARC-Payload-Digest", "sha1:" + digest), ("Content-Type", "application/http; msgtype=response")], http + body)


def assemble(kind, out, most=40):
    """Writes gen-KIND.warc.gz and its gold; returns the counts by host."""
    hosts = {}
    with open(f"{out}/gen-{kind}.warc.gz.part", "wb") as archive, gzip.open(f"{out}/gen-{kind}.gold.jsonl.gz.part", "wt") as golds:
        archive.write(_member([("WARC-Type", "warcinfo"), ("WARC-Date", DATE), ("WARC-Filename", f"gen-{kind}.warc.gz"),
                               ("WARC-Record-ID", f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, kind)}>"),
                               ("Content-Type", "application/warc-fields")], b"software: generated-pages\r\nformat: WARC File Format 1.0\r\n\r\n"))
        for host in sorted(os.listdir(f"{RAW}/{kind}")):
            folder, count = f"{RAW}/{kind}/{host}", hosts.setdefault(host, [0, 0, 0])
            for name in sorted(n[:-5] for n in os.listdir(folder) if n.endswith(".json"))[:most]:
                note = json.load(open(f"{folder}/{name}.json"))
                html = open(f"{folder}/{name}.html", encoding="utf-8").read()
                html = LOCAL.sub("http://" + host, html)
                text, marks = gold(html, note)
                if not text:
                    if not count[2]:
                        print(f"no gold, for one: {folder}/{name} {marks} {note['main']}", file=sys.stderr)
                    count[2] += 1
                    continue
                count[0] += 1
                count[1] += marks["outside"]
                url = unmark(note["url"])
                record = f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, url + name)}>"
                archive.write(_response(url, record, unmark(html)))
                golds.write(json.dumps({"record_id": record, "url": url, "id": f"gen-{kind}-{host[:-8]}-{name}", "page_type": note["page_type"],
                                        "lang": note["lang"], "program": note["program"], "theme": note["theme"], "gold": text},
                                       ensure_ascii=False) + "\n")
    for name in (f"gen-{kind}.warc.gz", f"gen-{kind}.gold.jsonl.gz"):
        os.replace(f"{out}/{name}.part", f"{out}/{name}")
    return hosts


if __name__ == "__main__":
    out = sys.argv[1]
    for kind in sys.argv[2:] or sorted(os.listdir(RAW)):
        hosts = assemble(kind, out)
        print(kind, sum(c[0] for c in hosts.values()), "pages of", len(hosts), "hosts")
