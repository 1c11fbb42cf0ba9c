"""Draws speed against quality."""

import math


def labels(x, y, length):
    """Places of a label beside a point, best first: its x, y and anchor, and its box."""
    places = []
    for dx, dy, anchor in [(9, 4, "start"), (-9, 4, "end"), (0, -10, "middle"), (0, 20, "middle")]:
        start = x + dx - {"start": 0, "end": length, "middle": length / 2}[anchor]
        places.append((x + dx, y + dy, anchor, (start, y + dy - 11, start + length, y + dy + 3)))
    return places


def overlap(one, other):
    """Whether two boxes (left, top, right, bottom) share a point."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


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
    # Points first: a label keeps clear of all of them, and of the labels before it.
    taken = [(x(row["speed"]) - 6, y(row["f1"]) - 6, x(row["speed"]) + 6, y(row["f1"]) + 6) for row in rows]
    for row in rows:
        colour = "#c0392b" if row["name"].startswith("trommel") else "#2c3e50"
        at, level = x(row["speed"]), y(row["f1"])
        places = labels(at, level, 7 * len(row["name"]))
        within = [place for place in places if left <= place[3][0] and place[3][2] <= width - 20] or places
        free = [place for place in within if not any(overlap(place[3], box) for box in taken)]
        label_x, label_y, anchor, box = (free or within)[0]
        taken.append(box)
        out.append(
            f'<circle cx="{at:.0f}" cy="{level:.0f}" r="5" fill="{colour}"/>'
            f'<text x="{label_x:.0f}" y="{label_y:.0f}" text-anchor="{anchor}" fill="{colour}">{row["name"]}</text>'
        )
    out.append(
        f'<text x="{(left + width) / 2:.0f}" y="{height - 10}" text-anchor="middle">'
        "MB of plain archive a CPU second</text>"
        f'<text x="14" y="{height / 2:.0f}" text-anchor="middle" '
        f'transform="rotate(-90 14 {height / 2:.0f})">mean word F1, wcxb-dev</text></svg>'
    )
    return "\n".join(out) + "\n"
