"""What trivial agents pass, in words."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.core.text import one_line, percent, pluralize
from rightcall.records.floor import DEEDS, Floor, FloorCount


def floor_sentence(floor: Floor) -> str:
    """What trivial agents pass, as a whole sentence."""
    known = floor.best is not None and not floor.skipped
    words = one_line(_trivial_rates(floor) if known else f"floor unknown: {floor.skipped}", 400)
    return f"{words[:1].upper()}{words[1:]}."


def floor_rows(floor: Floor) -> Iterator[str]:
    """A line for each trivial agent, with its categories."""
    for name, rate in floor.agents.items():
        groups = ", ".join(
            f"{group} {count.passed:,}" for group, count in rate.categories.items() if count.passed
        )
        share = percent(rate.share, 1)
        yield f"  {name:<10} {share:>6}  {rate.passed:,} of {rate.judged:,}{f' ({groups})' if groups else ''}"


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
