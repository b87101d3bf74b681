"""What changed between two runs and which goldens it touches, in the terminal."""

from __future__ import annotations

from typing import Any

from rightcall.analysis import ChangeItem, WhatChanged
from rightcall.report.screen import Screen

MOST_ITEMS = 20
MOST_FLIPS = 8
LONGEST = 200


def print_changes(out: Screen, found: WhatChanged) -> None:
    """The changes as a difference, then goldens that broke or were fixed with their calls before and after."""
    out.print()
    out.say("[bold]what changed[/bold]  {}", found.sentence, soft_wrap=True)
    if not found.known:
        out.print("one of the runs was stored without its system prompt and settings", style="dim")
    for number, item in enumerate(found.items[:MOST_ITEMS], start=1):
        _item(out, number, item)
    if len(found.items) > MOST_ITEMS:
        out.print(f"… {len(found.items) - MOST_ITEMS} more changes: --json", style="dim")
    for flip in found.flips[:MOST_FLIPS]:
        touched = ", ".join(f"change {at + 1}" for at in flip.suspects[:2])
        out.say(
            "  {} [bold]{}[/bold] {} → {}{}", flip.change, flip.golden, flip.before, flip.after,
            f"  touched by {touched}" if touched else "",
        )  # fmt: skip
        out.print(
            f"    before: {'; '.join(flip.calls_before) or 'no call'}"[:LONGEST], style="dim", soft_wrap=True
        )
        out.print(
            f"    after:  {'; '.join(flip.calls_after) or 'no call'}"[:LONGEST], style="dim", soft_wrap=True
        )
    if len(found.flips) > MOST_FLIPS:
        out.print(f"  … {len(found.flips) - MOST_FLIPS} more: --json", style="dim")


def _item(out: Screen, number: int, item: ChangeItem) -> None:
    out.say("  {}. {}: {}", number, item.place, item.what, soft_wrap=True)
    if item.before is not None:
        out.print(f"     - {_text(item.before)}", style="red", soft_wrap=True)
    if item.after is not None:
        out.print(f"     + {_text(item.after)}", style="green", soft_wrap=True)


def _text(value: Any) -> str:
    return str(value)[:LONGEST]
