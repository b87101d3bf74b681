"""Causes in the definition of a parameter, and in what the request says about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from rightcall.core.text import percent
from rightcall.improve.causes.arguments import examples_of, order_of, places, places_with
from rightcall.improve.counters import most_common
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, ProposedChange, Weight, codes_on, quote_values


def required_missing(evidence: Evidence) -> Iterator[Hypothesis]:
    """A required parameter that the schema does not mark as required."""
    for place, symptoms in places_with(evidence, "missing"):
        tool = evidence.by_name.get(place.tool)
        if tool is None:
            continue
        required = tool.input_schema.get("required")
        required = required if isinstance(required, list) else []
        if place.parameter in required:
            continue
        goldens = evidence.tool_stats[place.tool].goldens
        always = place.stats.goldens >= 0.8 * max(1, goldens)
        weight = Weight(
            0.95 if always else 0.5,
            f"{place.stats.goldens} of {goldens} goldens of {place.tool} expect it",
            "it is not in required",
        )
        change = ProposedChange(
            place.tool, ("input_schema", "required"), required, [*required, place.parameter]
        )
        hypothesis = place.hypothesis(
            symptoms,
            weight,
            place.in_calls("is left out", symptoms),
            f"Put {place.parameter} into required."
            if always
            else f"Say when {place.parameter} must be passed.",
            (change,) if always else (),
        )
        fired = codes_on(evidence, ("TD312", "TD314"), (place.tool, place.parameter), (place.tool, ""))
        yield replace(hypothesis, lint=fired)


def parameter_description_missing(evidence: Evidence) -> Iterator[Hypothesis]:
    """A parameter without a description."""
    for place in places(evidence):
        if place.described or not place.schema:
            continue
        symptoms = [n for n in place.symptoms if place.symptoms[n].kind != "extra"] or list(place.symptoms)
        examples = [value for value in sorted(place.stats.values) if value][:2]
        kinds = ", ".join(f"{kind} {times}" for kind, times in most_common(place.stats.kinds))
        yield place.hypothesis(
            symptoms,
            Weight(0.96, "no description", f"mistakes: {kinds}"),
            f"{place.in_calls('is wrong', symptoms)}, and it has no description",
            f"Describe {place.parameter}: what it is and its format"
            + (f", with an example such as {quote_values(examples)}." if examples else "."),
            rules=("TD301", "TD302", "TD110"),
        )


def parameters_swapped(evidence: Evidence) -> Iterator[Hypothesis]:
    """Two parameters with swapped values."""
    symptoms_by_pair: dict[tuple[str, str, str], list[int]] = {}
    for number, seen in enumerate(evidence.seen):
        names = [bad.parameter for bad in seen.symptom.arguments if bad.kind == "swapped"]
        tool = seen.symptom.tool
        for first_name, second_name in combinations(
            sorted(names, key=lambda name: order_of(evidence, tool, name)), 2
        ):
            symptoms_by_pair.setdefault((tool, first_name, second_name), []).append(number)
    for (tool, first_name, second_name), symptoms in symptoms_by_pair.items():
        pair = (tool, first_name), (tool, second_name)
        paths = [("input_schema", "properties", name, "description") for _, name in pair]
        texts = [str(evidence.schema(*place).get("description", "")) for place in pair]
        change = (
            ProposedChange(tool, paths[0], texts[0], texts[1]),
            ProposedChange(tool, paths[1], texts[1], texts[0]),
        )
        yield Hypothesis(
            symptoms,
            Weight(0.97, "both are wrong in the same calls, each with the value of the other"),
            f"{first_name} and {second_name} of {tool} are swapped in {evidence.trials_of(symptoms)} calls",
            f"{first_name} and {second_name} are swapped: exchange or clarify their descriptions.",
            (tool,),
            (first_name, second_name),
            change if all(texts) else (),
            codes_on(evidence, ("TD302",), *pair),
            frozenset(pair),
            "parameter",
        )


UNCLEAR = ("foreign", "invented", "copied", "enum_neighbour", "other", "missing")


def parameter_unclear(evidence: Evidence) -> Iterator[Hypothesis]:
    """A described parameter that still gets wrong values."""
    for place, symptoms in places_with(evidence, *UNCLEAR):
        wrong = sum(place.stats.kinds.values())
        telling = sum(place.stats.kinds[kind] for kind in UNCLEAR[:4])
        if not place.described or telling <= 0.6 * wrong:
            continue
        yield place.hypothesis(
            symptoms,
            Weight(0.4, *examples_of(place)),
            place.in_calls("gets another value", symptoms),
            f"Say in {place.parameter} what it is not, and give an example.",
            rules=("TD302", "TD110"),
        )


KINDS = ("missing", "invented", "enum_neighbour", "foreign", "other")


def request_lacks_information(evidence: Evidence) -> Iterator[Hypothesis]:
    """A golden that expects a value missing from its request: the golden's fault, not the agent's."""
    for place in places(evidence):
        stats = place.stats
        symptoms = [n for n in place.of_kind(*KINDS) if not place.symptoms[n].held]
        if not symptoms or place.schema.get("enum"):
            continue
        lacking = stats.lacking_wrong / max(1, stats.lacking_trials)
        held = stats.held_wrong / stats.held_trials if stats.held_trials else 0.0
        values = {actual for _, actual in stats.pairs}
        weight = Weight(
            0.5, f"{evidence.trials_of(symptoms)} failed trials whose request does not contain the value"
        )
        weight.add(0.25, stats.held_trials > 0 and lacking - held >= 0.3,
                   f"wrong in {percent(lacking, 0)} where the request lacks the value, "
                   f"in {percent(held, 0)} where not")  # fmt: skip
        weight.add(0.12, len(values) > 1 or "None" in values, "what is passed instead varies")
        weight.add(0.1, place.described, "the parameter is described")
        weight.add(-0.3, not stats.held_trials, "no request contains its value: it may be inferred")
        goldens = tuple(sorted(case.id for case in evidence.goldens_with(symptoms)))
        yield place.hypothesis(
            symptoms,
            weight,
            f"the requests of {len(goldens)} goldens do not contain the {place.parameter} that {place.tool} should get",
            f"The request of {quote_values(goldens, 3)} does not contain {place.parameter}. Add it, or expect a "
            "question instead of a call.",
        )
