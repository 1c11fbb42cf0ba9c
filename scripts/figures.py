"""Puts the figures of today's models where they are shown: docs/quality.md is where they come from.

The F1 of our models in docs/benchmarks.md (the speed there is of its own run) and its picture, and from that table the
one of the README. Called by `make quality` and by `scripts/bench-peers.sh`.
"""

import re
import sys
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts" / "peers"))

from plot import plot  # noqa: E402

DRAWN = ["trommel fast", "FastWARC + Resiliparse", "dom_smoothie", "rs-trafilatura", "warcio + trafilatura"]
# Rows of the README's table, and how it writes their names.
SHOWN = {
    "trommel fast": "**trommel `fast`**",
    "FastWARC + Resiliparse": "FastWARC + Resiliparse",
    "rs-trafilatura": "rs-trafilatura",
    "warcio + trafilatura": "warcio + trafilatura",
}


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def main():
    quality = (ROOT / "docs" / "quality.md").read_text()
    row = next(cells(line) for line in quality.split("\n") if line.startswith("| wcxb-dev |"))
    models = {"fast": row[4]}

    path = ROOT / "docs" / "benchmarks.md"
    lines, rows = path.read_text().split("\n"), {}
    for at, line in enumerate(lines):
        own = cells(line)
        if len(own) != 10 or not re.fullmatch(r"\d+\.\d+", own[1]):
            continue
        if own[0].startswith("trommel"):
            own[9] = models[own[0].split()[1].rstrip(",")]
            lines[at] = f"| {' | '.join(own)} |"
        rows[own[0]] = own
    path.write_text("\n".join(lines))
    plain = int(re.search(r"An archive of (\d+) MB plain", "\n".join(lines))[1])
    points = [{"name": name, "speed": plain / float(rows[name][1]), "f1": float(rows[name][9])} for name in DRAWN]
    (ROOT / "docs" / "benchmarks.svg").write_text(plot(points))

    path = ROOT / "README.md"
    lines = path.read_text().split("\n")
    head = lines.index("| | CPU s | pages a CPU s | F1 |")
    end = lines.index("", head)
    shown = [rows[name] for name in SHOWN]
    best = max(own[9] for own in shown)
    table = []
    for own in shown:
        f1 = f"**{own[9]}**" if own[9] == best else own[9]
        seconds = Decimal(own[1]).quantize(Decimal("0.1"), ROUND_HALF_UP)
        table.append(f"| {SHOWN[own[0]]} | {seconds} | {own[6]} | {f1} |")
    lines[head + 2 : end] = table
    path.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
