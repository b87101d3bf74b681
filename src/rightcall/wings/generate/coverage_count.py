"""How much of a set of tools the goldens cover: tools, parameters, choices, kinds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rightcall.model.expected_call import ExpectedCall
from rightcall.model.golden import AnyGolden, Golden, category_of
from rightcall.model.record import Record
from rightcall.model.tool import Tool
from rightcall.wings.generate.values import choices_of


class SynthesisCoverage(Record, frozen=True):
    """How often each tool is expected, and what no golden expects, as `tool.parameter` or `tool.parameter=choice`."""

    goldens: int
    calls_by_tool: dict[str, int]
    categories: dict[str, int]
    kinds: dict[str, int]
    parameters: int
    parameters_covered: int
    choices: int
    choices_covered: int
    untested: tuple[str, ...]


def coverage(goldens: Iterable[AnyGolden], tools: Mapping[str, Tool]) -> SynthesisCoverage:
    """Counts expected calls; a golden without any covers no tool."""
    calls: Counter[str] = Counter()
    categories: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    seen: set[str] = set()
    for golden in goldens:
        categories[category_of(golden)] += 1
        kinds.update(_kinds(golden))
        for call in _calls(golden):
            if isinstance(call.tool, str):
                calls[call.tool] += 1
                seen.update(_places(call))
    choices_by_place = {
        f"{name}.{p}": choices_of(tool, p) for name, tool in tools.items() for p in tool.parameters
    }
    choices = [
        f"{place}={choice}" for place, place_choices in choices_by_place.items() for choice in place_choices
    ]
    untested = [name for name in tools if not calls[name]]
    untested += [place for place in choices_by_place if place not in seen and calls[place.partition(".")[0]]]
    untested += [place for place in choices if place not in seen and place.partition("=")[0] in seen]
    return SynthesisCoverage(
        goldens=sum(categories.values()),
        calls_by_tool={name: calls[name] for name in tools},
        categories=dict(categories),
        kinds=dict(kinds),
        parameters=len(choices_by_place),
        parameters_covered=sum(place in seen for place in choices_by_place),
        choices=len(choices),
        choices_covered=sum(place in seen for place in choices),
        untested=tuple(untested),
    )


def _kinds(golden: AnyGolden) -> list[str]:
    provenance = golden.metadata.get("generated")
    plan = provenance.get("plan") if isinstance(provenance, dict) else None
    return [plan] if isinstance(plan, str) else plan if isinstance(plan, list) else []


def _calls(golden: AnyGolden) -> Iterator[ExpectedCall]:
    yield from golden.expected_calls
    if not isinstance(golden, Golden):
        for turn in golden.turns:
            yield from turn.expected_calls or ()


def _places(call: ExpectedCall) -> Iterator[str]:
    for name, spec in (call.args or {}).items():
        yield f"{call.tool}.{name}"
        value: Any = spec.get("exact", spec.get("text")) if isinstance(spec, dict) else spec
        if isinstance(value, str | int | float):
            yield f"{call.tool}.{name}={value}"
