"""The tools shown to a model after the faults of a plan: added, removed or renamed."""

from __future__ import annotations

import random
from collections.abc import Mapping

import msgspec

from rightcall.model.tool import Annotations, Tool
from rightcall.tools.definitions.function import PLAIN
from rightcall.tools.faults.plan import FaultPlan
from rightcall.tools.runtime.bound_tool import BoundTool, mock_ready

DISTRACTORS = (
    ("convert_currency", "Convert an amount of money from one currency to another.", ("amount", "to")),
    ("get_moon_phase", "Phase of the moon on a date.", ("date",)),
    ("translate_text", "Translate a text into another language.", ("text", "language")),
    ("find_recipes", "Recipes that use the given ingredients.", ("ingredients",)),
    ("get_stock_quote", "Latest price of a share.", ("symbol",)),
    ("shorten_url", "Make a short link for a long address.", ("url",)),
    ("roll_dice", "Roll dice and give the sum.", ("dice",)),
    ("lookup_word", "Dictionary entry of a word.", ("word",)),
    ("get_public_holidays", "Public holidays of a country in a year.", ("country", "year")),
    ("track_parcel", "Where a parcel is, by its tracking number.", ("tracking_number",)),
    ("resize_image", "Scale an image to a width in pixels.", ("image", "width")),
    ("check_spelling", "Spelling mistakes in a text.", ("text",)),
    ("get_tide_times", "High and low tides at a harbour.", ("harbour", "date")),
    ("suggest_name", "Names for a pet.", ("animal",)),
    ("count_calories", "Calories of a meal.", ("meal",)),
    ("get_train_times", "Departures from a station.", ("station",)),
)
"""Harmless distractor tools; each answers when called, so that a wrong call is visible."""


def entries_by_shown_name(entries: Mapping[str, BoundTool], plan: FaultPlan) -> dict[str, BoundTool]:
    """The entries by the name that the model sees."""
    shown = dict(entries)
    rng = random.Random(f"tools:{plan.seed}")  # noqa: S311
    for fault in plan.tools:
        if fault.type == "removed":
            shown.pop(fault.tool, None)
        elif fault.type == "renamed" and fault.tool in shown:
            shown = {fault.to if name == fault.tool else name: entry for name, entry in shown.items()}
        elif fault.type == "distractor":
            free = [distractor for distractor in DISTRACTORS if distractor[0] not in shown]
            chosen = rng.sample(free, min(fault.count, len(free)))
            shown |= {name: _distractor(name, words, names) for name, words, names in chosen}
    return shown


def tools_as_shown(shown: Mapping[str, BoundTool]) -> list[Tool]:
    """The tools as the model sees them."""
    return [
        entry.tool if entry.tool.name == name else msgspec.structs.replace(entry.tool, name=name)
        for name, entry in shown.items()
    ]


def _distractor(name: str, words: str, parameters: tuple[str, ...]) -> BoundTool:
    schema = {
        "type": "object",
        "properties": {parameter: {"type": "string"} for parameter in parameters},
        "required": list(parameters),
        "additionalProperties": False,
    }
    definition = Tool(name, words, schema, annotations=Annotations(read_only=True))
    ready = mock_ready(definition, None, None)
    return BoundTool(definition, PLAIN, lambda context: ready)
