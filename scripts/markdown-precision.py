#!/usr/bin/env python3
"""How many elements of extracted Markdown stand in the Markdown sources of the pages, by kind and by site.

usage: markdown-precision.py SET OUTPUT.jsonl|FOLDER [--list KIND] [--extra WORDS]
SET.elements.jsonl.gz and SET.gold.jsonl.gz describe the sources; OUTPUT is what `trommel run SET.warc.gz -o OUT
-f jsonl --compress none --markdown --links` writes. Judged are pages whose container holds at most WORDS (default 8)
words more than the source. Kinds are told as elements_score.py beside the set tells them, which is read for that; a
heading that says the title counts as the source's, as does any element of a page whose source lists none of its kind.
"""
import argparse
import collections
import gzip
import json
import pathlib

KINDS = ["code", "heading", "link", "list item", "table row"]


def tools(folder):
    """The functions by which the scorer of recall finds elements."""
    source = (folder.parent / "tools" / "elements_score.py").read_text()
    names = {}
    exec(compile(source.rsplit("main()", 1)[0], "elements_score.py", "exec"), names)
    return names


def wanted(row, kind, names):
    words, inline = names["words"], names["inline"]
    for own in row.get(kind, []):
        if kind == "code":
            yield "\n".join(line.strip() for line in own.split("\n") if line.strip())
        elif kind == "heading":
            yield words(inline(own[1]))
        elif kind == "link":
            yield words(inline(own[0]))
        elif kind == "list item":
            yield words(inline(own))[:12]
        else:
            yield tuple(sorted(c for c in (words(inline(cell)) for cell in own) if c))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("set")
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--list")
    parser.add_argument("--extra", type=int, default=8)
    options = parser.parse_args()
    names = tools(pathlib.Path(options.set).resolve().parent)
    files = sorted(options.output.glob("*.jsonl")) if options.output.is_dir() else [options.output]
    documents = [json.loads(line) for path in files for line in open(path)]
    texts = {own["id"].strip("<>"): own.get("text") or "" for own in documents}
    read = lambda part: map(json.loads, gzip.open(f"{options.set}.{part}.jsonl.gz", "rt"))
    gold = {row["record_id"]: row for row in read("gold")}
    ours, right = collections.Counter(), collections.Counter()
    pages = 0
    for row in read("elements"):
        about = gold[row["record_id"]]
        if about["container_extra"] > options.extra:
            continue
        pages += 1
        found = names["found"](texts.get(row["record_id"].strip("<>"), ""))
        title = names["words"](names["inline"](about.get("title") or ""))
        for kind in KINDS:
            expected = collections.Counter(wanted(row, kind, names))
            if kind == "heading":
                expected[title] += 1
            if not row.get(kind) and kind != "heading":
                continue
            own = found[kind]
            ours[kind] += sum(own.values())
            right[kind] += sum((own & expected).values())
            if kind == options.list:
                for other in own - expected:
                    print(row["url"], repr(other)[:150])
    print(pages, "pages")
    for kind in KINDS:
        print(f"{kind:10} ours {ours[kind]:5} precision {right[kind] / max(1, ours[kind]):.3f}")


if __name__ == "__main__":
    main()
