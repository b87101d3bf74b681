"""The terminal with colours, and tables for any width: numbers are never cut, texts are shortened."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any, TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from rightcall.core.text import visible
from rightcall.show.lines import Guarded, inert
from rightcall.show.text import one_line

if TYPE_CHECKING:
    from rich.console import ConsoleOptions, RenderableType


class Screen(Console):
    """A console that ignores markup in what it prints, and makes hostile text harmless.

    `print` shows texts and tables as they are. `say` takes a trusted template with markup, and values that are plain
    text. Outside a terminal, lines are not wrapped.
    """

    def __init__(self, *, stderr: bool = False, file: TextIO | None = None, width: int | None = None) -> None:
        guarded = Guarded(file, stderr=stderr)
        super().__init__(file=guarded, highlight=False, markup=False, emoji=False, width=width)  # type: ignore[arg-type]
        if self.no_color:  # rich leaves bold and dim
            self._color_system = None

    def print(self, *objects: Any, soft_wrap: bool | None = None, indent: int = 0, **options: Any) -> None:
        """Show texts and tables, indented on every line."""
        if soft_wrap is None and not self.is_terminal:
            soft_wrap = all(isinstance(renderable, str | Text) for renderable in objects)
        if indent and soft_wrap:
            objects = (Text.assemble(" " * indent, *objects),)
        elif indent:
            objects = tuple(Padding.indent(renderable, indent) for renderable in objects)
        super().print(*objects, soft_wrap=soft_wrap, **options)

    def say(self, template: str, *values: object, hang: int = 0, **options: Any) -> None:
        """Print a template with markup: `say("[bold]{}[/bold]: {:,} goldens", name, count)`.

        With `hang`, lines after the first are indented by that many spaces where a terminal wraps them.
        """
        text = Text.from_markup(template.format(*(_only_text(value) for value in values)), emoji=False)
        if not (hang and self.is_terminal):
            self.print(text, **options)
            return
        for place, line in enumerate(text.wrap(self, self.width - hang)):
            self.print(line, indent=hang if place else 0, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """A text for rich, made inert before its width is measured."""
        return super().render_str(inert(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The rendered segments, each made inert, including those of rich's own objects."""
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable() or segment.text == "\n":
                yield segment
            else:
                yield Segment(visible(segment.text), segment.style)


def screen_text(draw: Callable[[Screen], None], width: int = 80) -> str:
    """What is drawn on a screen of this width, as text without colours."""
    file = StringIO()
    draw(Screen(file=file, width=width))
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines())


def _only_text(value: object) -> object:
    """A value for a template: numbers unchanged, text on one line and without markup."""
    return escape(inert(" ".join(value.splitlines()))) if isinstance(value, str) else value


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
) -> None:
    """Print rows of cells. Columns whose titles are among `texts` may be shortened, all others are as wide as needed.

    The first column names the row, and begins each block.
    """
    shown = [[one_line(cell, 2000) for cell in row] for row in rows]
    if caption:
        out.print(caption, style="italic")
    for table in column_blocks(titles, shown, texts, out.width):
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
            yield _block(
                block, titles, rows, texts, widths=_widths(block, natural, least, width, gap=gap), gap=gap
            )
            block = [0]
        block.append(at)
    yield _block(block, titles, rows, texts, widths=_widths(block, natural, least, width, gap=gap), gap=gap)


def _widths(
    block: Sequence[int], natural: Sequence[int], least: Sequence[int], width: int, gap: int
) -> dict[int, int]:
    """What is left of the width goes to texts, from left to right."""
    room = width - sum(least[at] + gap for at in block) + gap
    widths: dict[int, int] = {}
    for at in block:
        more = max(0, min(natural[at] - least[at], room))
        widths[at] = least[at] + more
        room = room - more
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
