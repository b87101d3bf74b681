"""Skills that are mixed up, named alike, or made from one text."""

from __future__ import annotations

import re
from pathlib import Path

from rightcall.core.groups import group_by
from rightcall.core.text import first_names
from rightcall.lint.confusability.pairs import LIKELY
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Finding, SetFindings, set_rule
from rightcall.lint.rules.ambiguity.pairs import alike_by_second, confusion_text, contrast_hint

FAMILY = 20
"""Skills from which on one text with other names is a family: one finding, not one for each pair."""
_WORD = re.compile(r"\w+")


@set_rule("SK115", "warning", sources=("TSC", "SM2"))
def skill_overlap(tools: SetFeatures) -> SetFindings:
    r"""Two skills, or a skill and a tool, are easily confused by their descriptions.

    The score is that of confusable-pair: from 0.70 on an info, from 0.90 a warning. A model loads one of the two, and
    which one is chance.

    Fails: [
      {"folder": "city-forecast", "SKILL.md": "---\nname: city-forecast\ndescription: Reports the daily weather forecast of one city, one entry a day. Use when the user asks about coming days.\n---\n# Forecast\n\nAsk for the city and the number of days, then call the forecast service and report one line for each day, with its source.\n"},
      {"folder": "town-forecast", "SKILL.md": "---\nname: town-forecast\ndescription: Reports the daily weather forecast of one town, one entry a day. Use when the user asks about coming days.\n---\n# Forecast\n\nAsk for the town and the number of days, then call the forecast service and report one line for each day, with its source.\n"}
    ]
    """
    relatives = families(tools)
    strangers = (
        pair
        for pair in tools.pairs
        if (pair.first.is_skill or pair.second.is_skill)
        and relatives.get(pair.first.name, 0) != relatives.get(pair.second.name, -1)
    )
    for pairs in alike_by_second(strangers):
        worst = pairs[0]
        yield worst.second, Finding(
            ("description",), confusion_text(pairs), contrast_hint(worst),
            severity="warning" if worst.score >= LIKELY else "info",
            others=tuple(pair.first.name for pair in pairs),
        )  # fmt: skip


@set_rule("SK116", "error", sources=("SKILLS",))
def same_name(tools: SetFeatures) -> SetFindings:
    r"""Two folders below one place hold skills of one name.

    Clients load one of them, and which one depends on the client. An info if they are in different folders called
    `skills`, as copies for several clients are.

    Fails: [
      {"folder": "a/forecast"},
      {"folder": "b/forecast", "SKILL.md": "---\nname: forecast\ndescription: Tide tables of harbours. Use when the user asks when the water is high.\n---\n# Tides\n\nAsk for the harbour and the date, look up the table of that month, and report both high waters with their heights above datum.\n"}
    ]
    """
    skills = (tool for tool in tools.tools if tool.is_skill)
    for name, same in group_by(skills, lambda tool: tool.name).items():
        for at, tool in enumerate(same[1:], start=1):
            twin = next((other for other in same[:at] if _scope(other) == _scope(tool)), None)
            message = f"a skill named '{name}' is also in {(twin or same[0]).folder.path}"
            yield tool, Finding(
                ("name",), message, "rename one, with its folder", severity=None if twin else "info",
                others=(name,), line=tool.folder.text.key_lines.get("description", 1),
            )  # fmt: skip


def _scope(tool: ToolFeatures) -> Path:
    """The folder that a client searches: the nearest one above the skill that is called `skills`, or the named one."""
    above = [folder for folder in tool.folder.path.parents if folder.name == "skills"]
    return above[0] if above else tool.folder.root


def _forecasts(count: int) -> list[dict[str, str]]:
    """Skills that differ by one name only, as an example."""
    towns = [
        f"{first}{second}"
        for first in ("lo", "mi", "ra", "su", "te")
        for second in ("den", "gan", "lia", "nor")
    ]
    return [
        {"folder": f"forecast-{town}", "SKILL.md": f"---\nname: forecast-{town}\ndescription: Forecasts of {town.title()}. "
         f"Use when the user asks about coming days in {town.title()}.\n---\n# {town.title()}\n\nAsk for the number of days, "
         f"then call the forecast service of {town} and report one line for each day, with its source and its time.\n"}
        for town in towns[:count]
    ]  # fmt: skip


@set_rule("SK117", "info", bad=_forecasts(20), good=_forecasts(2), sources=("measured",))
def skill_family(tools: SetFeatures) -> SetFindings:
    """Twenty or more skills whose descriptions differ only by names.

    A generated set: it fills the catalogue in every request, and the model chooses by one word. One skill with a table of
    names does the same. Pairs inside a family are not reported one by one.
    """
    relatives = families(tools)
    members = (tool for tool in tools.tools if tool.name in relatives)
    for family in group_by(members, lambda tool: relatives[tool.name]).values():
        names = first_names([tool.name for tool in family], 3)
        message = f"{len(family)} skills differ only by names: {names}"
        yield family[0], Finding(("description",), message, "make one skill of them, with a table of names")


def families(tools: SetFeatures) -> dict[str, int]:
    """Skills by the number of their family: those with one text once the words of their names are left out."""
    if sum(tool.is_skill for tool in tools.tools) < FAMILY:
        return {}
    frames = group_by((tool for tool in tools.tools if tool.is_skill and tool.description), _frame)
    large = [family for family in frames.values() if len(family) >= FAMILY]
    return {tool.name: number for number, family in enumerate(large, start=1) for tool in family}


def _frame(tool: ToolFeatures) -> str:
    """The description without the words of the name, and without capitalized words inside sentences."""
    own = set(tool.name_tokens)
    words = _WORD.findall(tool.description)
    kept = [
        word.lower()
        for at, word in enumerate(words)
        if word.lower() not in own and not (at and word[:1].isupper())
    ]
    return " ".join(kept)
