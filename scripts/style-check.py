#!/usr/bin/env python3
"""Checks the English of the documentation, of `--help` and of the first lines of modules.

    scripts/style-check.py                      README, CHANGELOG, docs/, first lines of modules and items, docs of the
                                                facade and of Python
    scripts/style-check.py --program trommel    and the help of every command

It refuses, with file and line: sentences of more than 30 words; sentences, headings and table cells that begin
like a riddle ("What is told of ...", "Which ...") or invert their order; words with a plain equivalent; nouns made of
participles ("the made"); abbreviations that neither the list below nor the glossary knows. The glossary must define
the terms of the field once each.

Standard library only: vale and its rule sets come as a program that is downloaded when it is first used, and
proselint looks for clichés, not for these forms.
"""

import argparse
import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LONGEST = 30
GLOSSARY = "docs/glossary.md"
TERMS = ["field", "world", "section", "container", "verdict", "place", "document"]

# Forms, as regular expressions over one sentence, and the reason against each.
FORMS = [
    (r"^(What|Which|Who|Whoever|Whatever|Whichever|That which)\b(?!.*\?$)", "begins like a riddle: name the subject"),
    (r"^(Where|Whether|How)\b(?!.*\?$)(?!.*,)", "begins like a riddle: name the subject"),
    (r"^Of (all|each|every|several|two|these|those|them|which)\b.*\b(is|are|was|were|counts?|has|have)\b", "is inverted: begin with the subject"),
    (r"^(Nothing|Nobody|None) (that|who|of what)\b", "is inverted: begin with the subject"),
    (r"\b(is|are|was|were|be|been) (told|said) (by|of|apart|from|beside|to be)\b", "say 'recognised by', 'stated' or 'reported'"),
    (r"\bwhat (is|was|were|are) (told|said|asked|made|kept|left|given|there|meant|more)\b", "name the thing"),
    (r"\b(texts?|keys?|lines?|it|they|that|what|which) stands? (in|by|beside|behind|there|above|below|around|among|next)\b", "say 'is' or 'appears'"),
    (r"\bso (often|long) as\b", "say 'as often as' or 'while'"),
    (r"\bas far as (it|they|that|those|somebody|nobody|the) \w+( \w+)?,? (is|are|says?|knows?)\b", "say 'if' or 'to the extent'"),
    (r"\bthe (made|laid|told|said|given|asked|patient|known|found)\b(?=[.,;:)]|$| (is|are|of|in)\b)", "is a noun made of a participle"),
    (r"\bdoors?\b", "say 'interface'"),
    (r"\bmade alike\b", "say 'similar' or 'with the same template'"),
    (r"\b(wherewith|whereof|thereof|thereby|herein|whence|thence|hither)\b", "is archaic"),
    (r"\bin the whole\b", "say 'in total'"),
    (r"\bthat there (is|are)\b(?= (not|none))", "name the thing"),
    (r"\bdivided by commas\b", "say 'separated by commas'"),
]

# Each form must be found in one of these sentences, and none in the others: asked at every run.
BAD = [
    "What is told of records that are dropped.",
    "Which documents are kept",
    "Where text is written",
    "Of each page all blocks are counted.",
    "Nothing that means something gets lost.",
    "Its place is told by the reader.",
    "It lists what is kept.",
    "The text stands in the script.",
    "It is done so often as somebody asks.",
    "It is listed as far as the markup says who did.",
    "It holds the made.",
    "Settings for all doors",
    "Parts made alike",
    "The merits thereof",
    "It is counted in the whole.",
    "It says that there are none.",
    "Names divided by commas",
]
GOOD = [
    "Retries failed requests, with back-off.",
    "Which encoding is a page in?",
    "Where inputs share a name, digits of their path are added.",
    "The known words of a page, and the made-up ones.",
]

# Abbreviations that readers of these documents know; the glossary may define more.
KNOWN = set(
    "AMD API ARC ARCHITECTURE ASCII BCP BM25 CDXJ CETR CHANGELOG CONTRIBUTING CPU EPYC FILE GB GET HOST HTML HTTP "
    "IP ISO JSON KB KIND LENGTH LF LTO MB MIT MRR OFFSET PASSWORD PDF PEM PORT README RFC SECURITY SIGINT SIGTERM "
    "PATH SIZE TCP TLS TOML TREC URL URLs USER WACZ WARC WCXB WET WHATWG WWW ZIP ZIP64 "
    "AGPL AWS CI CSS CSV DOM GPL GPU HTTPS ID IDs LLM RAG RAM SQL TB URI UTF XML".split()
)


def documents() -> list[Path]:
    """All documents, except for the log and those of the laboratory."""
    found = [ROOT / name for name in ("README.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md")]
    for folder in ("docs", "crates", "pipelines", "examples", "labels"):
        found += sorted((ROOT / folder).rglob("*.md"))
    skipped = {"log", "book", "node_modules", "target"}
    return [path for path in found if not skipped & set(path.relative_to(ROOT).parts)]


