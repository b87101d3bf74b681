"""The floor beside a pass rate: what trivial agents pass, in words and as a mark on each bar."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.core.text import one_line, percent, percent_interval, pluralize
from rightcall.model.floor import DEEDS, Floor, FloorCount
from rightcall.model.run import Rate, Summary

NOTHING_SHOWN = "this rate does not show that the agent uses its tools"


def floor_notes(summary: Summary) -> Iterator[str]:
    """The line under a table of rates; none for results that have no rate, and while a run has not ended."""
    if summary.overall.cases and summary.floor is not None:
        yield floor_line(summary.overall.rate, summary.floor)


def floor_line(rate: Rate | None, floor: Floor) -> str:
    """A pass rate beside those of trivial agents, and whether it shows anything."""
    if rate is None or floor.best is None:
        return floor_words(floor)
    return f"{percent(rate.value)} ({percent_interval(rate.low, rate.high)}); {floor_words(floor, rate.low)}"


def floor_words(floor: Floor, low: float | None = None) -> str:
    """What trivial agents pass, and whether a pass rate whose interval begins at `low` shows more than that."""
    if floor.best is None or floor.skipped:
        return f"floor unknown: {floor.skipped}"
    words = _trivial_rates(floor)
    return f"{words}; {NOTHING_SHOWN}" if low is not None and low <= floor.best else words


def floor_sentence(floor: Floor) -> str:
    """What trivial agents pass, as a whole sentence."""
    words = one_line(floor_words(floor), 400)
    return f"{words[:1].upper()}{words[1:]}."


def floor_rows(floor: Floor) -> Iterator[str]:
    """A line for each trivial agent, with its categories."""
    for name, rate in floor.agents.items():
        groups = ", ".join(
            f"{group} {count.passed:,}" for group, count in rate.categories.items() if count.passed
        )
        share = percent(rate.share, 1)
        yield f"  {name:<10} {share:>6}  {rate.passed:,} of {rate.judged:,}{f' ({groups})' if groups else ''}"


def floor_share(floor: Floor | None, category: str | None = None) -> float | None:
    """The highest rate of a trivial agent, in all goldens or in those of a category; None when it is not known."""
    if floor is None or category is None:
        return floor.best if floor else None
    counts = (rate.categories.get(category, FloorCount()) for rate in floor.agents.values())
    return max((count.share for count in counts if count.share is not None), default=None)


def floor_facts(floor: Floor | None) -> dict[str, str]:
    """The floor as properties: of doing nothing, of the best trivial agent, and which that is."""
    if floor is None or floor.best is None:
        return {"floor": f"unknown: {floor.skipped}"} if floor else {}
    facts = {"floor": percent(floor.best, 1), "floor.agent": floor.best_name}
    return facts | ({} if floor.nothing is None else {"floor.nothing": percent(floor.nothing, 1)})


def floor_numbers(floor: Floor | None) -> dict[str, object] | None:
    """The floor for programs that want a few numbers; None when it is not known."""
    if floor is None or floor.best is None:
        return None
    return {"nothing": floor.nothing, "best": floor.best, "best_name": floor.best_name}


def short_floor(floor: Floor | None) -> str:
    """The floor where there is room for a few words: `floor 38.0% (nothing)`; empty when it is not known."""
    return f"floor {percent(floor.best, 1)} ({floor.best_name})" if floor and floor.best is not None else ""


def _trivial_rates(floor: Floor) -> str:
    idle = floor.agents.get("nothing")
    parts = []
    if idle is not None and idle.share is not None:
        negatives = idle.categories.get("negative", FloorCount())
        why = f" (negatives {negatives.passed:,} of {negatives.judged:,})" if negatives.passed else ""
        parts.append(f"{DEEDS['nothing']} passes {percent(idle.share)}{why}")
    if floor.best is not None and floor.best_name and floor.best_name != "nothing":
        parts.append(f"{floor.best_deed}{'' if parts else ' passes'} {percent(floor.best)}")
    if floor.left_out:
        why = next(iter(floor.why_left_out), "")
        parts.append(f"{pluralize(floor.left_out, 'golden')} left out{f' ({why})' if why else ''}")
    return ", ".join(parts)
