"""Reports what a model loses and keeps wrongly on a generated set: words by host, and the blocks with most of them.

A block counts as content when most of its words stand in the gold of its page.
"""
import collections
import gzip
import json
import re
import subprocess
import sys


def words(text):
    return re.findall(r"[\u3040-\u30ff\u4e00-\u9fff]|\w+", text.lower())


def share(block, bag):
    """How many of a block's words are words of the gold."""
    found = words(block)
    return sum(w in bag for w in found) / len(found) if found else 0


def report(program, pages, model, out):
    golds = {}
    with gzip.open(pages.replace(".warc.gz", ".gold.jsonl.gz"), "rt") as file:
        for line in file:
            page = json.loads(line)
            golds[page["url"]] = page
    subprocess.run([program, "run", "-q", "--overwrite", "--blocks", "--headline", "include", "--comments", "include", "--model", model, "-o", out, pages], check=True)
    opener = gzip.open if out.endswith(".gz") else open
    scores, faults = collections.defaultdict(list), {"lost": collections.Counter(), "kept": collections.Counter()}
    examples = {}
    for line in opener(out, "rt"):
        document = json.loads(line)
        gold = golds.get(document["url"])
        if not gold:
            continue
        want, have = collections.Counter(words(gold["gold"])), collections.Counter(words(document["text"]))
        both = sum((want & have).values())
        precision, recall = both / max(1, sum(have.values())), both / max(1, sum(want.values()))
        scores[(gold["program"], gold["theme"], gold["page_type"])].append((precision, recall, 2 * precision * recall / max(1e-9, precision + recall)))
        lines, bag = " ".join(gold["gold"].split()), set(want)
        kept_text = " ".join(" ".join(block["text"].split()) for block in document["blocks"] if block["kept"])
        for block in document["blocks"]:
            text = " ".join(block["text"].split())
            found = words(text)
            if not found:
                continue
            content = text in lines or (len(found) > 8 and share(text, bag) > 0.8)
            # A title in a menu is no loss where the title itself is kept.
            if content == bool(block["kept"]) or (content and text in kept_text):
                continue
            kind = "lost" if content else "kept"
            key = (gold["program"], gold["page_type"], block["path"], block.get("role"))
            faults[kind][key] += len(found)
            examples.setdefault((kind, key), []).append(text[:90])
    print(f"{'program':12} {'theme':18} {'type':14} pages      P      R     F1")
    for key, rows in sorted(scores.items()):
        print(f"{key[0]:12} {key[1]:18} {key[2]:14} {len(rows):5}", *(f"{sum(r[i] for r in rows) / len(rows):6.3f}" for i in range(3)))
    for kind, title in (("kept", "kept wrongly"), ("lost", "lost")):
        print(f"\n{title}, by words:")
        for key, count in faults[kind].most_common(30):
            print(f"{count:7} {key}  e.g. {examples[(kind, key)][:3]}")


if __name__ == "__main__":
    report(*sys.argv[1:5])
