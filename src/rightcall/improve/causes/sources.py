"""Causes in where a value comes from: another call, an error of a tool, the agent that gave the work."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain

from rightcall.core.words import name_tokens
from rightcall.improve.causes.parameters import ArgumentPlace, examples_of, places, with_sentence
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, Weight
from rightcall.improve.symptom import INCOMPLETE, RIGHT_ARGUMENTS
from rightcall.records.tool import Tool
from rightcall.schema.subschemas import properties_of

_IDENTIFIER = re.compile(
    r"(?:^|_)(?:ids?|ref|reference|uuid|guid|key|code|handle|sku|number|no|slug)$|[a-z]I[dD]s?$"
)
_FINDS = frozenset(
    ("find", "search", "list", "get", "lookup", "look", "fetch", "resolve", "query", "read", "show", "browse",
     "retrieve", "check", "locate", "identify")
)  # fmt: skip
GUESSES = ("invented", "copied", "other", "foreign", "enum_neighbour")


def missing_lookup(evidence: Evidence) -> Iterator[Hypothesis]:
    """A value that only another tool knows, guessed instead of looked up."""
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
        name = place.parameter
        sentence = f"as returned by {source}; call {source} first and never guess it"
        named = source in place.description
        weight = Weight(
            0.6 if named else 0.95 if skipped else 0.8,
            "no message and no earlier result contains the values that were expected",
            f"{source} is expected before it and was not called in {skipped.total()} trials"
            if skipped
            else f"{source} returns it",
            *examples_of(place),
        )
        yield place.hypothesis(
            symptoms,
            weight,
            place.in_calls(f"is guessed instead of looked up with {source}", symptoms),
            f"{place.description.rstrip('.') or name} is already said to come from {source}, and still guessed: let "
            f"{place.tool} refuse unknown values with a hint to call {source}."
            if named
            else f"Say in {name} where it comes from: {sentence}.",
            () if named else (place.change("description", with_sentence(place.description, sentence)),),
            decisive=bool(skipped) and not named,
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
    names = set(properties_of(schema))
    for part in (schema.get("items"), *properties_of(schema).values()):
        inner = part.get("items", part) if isinstance(part, dict) else {}
        names |= properties_of(inner).keys() if isinstance(inner, dict) else set()
    return frozenset(names)


_HINT = re.compile(r"\b(?:use|pass|must|expected|expects?|try|instead|such as|should|provide|format)\b", re.I)


def tool_breaks(evidence: Evidence) -> Iterator[Hypothesis]:
    """A tool that fails although its arguments are the expected ones."""
    for tool, symptoms in evidence.group(lambda s: s.tool if s.code == RIGHT_ARGUMENTS else None).items():
        best = min(symptoms, key=lambda n: (-evidence.seen[n].trials, evidence.seen[n].symptom.detail))
        text = evidence.seen[best].symptom.detail
        yield Hypothesis(
            symptoms,
            Weight(0.97, f"error text: {text}", "the arguments are those that the goldens expect"),
            f"{tool} fails for the right arguments in {evidence.trials_of(symptoms)} trials",
            f"Look at the code of {tool}, or at the service behind it: it returned '{text[:120]}'.",
            tools=(tool,),
            decisive=True,
        )


NO_LACK_OF_HINT = (RIGHT_ARGUMENTS, INCOMPLETE)


def error_without_hint(evidence: Evidence) -> Iterator[Hypothesis]:
    """A tool's error that does not say what to do, so the agent repeats itself or gives up."""
    errors = evidence.group(
        lambda s: s.tool if s.group == "recovery" and s.code not in NO_LACK_OF_HINT else None
    )
    for tool, of_tool in errors.items():
        symptoms = [number for number in of_tool if not has_hint(evidence, number)]
        if not symptoms:
            continue
        best = min(symptoms, key=lambda n: (-evidence.seen[n].trials, evidence.seen[n].symptom.detail))
        text = evidence.seen[best].symptom.detail[:80]
        yield Hypothesis(
            symptoms,
            Weight(0.95, f"error text: {text}", "it mentions no field, no value and no next step"),
            f"{tool} fails and is not called correctly afterwards in {evidence.trials_of(symptoms)} of "
            f"{evidence.tool_stats[tool].trials} trials",
            f"The error '{text}' does not help. Return error, detail and hint: which value was wrong, which "
            "format is expected.",
            tools=(tool,),
        )


def has_hint(evidence: Evidence, number: int) -> bool:
    """Whether the text of an error says what to do: a word of advice, a field of the tool, a value in quotes."""
    symptom = evidence.seen[number].symptom
    text = symptom.detail
    definition = evidence.by_name.get(symptom.tool)
    fields = list(definition.parameters) if definition else []
    return bool(
        _HINT.search(text)
        or any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in fields)
        or '"hint"' in text
    )


def handoff_missing_facts(evidence: Evidence) -> Iterator[Hypothesis]:
    """An agent that was not told what it needed: the request has the value, the call that gave it the work does not."""
    untold = evidence.group(lambda symptom: (symptom.untold, symptom.tool) if symptom.untold else None)
    for (agent, tool), symptoms in untold.items():
        arguments = chain.from_iterable(evidence.seen[n].symptom.arguments for n in symptoms)
        names = tuple(dict.fromkeys(argument.parameter for argument in arguments if argument.held))
        trials = evidence.trials_of(symptoms)
        what = ", ".join(names)
        yield Hypothesis(
            symptoms,
            Weight(0.9, f"the request contains the value, and the call that gave {agent} the work does not"),
            f"{agent} was not told {what} in {trials} trials, though the request has it",
            f"Let the call that gives {agent} its work carry {what}: a parameter for it, or a sentence in its "
            "description that everything the user said about it must be passed on.",
            tools=(tool,),
            parameters=names,
            exposed=None,
        )
