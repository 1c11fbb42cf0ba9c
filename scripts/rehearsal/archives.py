"""Makes synthetic archives of a crawl from real records: mixed, packed in several ways, and damaged in several ways."""

import gzip
import random
import zlib
from dataclasses import dataclass
from pathlib import Path

# Share of archives that are damaged.
DAMAGED = 0.2


@dataclass
class Archive:
    """What an archive has, as it was made."""

    name: str
    packing: str
    # None, or the damage.
    damage: str | None
    # Records that were put in, and those whose bytes are as they were.
    records: int
    intact: int


def count_of_records(plain: bytes) -> int | None:
    """Records of a member, or None where it is not made of whole records of WARC."""
    at, count = 0, 0
    while at < len(plain):
        head = plain.find(b"\r\n\r\n", at)
        if not plain.startswith(b"WARC/1.", at) or head < 0:
            return None
        lengths = [line[15:] for line in plain[at:head].split(b"\r\n") if line.lower().startswith(b"content-length:")]
        if len(lengths) != 1 or not lengths[0].strip().isdigit():
            return None
        at = head + 4 + int(lengths[0])
        if plain[at : at + 4] != b"\r\n\r\n":
            return None
        at, count = at + 4, count + 1
    return count


def members_of(path: Path, most: int) -> list[tuple[bytes, bytes]]:
    """Members of an archive that hold one record each: stored and plain bytes."""
    found = []
    data = path.read_bytes()
    while data and len(found) < most:
        inflate = zlib.decompressobj(31)
        try:
            plain = inflate.decompress(data)
        except zlib.error:
            break
        if not inflate.eof:
            break
        stored, data = data[: len(data) - len(inflate.unused_data)], inflate.unused_data
        if len(stored) < 200_000 and count_of_records(plain) == 1:
            found.append((stored, plain))
    return found


def pool_of(folders: list[Path], most: int) -> list[tuple[bytes, bytes]]:
    """Records of all archives in the folders, at most so many of each."""
    paths = sorted(path for folder in folders for path in folder.glob("*.warc.gz"))
    return [member for path in paths for member in members_of(path, most)]


def bits_flipped(parts: list[bytes], dice: random.Random) -> tuple[bytes, int]:
    """Some bits of one record."""
    at = dice.randrange(len(parts))
    part = bytearray(parts[at])
    for _ in range(8):
        part[dice.randrange(20, len(part))] ^= 1 << dice.randrange(8)
    return b"".join([*parts[:at], bytes(part), *parts[at + 1 :]]), len(parts) - 1


def cut(parts: list[bytes], dice: random.Random) -> tuple[bytes, int]:
    """The end is missing, from the middle of a record on."""
    at = dice.randrange(1, len(parts))
    return b"".join(parts[:at]) + parts[at][: len(parts[at]) // 2], at


def zeroed(parts: list[bytes], dice: random.Random) -> tuple[bytes, int]:
    """A sector of the disk is zeros, over the end of a record and the start of the next."""
    at = dice.randrange(1, len(parts) - 1)
    half = len(parts[at]) // 2
    hole = bytes(half + 40)
    return b"".join([*parts[:at], parts[at][: len(parts[at]) - half], hole, parts[at + 1][40:], *parts[at + 2 :]]), len(parts) - 2


def headless(parts: list[bytes], dice: random.Random) -> tuple[bytes, int]:
    """The start is missing, up to the middle of the first record."""
    return b"".join([parts[0][len(parts[0]) // 2 :], *parts[1:]]), len(parts) - 1


def with_an_error_page(parts: list[bytes], dice: random.Random) -> tuple[bytes, int]:
    """The error page of a proxy stands between two records."""
    at = dice.randrange(1, len(parts))
    page = b"<html><body><h1>502 Bad Gateway</h1></body></html>\r\n" * dice.randrange(1, 40)
    return b"".join([*parts[:at], page, *parts[at:]]), len(parts)


def middle_gone(parts: list[bytes], dice: random.Random) -> tuple[bytes, int]:
    """A piece is missing, from within one record to within another."""
    first = dice.randrange(len(parts) - 2)
    last = dice.randrange(first + 1, len(parts) - 1)
    one, other = parts[first], parts[last]
    kept = [*parts[:first], one[: len(one) * 2 // 3], other[len(other) // 3 :], *parts[last + 1 :]]
    return b"".join(kept), first + len(parts) - 1 - last


def no_archive(parts: list[bytes], dice: random.Random) -> tuple[bytes, int]:
    """Something else has the name of an archive."""
    return b"<Error><Code>AccessDenied</Code></Error>\n", 0


DAMAGES = [bits_flipped, cut, zeroed, headless, with_an_error_page, middle_gone, no_archive]


def make(folder: Path, pool: list[tuple[bytes, bytes]], number: int, size: int, seed: int) -> list[Archive]:
    """Writes archives of about `size` bytes; the same for the same seed."""
    dice = random.Random(seed)
    folder.mkdir(parents=True)
    made = []
    for at in range(number):
        drawn: list[tuple[bytes, bytes]] = []
        goal = size * dice.uniform(0.5, 1.5)
        while sum(len(stored) for stored, _ in drawn) < goal or len(drawn) < 4:
            drawn.append(dice.choice(pool))
        # Most archives of crawls have a member a record; some are plain, or one member with all records.
        packing = dice.choices(["members", "plain", "one member"], [90, 6, 4])[0]
        parts = [plain if packing == "plain" else stored for stored, plain in drawn]
        data, intact, damage = b"".join(parts), len(parts), None
        if packing == "one member":
            data = gzip.compress(b"".join(plain for _, plain in drawn), 6, mtime=0)
        elif dice.random() < DAMAGED:
            how = DAMAGES[at % len(DAMAGES)]
            damage = how.__name__.replace("_", " ")
            data, intact = how(parts, dice)
        name = f"part-{at:05}.warc" + ("" if packing == "plain" else ".gz")
        (folder / name).write_bytes(data)
        made.append(Archive(name, packing, damage, len(parts), intact))
    return made
