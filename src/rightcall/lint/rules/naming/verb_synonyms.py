"""Several verbs for one kind of action."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.effects import SYNONYMS
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Rule


def check_set(tools: SetFeatures) -> Iterator[tuple[ToolFeatures, Finding]]:
    if len(tools.tools) < 2:
        return
    for group in SYNONYMS:
        used = Counter(tool.effect.verb for tool in tools.tools if tool.effect.verb in group)
        if len(used) < 2:
            continue
        usual = max(used, key=lambda verb: (used[verb], verb))
        for tool in tools.tools:
            verb = tool.effect.verb
            if verb in group and verb != usual:
                yield (
                    tool,
                    Finding(
                        ("name",),
                        f"'{verb}' here, '{usual}' in {used[usual]} other name{'s' * (used[usual] != 1)} of the set",
                        "use one verb for one action",
                    ),
                )


RULE = Rule(
    code="TD106",
    name="verb-synonyms",
    severity="info",
    summary="The set uses several verbs for one kind of action: fetch, get, retrieve.",
    explanation="""A model expects different words to mean different things. With one verb per action it guesses
    names correctly.""",
    bad=[{"name": "get_forecast"}, {"name": "fetch_station"}, {"name": "get_storm"}],
    good=[{"name": "get_forecast"}, {"name": "get_station"}, {"name": "get_storm"}],
    sources=("ANT-eng",),
    check_set=check_set,
)
