"""Tables for any width of terminal: numbers are never cut or wrapped, texts are shortened, and columns that are left
over follow in another block under the same first column."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from rich.cells import cell_len
from rich.table import Table

from rightcall.show.screen import Screen
from rightcall.show.text import one_line

SHORTEST = 8
"""Characters of a text that are left of it in any case."""
GAPS = (2, 1)
"""Spaces between columns; on a narrow terminal the smaller number."""


def print_columns(
    out: Screen,
    titles: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    texts: Collection[str] = (),
    caption: str = "",
    width: int | None = None,
) -> None:
    """Print rows of cells. Columns whose titles are among `texts` may be shortened, all others are as wide as needed.

    The first column names the row, and begins each block.
    """
    shown = [[one_line(cell, 2000) for cell in row] for row in rows]
    if caption:
        out.print(caption, style="italic")
    for table in column_blocks(titles, shown, texts, width or out.width):
        out.print(table)


def column_blocks(
    titles: Sequence[str], rows: Sequence[Sequence[str]], texts: Collection[str], width: int
) -> Iterator[Table]:
    """The table in as many blocks as the width requires."""
    natural = [max(cell_len(cell) for cell in column) for column in zip(titles, *rows, strict=True)]
    least = [
        min(SHORTEST, wide) if title in texts else wide for title, wide in zip(titles, natural, strict=True)
    ]
    gap = next((gap for gap in GAPS if sum(natural) + gap * (len(titles) - 1) <= width), GAPS[-1])
    block: list[int] = [0]
    for at in range(1, len(titles)):
        if len(block) > 1 and sum(least[place] + gap for place in (*block, at)) - gap > width:
            yield _block(block, titles, rows, texts, _widths(block, natural, least, width, gap), gap)
            block = [0]
        block.append(at)
    yield _block(block, titles, rows, texts, _widths(block, natural, least, width, gap), gap)


def _widths(
    block: Sequence[int], natural: Sequence[int], least: Sequence[int], width: int, gap: int
) -> dict[int, int]:
    """What is left of the width goes to texts, from left to right."""
    left = width - sum(least[at] + gap for at in block) + gap
    widths: dict[int, int] = {}
    for at in block:
        more = max(0, min(natural[at] - least[at], left))
        widths[at], left = least[at] + more, left - more
    return widths


def _block(
    block: Sequence[int],
    titles: Sequence[str],
    rows: Sequence[Sequence[str]],
    texts: Collection[str],
    widths: dict[int, int],
    gap: int,
) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, gap, 0, 0))
    for at in block:
        is_text = titles[at] in texts or at == 0
        table.add_column(
            titles[at],
            justify="left" if is_text else "right",
            no_wrap=True,
            overflow="ellipsis",
            width=widths[at],
        )
    for row in rows:
        table.add_row(*(row[at] for at in block))
    return table
