"""Reports what a model loses and keeps wrongly on a generated set: scores by theme, and the blocks with most of the words.

A block counts as content when its text, or most of its words, stand in the gold of its page.
"""
import collections
import gzip
import json
import re
import subprocess
import sys

VOID = set("area base br col embed hr img input link meta source track wbr".split())


def words(text):
    return re.findall(r"[\u3040-\u30ff\u4e00-\u9fff]|\w+", text.lower())


def pages_of(archive):
    """The HTML of each record by its address."""
    pages = {}
    with gzip.open(archive) as file:
        for record in file.read().split(b"WARC/1.0\r\n")[2:]:
            url = re.search(rb"WARC-Target-URI: (\S+)", record).group(1).decode()
            pages[url] = record.split(b"\r\n\r\n", 2)[2]
    return pages


def around(html, place):
    """The innermost elements at a place of a page, with their classes."""
    stack = []
    for end, name, attributes in re.findall(rb"<(/?)([a-zA-Z][\w-]*)((?:[^>\"']|\"[^\"]*\"|'[^']*')*)>", html[:place]):
        name = name.lower().decode()
        if end:
            while stack and stack[-1][0] != name:
                stack.pop()
            stack = stack[:-1]
        elif name not in VOID:
            found = re.search(rb"class\s*=\s*[\"']?([^\"'>]*)", attributes)
            stack.append((name, re.sub(r"\d+", "N", found.group(1).decode("utf-8", "replace").strip()) if found else ""))
    return ">".join(f"{name}.{classes.replace(' ', '.')[:50]}".rstrip(".") for name, classes in stack[-2:])


def is_content(text, gold, bag):
    found = words(text)
    return text in gold or (len(found) > 8 and sum(word in bag for word in found) > 0.8 * len(found))


def report(program, archive, model, out):
    with gzip.open(archive.replace(".warc.gz", ".gold.jsonl.gz"), "rt") as file:
        golds = {page["url"]: page for page in map(json.loads, file)}
    subprocess.run([program, "run", "-q", "--overwrite", "--blocks", "--headline", "include", "--comments", "include", "--model", model, "-o", out, archive], check=True)
    html, scores = pages_of(archive), collections.defaultdict(list)
    faults, examples = {"lost": collections.Counter(), "kept": collections.Counter()}, {}
    for line in open(out):
        document = json.loads(line)
        gold = golds.get(document["url"])
        if not gold:
            continue
        want, have = collections.Counter(words(gold["gold"])), collections.Counter(words(document["text"]))
        both = sum((want & have).values())
        precision, recall = both / max(1, sum(have.values())), both / max(1, sum(want.values()))
        scores[(gold["program"], gold["theme"], gold["page_type"])].append((precision, recall, 2 * precision * recall / max(1e-9, precision + recall)))
        text_of_gold, bag = " ".join(gold["gold"].split()), set(want)
        kept_text = " ".join(" ".join(block["text"].split()) for block in document["blocks"] if block["kept"])
        for block in document["blocks"]:
            text = " ".join(block["text"].split())
            content = bool(words(text)) and is_content(text, text_of_gold, bag)
            # A title in a menu is no loss where the title itself is kept.
            if not words(text) or content == bool(block["kept"]) or (content and (text in kept_text or block["role"] in ("navigation", "aside", "footer"))):
                continue
            kind, key = "lost" if content else "kept", (gold["program"], gold["page_type"], around(html[document["url"]], block["start"]), block["role"])
            faults[kind][key] += len(words(text))
            examples.setdefault((kind, key), []).append(text[:60])
    print(f"{'program':12} {'theme':18} {'type':14} pages      P      R     F1")
    for key, rows in sorted(scores.items()):
        print(f"{key[0]:12} {key[1]:18} {key[2]:14} {len(rows):5}", *(f"{sum(r[i] for r in rows) / len(rows):6.3f}" for i in range(3)))
    for kind, title in (("kept", "kept wrongly"), ("lost", "lost")):
        print(f"\n{title}: words, blocks, program, type, elements, role, examples")
        for key, count in faults[kind].most_common(40):
            print(count, len(examples[(kind, key)]), *key, examples[(kind, key)][:3])


if __name__ == "__main__":
    report(*sys.argv[1:5])
