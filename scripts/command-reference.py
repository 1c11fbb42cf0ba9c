#!/usr/bin/env python3
"""Writes docs/commands.md, the reference of commands, from the help of the program.

    scripts/command-reference.py PROGRAM            write it
    scripts/command-reference.py PROGRAM --check    fail if it is not what the program says

Settings, which many commands share, are left out: docs/settings.md has them. So are the options of every command.
"""

import re
import subprocess
import sys
from pathlib import Path

SETTINGS = Path(__file__).resolve().parents[1] / "docs" / "settings.md"
PAGE = Path(__file__).resolve().parents[1] / "docs" / "commands.md"
SHARED = ["--quiet", "--verbose", "--log-format", "--help", "--version", "--config", "--set", "--overwrite"]
# Described under `run` alone.
NETWORK = ["--follow-hosts"]
# Headings of options that are no settings.
HEADINGS = ["Options", "Files beside the outputs", "Inputs that grow", "Inputs behind URLs"]
# Commands that take what another takes.
LIKE = {"annotate": "run"}
HEAD = """# Commands

`scripts/command-reference.py` writes this page from `trommel help`, with a sentence for each option; `trommel help
COMMAND` says more. `run`, `extract`, `index`, `serve` and `wacz text` also take [settings](settings.md): as options, by
`--set NAME=VALUE`, or from a file (`--config FILE`).

Every command takes `-q` (only errors), `-v` (more messages), `--log-format json` and `--help`, those that write files
`--overwrite` (replace existing ones), and those that read from the network the network options of `run`.
"""


def help_of(program: str, command: list[str]) -> str:
    ran = subprocess.run([program, *command, "--help"], capture_output=True, text=True, check=True)
    return ran.stdout


def joined(lines: list[str]) -> str:
    """The text of an option on one line, with its values."""
    said: list[str] = []
    values: list[str] = []
    for line in (line.strip() for line in lines):
        if value := re.match(r"- ([\w-]+)(:|$)", line):
            values.append(f"`{value[1]}`: {line[value.end(2) :].strip()}".removesuffix(": "))
        elif line and line != "Possible values:":
            part = values or said
            part[-1:] = [" ".join([*part[-1:], line])]
    return " ".join(said) + "".join(f"\n  - {value}" for value in values)


def brief(text: str) -> str:
    """The first sentence of a text, with its default, its values, and whether it can be repeated."""
    head, *values = text.split("\n")
    said, *notes = re.split(r" (?=\[(?:default|possible values): )", head)
    first, *rest = re.split(r"(?<=\w)\. (?=[A-Z])", said, maxsplit=1)
    if rest and "Can be repeated" in rest[0]:
        first += ". Can be repeated"
    return "\n".join([" ".join([first.removesuffix("."), *notes]), *values])


def section(text: str, name: str) -> list[tuple[str, str]]:
    """The names and texts of arguments or options."""
    match = re.search(rf"^{name}:\n(.*?)(?=^\S|\Z)", text, re.DOTALL | re.MULTILINE)
    found: list[tuple[str, list[str]]] = []
    for line in (match[1] if match else "").split("\n"):
        if re.match(r"\s{2,6}\S", line):
            found.append((line.strip(), []))
        elif found:
            found[-1][1].append(line)
    return [(head, brief(joined(lines))) for head, lines in found]


def command(program: str, name: list[str]) -> str:
    text = help_of(program, name)
    about, usage = text.split("Usage: ", 1)
    about = ". ".join(" ".join(part.split()).removesuffix(".") for part in about.strip().split("\n\n"))
    out = f"\n## {' '.join(name)}\n\n{about}.\n\n`{usage.split(chr(10))[0].replace(' [OPTIONS]', '')}`\n"
    if like := LIKE.get(name[0]):
        return out + f"\nTakes the arguments and options of `{like}`.\n"
    settings = re.findall(r"^- `(\w+)` \(", SETTINGS.read_text(encoding="utf-8"), re.MULTILINE)
    settings = [f"--{setting.replace('_', '-')}" for setting in settings if name == ["run"]] + ["--markdown"]
    rows = section(text, "Arguments") + [
        (head, said)
        for heading in HEADINGS
        for head, said in section(text, heading)
        if not any(re.search(rf"{option}(?![\w-])", head) for option in SHARED + settings + (NETWORK if name != ["run"] else []))
    ]
    if "Commands:\n" in text:
        below = re.findall(r"^  (\S+)  +\S", text.split("Commands:\n")[1].split("\n\n")[0], re.MULTILINE)
        return "".join(command(program, [*name, inner]) for inner in below if inner != "help")
    out += "".join(f"\n- `{head}`: {said}" for head, said in rows)
    if rows:
        out += "\n"
    return out


def page(program: str) -> str:
    text = help_of(program, [])
    names = re.findall(r"^  (\S+)  +\S", text.split("Commands:\n")[1].split("\n\n")[0], re.MULTILINE)
    return HEAD + "".join(command(program, [name]) for name in names if name != "help")


def main() -> int:
    made = page(sys.argv[1])
    if "--check" not in sys.argv:
        PAGE.write_text(made, encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != made:
        print("docs/commands.md is not what the program says: scripts/command-reference.py PROGRAM", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
