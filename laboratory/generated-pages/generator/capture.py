"""A captured page is the HTML that a program served, with a note of where its main text stands."""
import json
import os
import re

WORK = os.environ.get("GENERATED_WORK", "/tmp/pages/work")
RAW = os.environ.get("GENERATED_RAW", "/tmp/pages/raw")


class Capture:
    """Stores the pages of one host: one program with one theme."""

    def __init__(self, kind, program, theme, lang="en"):
        self.kind, self.program, self.theme, self.lang = kind, program, theme, lang
        self.host = re.sub(r"[^a-z0-9.-]", "-", f"{program}-{theme}".lower()) + ".example"
        self.folder = f"{RAW}/{kind}/{self.host}"
        os.makedirs(self.folder, exist_ok=True)
        for name in os.listdir(self.folder):
            os.remove(f"{self.folder}/{name}")
        self.number = 0

    def add(self, path, html, main, marks, drop=(), add=(), page_type=None):
        """`main`: selectors of the elements whose marked texts of the kinds `marks` are gold; `drop`: those
        inside of them to leave out; `add`: those whose whole text is gold (a date that the program writes).
        `html`: text, bytes, or a response with its status."""
        if hasattr(html, "status_code"):
            if html.status_code != 200:
                raise RuntimeError(f"{path}: status {html.status_code}")
            html = html.content
        if isinstance(html, bytes):
            html = html.decode("utf-8", "replace")
        self.number += 1
        name = f"{self.folder}/{self.number:03}"
        with open(name + ".html", "w", encoding="utf-8", errors="replace") as file:
            file.write(html)
        note = {"url": f"http://{self.host}/{path.lstrip('/')}", "lang": self.lang, "program": self.program, "theme": self.theme,
                "main": [main] if isinstance(main, str) else list(main), "marks": marks, "drop": list(drop), "add": list(add),
                "page_type": page_type or self.kind}
        with open(name + ".json", "w") as file:
            json.dump(note, file)
