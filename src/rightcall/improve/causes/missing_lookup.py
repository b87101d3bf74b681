"""A value that only another tool knows, guessed instead of looked up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from rightcall.core.words import name_tokens
from rightcall.improve.causes.arguments import ArgumentPlace, examples_of, places, with_sentence
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, codes_on
from rightcall.model.tool import Tool

_IDENTIFIER = re.compile(
    r"(?:^|_)(?:ids?|ref|reference|uuid|guid|key|code|handle|sku|number|no|slug)$|[a-z]I[dD]s?$"
)
_FINDS = frozenset(
    ("find", "search", "list", "get", "lookup", "look", "fetch", "resolve", "query", "read", "show", "browse",
     "retrieve", "check", "locate", "identify")
)  # fmt: skip
GUESSES = ("invented", "copied", "other", "foreign", "enum_neighbour")


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    for place in places(evidence):
        skipped: Counter[str] = Counter()
        symptoms = []
        for number, bad in place.symptoms.items():
            if bad.looked_up:
                skipped[evidence.seen[number].symptom.skipped] += evidence.seen[number].trials
                symptoms.append(number)
        source = min(skipped, key=lambda tool: (-skipped[tool], tool), default="") or _source(evidence, place)
        if not source:
            continue
        symptoms += [n for n in place.of_kind(*GUESSES) if n not in symptoms and not place.symptoms[n].held]
        if not symptoms:
            continue
        name, trials = place.parameter, evidence.trials_of(symptoms)
        sentence = f"as returned by {source}; call {source} first and never guess it"
        named = source in place.description
        yield Hypothesis(
            "missing_lookup",
            symptoms,
            place.exposed,
            0.6 if named else 0.95 if skipped else 0.8,
            f"{name} of {place.tool} is guessed instead of looked up with {source} in {trials} of "
            f"{place.stats.expected} calls",
            f"{place.description.rstrip('.') or name} is already said to come from {source}, and still guessed: let "
            f"{place.tool} refuse unknown values with a hint to call {source}."
            if named
            else f"Say in {name} where it comes from: {sentence}.",
            (place.tool,),
            (name,),
            (
                "no message and no earlier result contains the values that were expected",
                f"{source} is expected before it and was not called in {skipped.total()} trials"
                if skipped
                else f"{source} returns it",
                *examples_of(place),
            ),
            () if named else (place.change("description", with_sentence(place.description, sentence)),),
            codes_on(evidence, ("TD320", "TD302"), (place.tool, name)),
            about="parameter",
        )


def _source(evidence: Evidence, place: ArgumentPlace) -> str:
    """Another tool that returns the value by its definition: its results have the parameter, or it finds that thing."""
    if not _IDENTIFIER.search(place.parameter):
        return ""
    thing = [token for token in name_tokens(place.parameter) if not _IDENTIFIER.search(token)]
    for tool in evidence.tools:
        if tool.name != place.tool and place.parameter not in tool.parameters:
            if place.parameter in _result_names(tool):
                return tool.name
            tokens = name_tokens(tool.name)
            if (
                thing
                and tokens
                and tokens[0] in _FINDS
                and any(t.rstrip("s") == thing[-1].rstrip("s") for t in tokens)
            ):
                return tool.name
    return ""


def _result_names(tool: Tool) -> frozenset[str]:
    """Names of what a tool returns, in its results or in their items."""
    schema = tool.output_schema or {}
    properties = schema.get("properties")
    names: set[str] = set(properties) if isinstance(properties, dict) else set()
    for part in (
        (schema.get("items"), *(properties or {}).values()) if isinstance(properties or {}, dict) else ()
    ):
        inner = part.get("items", part) if isinstance(part, dict) else {}
        found = inner.get("properties") if isinstance(inner, dict) else None
        names |= set(found) if isinstance(found, dict) else set()
    return frozenset(names)
