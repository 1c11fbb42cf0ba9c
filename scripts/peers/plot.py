"""Draws speed against quality."""

import math


def plot(rows):
    """Speed (log scale) against quality."""
    width, height, left, bottom = 720, 420, 60, 50
    speeds = [row["speed"] for row in rows]
    low, high = min(speeds) / 2, max(speeds) * 2
    floor = min(row["f1"] for row in rows) - 0.03

    def x(speed):
        return left + (width - left - 20) * math.log(speed / low) / math.log(high / low)

    def y(f1):
        return height - bottom - (height - bottom - 20) * (f1 - floor) / (0.9 - floor)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for tick in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000):
        if low < tick < high:
            out.append(
                f'<line x1="{x(tick):.0f}" x2="{x(tick):.0f}" y1="20" y2="{height - bottom}" stroke="#ddd"/>'
                f'<text x="{x(tick):.0f}" y="{height - bottom + 16}" text-anchor="middle">{tick}</text>'
            )
    for percent in range(math.ceil(floor * 20) * 5, 91, 5):
        at = y(percent / 100)
        out.append(
            f'<line x1="{left}" x2="{width - 20}" y1="{at:.0f}" y2="{at:.0f}" stroke="#ddd"/>'
            f'<text x="{left - 6}" y="{at + 4:.0f}" text-anchor="end">.{percent}</text>'
        )
    for row in rows:
        ours = row["name"].startswith("trommel")
        colour = "#c0392b" if ours else "#2c3e50"
        end = x(row["speed"]) > width * 0.7
        out.append(
            f'<circle cx="{x(row["speed"]):.0f}" cy="{y(row["f1"]):.0f}" r="5" fill="{colour}"/>'
            f'<text x="{x(row["speed"]) + (-9 if end else 9):.0f}" y="{y(row["f1"]) + 4:.0f}" '
            f'text-anchor="{"end" if end else "start"}" fill="{colour}">{row["name"]}</text>'
        )
    out.append(
        f'<text x="{(left + width) / 2:.0f}" y="{height - 10}" text-anchor="middle">'
        "MB of plain archive a CPU second</text>"
        f'<text x="14" y="{height / 2:.0f}" text-anchor="middle" '
        f'transform="rotate(-90 14 {height / 2:.0f})">mean word F1, wcxb-dev</text></svg>'
    )
    return "\n".join(out) + "\n"