def plain(text: str) -> str:
    """Text without links, code and emphasis; code becomes a word."""
    text = re.sub(r"`[^`]*`", "CODE", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"<[^>]+>|\*+|(?<!\w)_|_(?!\w)", "", text)
    return text


def sentences(text: str) -> list[str]:
    """Sentences of a paragraph, divided behind full stops, question marks, semicolons and colons at their end."""
    text = re.sub(r"\b(e\.g|i\.e|etc|vs|cf|al|Jr|No)\.", r"\1", text)
    return [part.strip() for part in re.split(r"(?<=[.!?;])\s+(?=[A-Z0-9(\"'`CODE-])", text) if part.strip()]


def units(text: str) -> list[tuple[int, str]]:
    """The paragraphs, list items, headings and table cells of a Markdown text with their lines."""
    out, open_, is_code = [], None, False
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if re.match(r"(```|~~~)", stripped):
            is_code, open_ = not is_code, None
        elif is_code or not stripped or line.startswith("    ") and open_ is None:
            open_ = None
        elif stripped.startswith("|"):
            cells = re.split(r"(?<!\\)\|", stripped.strip("|"))
            out += [(number, cell.strip()) for cell in cells if re.search(r"[a-z]{3}", cell)]
            open_ = None
        elif match := re.match(r"(#{1,6}|[-*+]|\d+\.)\s+(.*)", stripped):
            out.append((number, match[2]))
            open_ = None if match[1].startswith("#") else len(out) - 1
        elif open_ is not None:
            at, before = out[open_]
            out[open_] = (at, f"{before} {stripped}")
        else:
            out.append((number, stripped))
            open_ = len(out) - 1
    return out


def faults(text: str, known: set[str]) -> list[str]:
    """The faults of a paragraph, each in a line."""
    out = []
    text = plain(text)
    # A list of values with their meanings is a list, and no sentence.
    is_list = text.startswith("list of ") or text.count("CODE (") > 2
    for sentence in sentences(text):
        words = len(re.findall(r"[^\W_][\w'’.-]*", sentence))
        # Lists of names and code are no sentences to read.
        names = sentence.count("CODE") + sentence.count(" · ")
        if words - 2 * names > LONGEST and not is_list:
            out.append(f"{words} words in a sentence: {sentence[:70]} ...")
        for form, reason in FORMS:
            if re.search(form, sentence):
                out.append(f"{reason}: {sentence[:90]}")
        for name in re.findall(r"(?<![\w/.@$-])[A-Z][A-Z0-9]+s?(?![\w/.*=-])", sentence):
            if name not in known and not re.fullmatch(r"[A-Z]\d+|CODE", name):
                out.append(f"abbreviation {name} is not in the glossary: {sentence[:70]}")
    return out


def glossary() -> tuple[set[str], list[str]]:
    """The terms of the glossary, and its faults."""
    text = (ROOT / GLOSSARY).read_text(encoding="utf-8")
    terms = re.findall(r"^- \*\*(.+?)\*\*: ", text, re.MULTILINE)
    out = [f"{GLOSSARY}: {term} is defined twice" for term in set(terms) if terms.count(term) > 1]
    out += [f"{GLOSSARY}: {term} is missing" for term in TERMS if term not in terms]
    out += [f"{GLOSSARY}: terms are not in the order of the alphabet" for _ in [0] if terms != sorted(terms, key=str.lower)]
    return set(terms), out


def untested() -> list[str]:
    """Forms that miss their example, and good sentences that a form refuses."""
    out = [f"no example of the form {form}" for form, _ in FORMS if not any(re.search(form, bad) for bad in BAD)]
    out += [f"not refused: {bad}" for bad in BAD if not faults(bad, KNOWN)]
    out += [f"not refused: {bad}" for bad in ("/// Whether it is", "/// Most bytes of it") if not riddle(bad)]
    return out + [f"refused: {good}" for good in GOOD if faults(good, KNOWN) or riddle(f"/// True if {good}")]


def rust_sources() -> list[Path]:
    folders = ("crates", "examples", "fuzz", "laboratory")
    found = [path for folder in folders for path in (ROOT / folder).rglob("*.rs")]
    return sorted(path for path in found if "target" not in path.parts)


def module_heads() -> list[str]:
    """Modules whose first line begins like a riddle."""
    out = []
    for path in rust_sources():
        if "src" not in path.parts:
            continue
        line = path.read_text(encoding="utf-8").split("\n", 1)[0]
        if re.match(r"//! (What|Which|Where|Who|Whether|How|When|Why|By|From|In|On|Of|To|Under|With|Told|Made|Given|Said|Is|That|Those)\b", line):
            out.append(f"{path.relative_to(ROOT)}: say what the module is: {line[4:90]}")
    return out


def item_heads() -> list[str]:
    """Items, public or not, whose doc comment begins like a riddle."""
    out = []
    for path in rust_sources():
        before = ""
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            stripped = line.strip()
            if not before.startswith("///") and (reason := riddle(stripped)):
                out.append(f"{path.relative_to(ROOT)}:{number}: {reason}: {stripped[4:90]}")
            before = stripped
    return out


