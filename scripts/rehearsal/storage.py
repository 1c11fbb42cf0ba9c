"""Serves a folder over HTTP with ranges, as well or as badly as it is asked to: slow, with drops and refusals."""

import random
import socket
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PIECE = 16 << 10


class Faults:
    """What goes wrong with requests, and how often it did."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.bad = False
        self.requests = self.refused = self.dropped = 0


class Storage(ThreadingHTTPServer):
    """The server: at `url`, until `stop`."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, folder: Path, seed: int, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Request)
        self.folder, self.faults = folder, Faults(seed)
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that was killed is no error here."""

    def stop(self) -> None:
        self.shutdown()
        self.server_close()


class _Request(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Storage

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, body: bool) -> None:
        faults = self.server.faults
        faults.requests += 1
        if faults.bad and faults.dice.random() < 0.03:
            faults.refused += 1
            self.send_response(503)
            self.send_header("Retry-After", "0")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        path = self.server.folder / Path(self.path).name
        if not path.is_file():
            self.send_error(404)
            return
        size = path.stat().st_size
        start, end = 0, size
        asked = self.headers.get("Range", "")
        if asked.startswith("bytes="):
            first, _, last = asked[6:].partition("-")
            start = int(first) if first else max(0, size - int(last))
            end = min(size, int(last) + 1) if first and last else size
            if start >= size:
                self.send_response(416)
                self.send_header("Content-Range", f"bytes */{size}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
        self.send_response(206 if asked else 200)
        if asked:
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{size}")
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("ETag", f'"{size:x}-{path.name}"')
        self.send_header("Content-Length", str(end - start))
        self.end_headers()
        if body:
            self._send(path, start, end)

    def _send(self, path: Path, start: int, end: int) -> None:
        faults = self.server.faults
        drop = faults.dice.randrange(start, end) if faults.bad and end > start and faults.dice.random() < 0.15 else None
        with open(path, "rb") as file:
            file.seek(start)
            while start < end:
                piece = file.read(min(PIECE, end - start))
                if faults.bad:
                    # A few MB a second, and now and then a pause.
                    time.sleep(0.3 if faults.dice.random() < 0.01 else 0.004)
                if drop is not None and start + len(piece) > drop:
                    self.wfile.write(piece[: drop - start])
                    faults.dropped += 1
                    # A reset and not an end.
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    self.close_connection = True
                    self.connection.close()
                    return
                self.wfile.write(piece)
                start += len(piece)
