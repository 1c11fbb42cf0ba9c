"""The Python peers: peers.py NAME ARCHIVE OUTPUT writes {id, text} lines and prints counts as JSON."""

import json
import sys

import zstandard


def fastwarc_resiliparse(path):
    from fastwarc.warc import ArchiveIterator, WarcRecordType
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    with open(path, "rb") as stream:
        for record in ArchiveIterator(stream, record_types=WarcRecordType.response):
            body = record.reader.read()
            html = bytes_to_str(body, detect_encoding(body))
            yield record.record_id, len(body), extract_plain_text(html, main_content=True)


def warcio_trafilatura(path):
    import trafilatura
    from warcio.archiveiterator import ArchiveIterator

    with open(path, "rb") as stream:
        for record in ArchiveIterator(stream):
            if record.rec_type != "response":
                continue
            body = record.content_stream().read()
            yield (
                record.rec_headers.get_header("WARC-Record-ID"),
                len(body),
                trafilatura.extract(body),
            )


def main():
    name, archive, output = sys.argv[1:]
    pages = size = texts = 0
    with open(output, "wb") as file, zstandard.ZstdCompressor(level=3).stream_writer(file) as out:
        for record_id, length, text in globals()[name](archive):
            pages += 1
            size += length
            if text:
                texts += 1
                line = json.dumps({"id": record_id, "text": text}, ensure_ascii=False)
                out.write(line.encode() + b"\n")
    print(json.dumps({"pages": pages, "bytes": size, "texts": texts}))


main()
