"""The terminal with colours and tables, for everything that is more than a line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TextIO

from rich.console import Console
from rich.markup import escape
from rich.segment import Segment
from rich.text import Text

from rightcall.core.text import visible
from rightcall.show.lines import Guarded, inert

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

    def print(self, *objects: Any, soft_wrap: bool | None = None, **options: Any) -> None:
        """Show texts and tables."""
        if soft_wrap is None and not self.is_terminal:
            soft_wrap = all(isinstance(renderable, str | Text) for renderable in objects)
        super().print(*objects, soft_wrap=soft_wrap, **options)

    def say(self, template: str, *values: object, **options: Any) -> None:
        """Print a template with markup: `say("[bold]{}[/bold]: {:,} goldens", name, count)`."""
        filled = template.format(*(_only_text(value) for value in values))
        self.print(Text.from_markup(filled, emoji=False), **options)

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


def _only_text(value: object) -> object:
    """A value for a template: numbers unchanged, text on one line and without markup."""
    return escape(inert(" ".join(value.splitlines()))) if isinstance(value, str) else value