def riddle(line: str) -> str:
    """The reason against the first line of a doc comment; empty if there is none."""
    if re.match(r"/// (What|Which|Where|Whether|Who|Whoever|Whose|Whatever|How|Why)\b", line):
        return "begin with the noun or the verb ('Returns whether', 'True if')"
    if re.match(r"/// (Most|Least|Fewest|Longest|Shortest|Largest|Smallest)\b", line):
        return "say 'maximum' or 'minimum'"
    return ""


def public_docs() -> list[tuple[str, str]]:
    """The paragraphs of the doc comments of the facade and of the Python module, and of the docstrings of the latter."""
    out = []
    for path in sorted([*(ROOT / "crates/trommel/src").rglob("*.rs"), *(ROOT / "crates/python/src").rglob("*.rs")]):
        where, text, is_code = path.relative_to(ROOT), "", False
        for number, line in enumerate([*path.read_text(encoding="utf-8").split("\n"), ""], 1):
            stripped = line.strip()
            is_doc = stripped.startswith("///") and not is_code
            if stripped.startswith("/// ```"):
                is_code, is_doc = not is_code, False
            doc = stripped[3:].strip() if is_doc else ""
            if doc and not doc.startswith("#"):
                text = f"{text} {doc}".strip()
            elif text:
                out.append((f"{where}:{number}", text))
                text = ""
    for path in sorted((ROOT / "crates/python/python").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and (
                doc := ast.get_docstring(node, clean=not isinstance(node, ast.Module))
            ):
                line = getattr(node, "lineno", 1)
                out += [(f"{path.relative_to(ROOT)}:{line}", text) for _, text in units(doc)]
    return out


def help_of(program: str, command: list[str]) -> list[tuple[str, str]]:
    """The paragraphs of the help of a command and of those below it, each with the option that it is of."""
    ran = subprocess.run([program, *command, "--help"], capture_output=True, text=True, check=True)
    where, out, open_ = " ".join(["trommel", *command]), [], None
    below, in_commands, in_list, option = [], False, False, ""
    for line in ran.stdout.split("\n"):
        stripped = line.strip()
        if in_list or stripped.startswith(("[possible values:", "[default:")):
            in_list, open_ = not stripped.endswith("]"), None
        elif re.match(r"\S.*:$", line):
            in_commands, open_ = line == "Commands:", None
        elif in_commands and (match := re.match(r"  (\S+)  +(.*)", line)):
            below.append(match[1])
            out.append((f"{where} {match[1]}", match[2]))
            open_ = len(out) - 1
        elif not stripped or line.startswith("Usage:"):
            open_ = None
        elif re.match(r"\s{2,6}(-\w|--|\[|<)\S*", line) and not line.startswith(" " * 8):
            option, open_ = re.findall(r"--[\w-]+|[\[<]\w+[\]>]", line)[0] if re.findall(r"--[\w-]+|[\[<]\w+[\]>]", line) else "", None
        elif match := re.match(r"\s+- ([\w-]+): +(.*)", line):
            out.append((f"{where} {option} {match[1]}", match[2]))
            open_ = len(out) - 1
        elif stripped.startswith("Possible values:") or line.startswith("  trommel "):
            # Examples are no sentences.
            open_ = None
        elif open_ is not None:
            out[open_] = (out[open_][0], f"{out[open_][1]} {stripped}")
        else:
            out.append((f"{where} {option}".strip(), stripped))
            open_ = len(out) - 1
    out = [(at, re.sub(r"\s*\[(default|possible values):.*", "", text)) for at, text in out]
    for name in below:
        if name != "help":
            out += help_of(program, [*command, name])
    return out


def main() -> int:
    arguments = argparse.ArgumentParser(description="Checks the English of documents, help and module heads.")
    arguments.add_argument("--program", help="the built program whose help is checked, too")
    arguments.add_argument("--no-modules", action="store_true", help="leave out the first lines of modules and public docs")
    chosen = arguments.parse_args()
    terms, found = glossary()
    found += untested()
    known = KNOWN | terms
    counts = {"documents": 0, "help": 0, "docs": 0}
    for path in documents():
        for line, text in units(path.read_text(encoding="utf-8")):
            counts["documents"] += 1
            found += [f"{path.relative_to(ROOT)}:{line}: {fault}" for fault in faults(text, known)]
    if chosen.program:
        for where, text in dict.fromkeys(help_of(chosen.program, [])):
            counts["help"] += 1
            found += [f"{where}: {fault}" for fault in faults(text, known)]
    if not chosen.no_modules:
        found += module_heads() + item_heads()
        for where, text in public_docs():
            counts["docs"] += 1
            found += [f"{where}: {fault}" for fault in faults(text, known)]
    for fault in found:
        print(fault, file=sys.stderr)
    print(f"{counts['documents']} paragraphs, {counts['help']} of help, {counts['docs']} of public docs: {len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
