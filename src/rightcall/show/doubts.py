"""Goldens that are probably wrong, in the terminal and as Markdown: by band, with what speaks against each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rightcall.core.codec import describe_value, encode_as
from rightcall.core.text import first_names, percent, pluralize, shorten
from rightcall.improve.doubt import BANDS, PRECISION, Band, Doubt, smallest_change
from rightcall.show.markdown import code, markdown_table
from rightcall.show.screen import Screen

BAND_TITLES: dict[Band, str] = {
    "certain": "certainly wrong",
    "likely": "likely wrong",
}
COLORS: dict[Band, str] = {"certain": "red", "likely": "yellow"}
MOST_SHOWN = 10


def doubts_headline(doubts: Sequence[Doubt]) -> str:
    """How many goldens are probably wrong, and which; empty without doubts."""
    ids = list(dict.fromkeys(doubt.golden_id for doubt in doubts))
    if not ids:
        return ""
    titles = {doubt.golden_id: doubt.title for doubt in reversed(doubts)}
    named = first_names([f"{golden_id} ({titles[golden_id]})" for golden_id in ids], 3)
    verb = "is" if len(ids) == 1 else "are"
    return f"{pluralize(len(ids), 'golden')} {verb} probably wrong: {named}."


def band_line(band: Band) -> str:
    """The band with its measured precision, as a sentence."""
    if band == "certain":
        return "certainly wrong: shown by running it"
    share = percent(PRECISION[band], 0)
    return f"{BAND_TITLES[band]}: about {share} of such doubts were right, measured with simulated agents"


def print_doubts(out: Screen, doubts: Sequence[Doubt], *, every: bool = False) -> None:
    """Print doubts by band; more than ten of a band with `every`."""
    if not doubts:
        return
    out.print(doubts_headline(doubts), style="bold", soft_wrap=True)
    for band in BANDS:
        group = [doubt for doubt in doubts if doubt.band == band]
        if not group:
            continue
        out.print(band_line(band), style="dim", soft_wrap=True)
        color = COLORS[band]
        by_golden: dict[str, list[Doubt]] = {}
        for doubt in group:
            by_golden.setdefault(doubt.golden_id, []).append(doubt)
        shown = list(by_golden.items())
        for golden_id, reasons in shown[: len(shown) if every else MOST_SHOWN]:
            for number, doubt in enumerate(reasons):
                name = "" if number else golden_id
                template = f"[bold {color}]{{}}[/bold {color}]  {{}}: {{}}"
                out.say(template, name, doubt.title, doubt.sentence, soft_wrap=True)
            for line in details(reasons):
                out.print(f"    {line}", soft_wrap=True)
        if len(shown) > MOST_SHOWN and not every:
            out.print(f"… and {len(shown) - MOST_SHOWN:,} more: --all", style="dim")


def details(doubts: Sequence[Doubt]) -> Iterator[str]:
    """What speaks against a golden, and the change that is proposed; each line once."""
    lines = dict.fromkeys(line for doubt in doubts for line in doubt.evidence)
    yield from lines
    agents = next((doubt.agents for doubt in doubts if doubt.agents), ())
    if agents:
        yield f"agents: {first_names(list(agents), 5)}"
    for edit in smallest_change(doubts):
        yield f"{edit.path}: {value_json(edit.after)}"


def doubts_markdown(doubts: Sequence[Doubt]) -> list[str]:
    """The same as lines of Markdown, with every doubt."""
    if not doubts:
        return []
    lines = ["## Goldens that are probably wrong", "", code(doubts_headline(doubts), 1000), ""]
    for band in BANDS:
        if group := [doubt for doubt in doubts if doubt.band == band]:
            lines += [f"{band_line(band)}.", ""]
            lines += markdown_table(("golden", "why", "what could change"), map(_markdown_cells, group))
    return lines


def _markdown_cells(doubt: Doubt) -> tuple[str, str, str]:
    change = "<br>".join(code(f"{edit.path}: {value_json(edit.after)}") for edit in doubt.change)
    return code(doubt.golden_id, 80), f"{doubt.title}: {code(doubt.sentence, 400)}", change


def value_json(value: Any) -> str:
    return shorten(encode_as(value, describe_value).decode(), 200)
