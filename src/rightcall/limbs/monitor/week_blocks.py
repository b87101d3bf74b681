"""Blocks of the week: parts of it whose sessions are compared with a separate rate.

A week has eight cells, weekdays and weekends in four parts of the day. Cells with too few sessions in the baseline,
and neighbours whose rates do not differ, form one block: more sessions give a tighter bound.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from rightcall.stats.intervals import clopper_pearson_bounds

HOUR = 3600 * 1_000_000_000
PARTS = 4
"""Parts of the day, of six hours each."""
CELLS = 2 * PARTS
FEWEST = 100
"""A block with fewer sessions joins the neighbour with the nearest rate."""
SEEN = 10
"""A cell with fewer sessions in the baseline is unseen: nothing is known of its rate."""
ALIKE = 2.0
"""Neighbours whose rates differ by less than this many standard errors form one block."""

Cell = tuple[int, float]
"""Sessions, and how many of them were bad."""


@functools.lru_cache(4096)
def cell_of(hour: int, zone: str) -> int:
    """The cell of an hour, counted from 1970 in UTC, in a time zone: 0 to 3 on weekdays, 4 to 7 on weekends."""
    local = _local(hour, zone)
    return PARTS * (local.weekday() >= 5) + local.hour * PARTS // 24


def day_of(hour: int, zone: str) -> int:
    """The day of an hour in a time zone, counted from a Monday: days 5 and 6 of each seven are weekends."""
    return _local(hour, zone).toordinal() - 1


def _local(hour: int, zone: str) -> datetime:
    try:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(hours=hour)
        return moment if zone == "UTC" else moment.astimezone(ZoneInfo(zone))
    except OverflowError:  # traces claim any time
        return datetime(1970, 1, 1, tzinfo=UTC)


def blocks_of(cells: Sequence[Cell]) -> tuple[int, ...]:
    """The block of each cell, named by its first cell; −1 for cells the baseline has not seen."""
    block = [i if n >= SEEN else -1 for i, (n, _) in enumerate(cells)]
    while pair := _pair_to_join(cells, block):
        first, second = sorted(pair)
        block = [first if name == second else name for name in block]
    return tuple(block)


def block_totals(cells: Sequence[Cell], block: Sequence[int]) -> dict[int, Cell]:
    """Sessions and bad ones of each block, by its name."""
    totals: dict[int, Cell] = {}
    for name, (n, bad) in zip(block, cells, strict=True):
        if name >= 0:
            sessions, worse = totals.get(name, (0, 0.0))
            totals[name] = sessions + n, worse + bad
    return totals


def block_bounds(cells: Sequence[Cell], delta: float, floor: float = 0.0) -> tuple[float, ...]:
    """For each cell the rate that its sessions must not exceed; 0 for cells the baseline has not seen.

    With probability 1 − δ none of the blocks is above its bound: each is a Clopper-Pearson bound at δ / blocks.
    """
    block = blocks_of(cells)
    totals = block_totals(cells, block)
    high = {-1: 0.0}
    for name, (n, bad) in totals.items():
        high[name] = max(floor, clopper_pearson_bounds(min(bad, n), n, delta / len(totals)).high)
    return tuple(high[name] for name in block)


def block_text(block: Sequence[int], name: int) -> str:
    """The hours of a block: `weekdays 00–12, weekends`."""
    texts = []
    for kind, title in enumerate(("weekdays", "weekends")):
        parts = [part for part in range(PARTS) if block[kind * PARTS + part] == name]
        if len(parts) == PARTS:
            texts.append(title)
        elif parts:
            texts.append(f"{title} {', '.join(f'{6 * part:02}–{6 * part + 6:02}' for part in parts)}")
    return ", ".join(texts)


def _pair_to_join(cells: Sequence[Cell], block: Sequence[int]) -> tuple[int, int] | None:
    """The next two blocks to make one: the smallest that is too small, otherwise the most alike."""
    totals = block_totals(cells, block)
    n, smallest = min(((n, name) for name, (n, _) in totals.items()), default=(FEWEST, -1))
    if n < FEWEST and len(totals) > 1:
        near = _neighbours(block, smallest) or set(totals) - {smallest}
        rates = {name: bad / n for name, (n, bad) in totals.items()}
        return smallest, min(near, key=lambda name: (abs(rates[name] - rates[smallest]), name))
    pairs = [(a, b) for a in totals for b in _neighbours(block, a) if a < b]
    apart = [(_standard_errors(totals[a], totals[b]), a, b) for a, b in pairs]
    closest = min(apart, default=(ALIKE, 0, 0))
    return closest[1:] if closest[0] < ALIKE else None


def _neighbours(block: Sequence[int], name: int) -> set[int]:
    """Blocks just before or after in the day, and at the same time on the other kind of day."""
    near = set()
    for i in range(CELLS):
        if block[i] == name:
            kind, part = divmod(i, PARTS)
            near |= {block[kind * PARTS + (part + step) % PARTS] for step in (-1, 1)}
            near.add(block[(1 - kind) * PARTS + part])
    return near - {name, -1}


def _standard_errors(first: Cell, other: Cell) -> float:
    """How far apart two rates are: z of two proportions with their common variance."""
    (n, bad) = first
    (m, worse) = other
    rate = (bad + worse) / (n + m)
    variance = rate * (1 - rate) * (1 / n + 1 / m)
    return abs(bad / n - worse / m) / variance**0.5 if variance > 0 else 0.0
