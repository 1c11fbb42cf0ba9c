#!/usr/bin/env python3
"""How many elements of extracted Markdown stand in the Markdown sources of the pages, by kind.

usage: markdown-precision.py SET OUTPUT.jsonl|FOLDER [--list KIND] [--extra WORDS] [--cover SHARE]
SET.elements.jsonl.gz and SET.gold.jsonl.gz describe the sources; OUTPUT is what `trommel run SET.warc.gz -o OUT
-f jsonl --compress none --markdown --links` writes. Two choices of pages are printed, both made by text alone:

* all pages whose container holds at most WORDS (default 8) words more than the source;
* those of them on which the source's text and title have at least SHARE (default .98) of the words of our text, so
  that what is judged are marks, and not text from templates, includes and scripts that the source only names.

Kinds are told as elements_score.py beside the set tells them, which is read for that; a heading that says the title
counts as the source's, as does any element of a page whose source lists none of its kind. `said` is the share of our
elements whose words stand in this order in the source or its title, marked in that way or another.
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
    """The elements of a kind in a page's source, each as the scorer finds it."""
    words, inline = names["words"], names["inline"]
    for element in row.get(kind, []):
        if kind == "code":
            yield "\n".join(line.strip() for line in element.split("\n") if line.strip())
        elif kind == "heading":
            yield words(inline(element[1]))
        elif kind == "link":
            yield words(inline(element[0]))
        elif kind == "list item":
            yield words(inline(element))[:12]
        else:
            yield tuple(sorted(c for c in (words(inline(cell)) for cell in element) if c))


def cover(text, source, names):
    """The share of the words of a text that its source has, too."""
    bag = lambda text: collections.Counter(names["words"](names["inline"](text)))
    ours = bag(text)
    return sum((ours & bag(source)).values()) / max(1, sum(ours.values()))


def is_said(kind, element, source, names):
    """Whether the words of an element stand in the source's text in their order; those of rows by cells."""
    parts = [names["words"](element)] if kind == "code" else element if kind == "table row" else [element]
    return all(f" {' '.join(part)} " in source for part in parts)


class Counts:
    """Elements of ours by kind, and those of them that the sources have."""

    def __init__(self):
        self.pages, self.ours, self.right, self.said = 0, *(collections.Counter() for _ in range(3))

    def show(self, head):
        print(f"{self.pages} pages {head}")
        for kind in KINDS:
            ours = max(1, self.ours[kind])
            shares = f"precision {self.right[kind] / ours:.3f} said {self.said[kind] / ours:.3f}"
            print(f"{kind:10} ours {self.ours[kind]:5} {shares}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("set")
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--list")
    parser.add_argument("--extra", type=int, default=8)
    parser.add_argument("--cover", type=float, default=0.98)
    options = parser.parse_args()
    names = tools(pathlib.Path(options.set).resolve().parent)
    files = sorted(options.output.glob("*.jsonl")) if options.output.is_dir() else [options.output]
    documents = [json.loads(line) for path in files for line in open(path)]
    texts = {document["id"].strip("<>"): document.get("text") or "" for document in documents}
    read = lambda part: map(json.loads, gzip.open(f"{options.set}.{part}.jsonl.gz", "rt"))
    gold = {row["record_id"]: row for row in read("gold")}
    whole, covered = Counts(), Counts()
    for row in read("elements"):
        about = gold[row["record_id"]]
        if about["container_extra"] > options.extra:
            continue
        text = texts.get(row["record_id"].strip("<>"), "")
        found = names["found"](text)
        title = names["inline"](about.get("title") or "")
        source = f"{title} {names['inline'](about['gold'])}"
        source_words = f" {' '.join(names['words'](source))} "
        is_covered = cover(text, source, names) >= options.cover
        counts = [whole, covered] if is_covered else [whole]
        for count in counts:
            count.pages += 1
        for kind in KINDS:
            expected = collections.Counter(wanted(row, kind, names))
            if kind == "heading":
                expected[names["words"](title)] += 1
            if not row.get(kind) and kind != "heading":
                continue
            ours = found[kind]
            extra = ours - expected
            said = [element for element in extra.elements() if is_said(kind, element, source_words, names)]
            for count in counts:
                count.ours[kind] += sum(ours.values())
                count.right[kind] += sum((ours & expected).values())
                count.said[kind] += sum((ours & expected).values()) + len(said)
            if kind == options.list:
                for element in extra:
                    marks = ("covered" if is_covered else "") + (" said" if element in said else "")
                    print(row["url"], repr(element)[:150], marks)
    whole.show(f"whose container holds at most {options.extra} words more than the source")
    covered.show(f"of them whose source has {options.cover:.0%} of our words")


if __name__ == "__main__":
    main()
