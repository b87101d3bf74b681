"""A golden that expects a value missing from its request: the golden's fault, not the agent's."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.core.text import percent
from rightcall.improve.causes.arguments import places
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, Weight, quote_values

KINDS = ("missing", "invented", "enum_neighbour", "foreign", "other")


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    for place in places(evidence):
        stats = place.stats
        symptoms = [n for n in place.of_kind(*KINDS) if not place.symptoms[n].held]
        if not symptoms or place.schema.get("enum"):
            continue
        lacking = stats.lacking_wrong / max(1, stats.lacking_trials)
        held = stats.held_wrong / stats.held_trials if stats.held_trials else 0.0
        values = {actual for (_, actual), _ in stats.pairs.items()}
        weight = Weight(
            0.5, [f"{evidence.trials_of(symptoms)} failed trials whose request does not contain the value"]
        )
        weight.add(0.25, stats.held_trials > 0 and lacking - held >= 0.3,
                   f"wrong in {percent(lacking, 0)} where the request lacks the value, "
                   f"in {percent(held, 0)} where not")  # fmt: skip
        weight.add(0.12, len(values) > 1 or "None" in values, "what is passed instead varies")
        weight.add(0.1, place.described, "the parameter is described")
        weight.add(-0.3, not stats.held_trials, "no request contains its value: it may be inferred")
        goldens = tuple(sorted(case.id for case in evidence.goldens_with(symptoms)))
        yield Hypothesis(
            "request_lacks_information",
            symptoms,
            place.exposed,
            weight.value,
            f"the requests of {len(goldens)} goldens do not contain the {place.parameter} that {place.tool} should get",
            f"The request of {quote_values(goldens, 3)} does not contain {place.parameter}. Add it, or expect a "
            "question instead of a call.",
            (place.tool,),
            (place.parameter,),
            tuple(weight.reasons),
            goldens=goldens,
            about="parameter",
        )
