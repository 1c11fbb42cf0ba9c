#!/usr/bin/env python3
"""Extracts archives with trommel, has a language model choose the text of the hardest pages, and merges its choices.

    hard_pages.py ARCHIVE... -o FOLDER --server http://127.0.0.1:8000/v1 --model NAME [--share 5%]

The server is any with the chat interface of OpenAI: vLLM, llama.cpp, Ollama, SGLang. The model sees the blocks of a page as
numbered lines and answers with numbers, so that it cannot invent text. The folder gets `pages` (the run), `hard.warc.gz`,
`theirs.jsonl` (the answers) and `merged.parquet`. Repeated after an interruption, the command asks only for what is missing.
A key for the server is taken from OPENAI_API_KEY. Needs trommel and the Python package duckdb.
"""

import argparse
import gzip
import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import duckdb

TROMMEL = os.environ.get("TROMMEL", "trommel")
# Blocks and characters in a question: within the context of small models.
BLOCKS, BLOCK_CHARS = 300, 160
ATTEMPTS = 4
TASK = (
    "Below are the parts of a web page, numbered, in their order. Which are its main content: what a reader comes for, with "
    "headings, lists and tables, without menus, advertisements, links to other pages and legal notes? Answer with their "
    "numbers only, such as `3-9, 12`, or with `none`."
)


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """Redirects are errors: the key of the server must not go to another host."""

    def redirect_request(self, *_: object) -> None:
        return None


OPENER = urllib.request.build_opener(NoRedirects)


def answer(server: str, model: str, question: str) -> str:
    """The model's answer. Asks again if the server is busy. Raises OSError if it cannot be reached or refuses."""
    body = {
        "model": model,
        "temperature": 0,
        "messages": [{"role": "system", "content": TASK}, {"role": "user", "content": question}],
    }
    headers = {"Content-Type": "application/json"}
    if key := os.environ.get("OPENAI_API_KEY"):
        headers["Authorization"] = f"Bearer {key}"
    request = urllib.request.Request(f"{server.rstrip('/')}/chat/completions", json.dumps(body).encode(), headers)
    for attempt in range(ATTEMPTS):
        try:
            with OPENER.open(request, timeout=600) as response:
                return json.load(response)["choices"][0]["message"]["content"] or ""
        except urllib.error.HTTPError as error:
            if attempt + 1 == ATTEMPTS or not (error.code == 429 or error.code >= 500):
                raise
        time.sleep(2**attempt)
    raise AssertionError("the last attempt returns or raises")


def numbers(text: str, count: int) -> list[int] | None:
    """The numbers below `count` in an answer, in order; none if it is no answer."""
    # Models that think aloud do so first.
    text = text.rpartition("</think>")[2].strip().strip("`. ")
    if text.lower() == "none":
        return []
    if not re.fullmatch(r"\d+(\s*-\s*\d+)?([\s,;]+\d+(\s*-\s*\d+)?)*", text):
        return None
    found: set[int] = set()
    for first, last in re.findall(r"(\d+)(?:\s*-\s*(\d+))?", text):
        found.update(range(int(first), min(int(last or first), count - 1) + 1))
    return sorted(number for number in found if number < count)


def chosen(blocks: list[dict[str, Any]], server: str, model: str) -> str | None:
    """The text of the blocks that the model chooses, a line each; none if it gives no answer."""
    kept = []
    for start in range(0, len(blocks), BLOCKS):
        part = blocks[start : start + BLOCKS]
        lines = [f"{number}: {' '.join(block['text'].split())[:BLOCK_CHARS]}" for number, block in enumerate(part)]
        found = numbers(answer(server, model, "\n".join(lines)), len(part))
        if found is None:
            return None
        kept += [part[number]["text"] for number in found]
    return "\n".join(kept)


def finished(path: Path) -> set[str]:
    """The ids that have an answer; a line that an interruption cut is taken out."""
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    whole = [line for line in lines if line.endswith(b"\n")]
    path.write_bytes(b"".join(whole))
    return {json.loads(line)["id"] for line in whole}


def trommel(*arguments: str | Path) -> None:
    """Runs the program. Some unreadable records (exit code 1) are no reason to stop."""
    done = subprocess.run([TROMMEL, *map(str, arguments)], check=False)
    if done.returncode not in (0, 1):
        sys.exit(done.returncode)


def join(pages: Path, theirs: Path, merged: Path) -> None:
    """Writes the documents of the run in their order, those that have an answer with its text and its model as `extractor`."""
    answers = duckdb.read_json(str(theirs), format="newline_delimited", columns=dict.fromkeys(["id", "text", "extractor"], "VARCHAR"))
    documents = duckdb.read_parquet(str(pages / "*.parquet"), filename=True, file_row_number=True)
    joined = duckdb.sql(
        """SELECT documents.* EXCLUDE (filename, file_row_number)
             REPLACE (coalesce(answers.text, documents.text) AS text, coalesce(answers.extractor, '') AS extractor)
           FROM documents LEFT JOIN answers USING (id) ORDER BY filename, file_row_number"""
    )
    joined.write_parquet(str(merged), compression="zstd")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("archives", nargs="+")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--server", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--share", default="5%")
    arguments = parser.parse_args()
    folder = arguments.output
    pages, hard, blocks, theirs = (folder / name for name in ("pages", "hard.warc.gz", "hard.jsonl.gz", "theirs.jsonl"))
    folder.mkdir(parents=True, exist_ok=True)
    share = ["--hard-to", hard, "--set", f"hard_share={arguments.share}"]
    trommel("run", *arguments.archives, "-o", pages, "-f", "parquet", "--resume", *share)
    known = finished(theirs)
    if hard.exists():
        trommel("run", "-q", hard, "-o", blocks, "--overwrite", "--quarantine", "none", "--blocks")
        with gzip.open(blocks, "rt", encoding="utf-8") as lines, open(theirs, "a", encoding="utf-8") as out:
            for line in lines:
                page = json.loads(line)
                if page["id"] in known:
                    continue
                text = chosen(page["blocks"], arguments.server, arguments.model)
                if text is None:
                    print(f"{page['id']}: no answer, keeps its text", file=sys.stderr)
                    continue
                known.add(page["id"])
                out.write(json.dumps({"id": page["id"], "text": text, "extractor": arguments.model}, ensure_ascii=False) + "\n")
                out.flush()
    theirs.touch()
    join(pages, theirs, folder / "merged.parquet")


if __name__ == "__main__":
    main()
