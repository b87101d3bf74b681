"""Tools with the same parameters and nearly the same purpose."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.confusability.pairs import WARN
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Finding, Rule


def check_set(tools: SetFeatures) -> Iterator[tuple[ToolFeatures, Finding]]:
    groups: dict[tuple[frozenset[str], str], list[ToolFeatures]] = {}
    for tool in tools.by_name.values():
        if tool.required:
            groups.setdefault((tool.required, tool.effect.kind), []).append(tool)
    confusable = {
        frozenset((pair.first.name, pair.second.name)) for pair in tools.pairs if pair.score >= WARN
    }
    for alike in groups.values():
        for index, second in enumerate(alike):
            first = next((t for t in alike[:index] if _nearly_one_name(t, second)), None)
            if first is not None and frozenset((first.name, second.name)) not in confusable:
                finding = Finding(
                    ("name",),
                    f"has the parameters of {first.name} and a name that differs by a word",
                    "one tool with an enum?",
                    others=(first.name,),
                )
                yield second, finding


def _nearly_one_name(first: ToolFeatures, second: ToolFeatures) -> bool:
    a, b = first.name_tokens, second.name_tokens
    return len(a) == len(b) > 1 and a[0] == b[0] and sum(x != y for x, y in zip(a, b, strict=True)) == 1


RULE = Rule(
    code="TD504",
    name="same-signature",
    severity="info",
    summary="Two tools require the same parameters, have the same effect, and names that differ by a word.",
    explanation="""Often they are one tool with a choice: fewer tools are chosen more reliably. Pairs that are
    confusable anyway are reported as such.""",
    bad=[
        {},
        {
            "name": "get_pollen",
            "input_schema": {
                "properties": {
                    "latitude": None,
                    "longitude": None,
                    "limit": None,
                    "city": {"type": "string", "description": "Where allergies are asked about."},
                    "days": {"type": "integer", "description": "Length of the season wanted."},
                },
                "required": ["city", "days"],
            },
        },
    ],
    good=[{}, {}],
    sources=("TSC",),
    check_set=check_set,
)
