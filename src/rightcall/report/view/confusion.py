"""The confusion matrix: what was expected against what was called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rightcall.model.record import Record
from rightcall.report.view.tools import ConfusionCell

NO_CALL, INVENTED, OTHERS = "no call", "invented tool", "other tools"
MOST_TOOLS = 20


class ConfusionMatrix(Record, frozen=True):
    """Rows are expected, columns called; both begin with the tools, alphabetically, in the same order.

    The last row is *no call*; the last columns are *no call* and *invented tool*, when they occur.
    Tools beyond the twenty most frequent are together in *other tools*.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]

    @property
    def most(self) -> int:
        """The largest count."""
        return max((count for row in self.counts for count in row), default=0)


def confusion_of(cells: Sequence[ConfusionCell]) -> ConfusionMatrix:
    """Lay the cells out."""
    weights: Counter[str] = Counter()
    for cell in cells:
        for name in (cell.expected, cell.called):
            if name is not None:
                weights[name] += cell.count
    tools = sorted(name for name, _ in weights.most_common(MOST_TOOLS))
    laid: Counter[tuple[str, str]] = Counter()
    for cell in cells:
        row = _label(cell.expected, tools)
        column = INVENTED if cell.invented else _label(cell.called, tools)
        laid[row, column] += cell.count
    rows = [*tools, *(special for special in (OTHERS, NO_CALL) if any(r == special for r, _ in laid))]
    columns = [
        *tools,
        *(special for special in (OTHERS, NO_CALL, INVENTED) if any(c == special for _, c in laid)),
    ]
    counts = tuple(tuple(laid[row, column] for column in columns) for row in rows)
    return ConfusionMatrix(tuple(rows), tuple(columns), counts)


def _label(name: str | None, tools: Sequence[str]) -> str:
    if name is None:
        return NO_CALL
    return name if name in tools else OTHERS
