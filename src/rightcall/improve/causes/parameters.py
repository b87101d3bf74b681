"""Causes in the definition of a parameter, and in what the request says about it.

`ArgumentPlace` is what all causes in parameters share: the symptoms of one, its words, and edits of its schema.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

from rightcall.core.text import percent, pluralize
from rightcall.improve.counters import ParameterStats, most_common
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, ProposedChange, Weight, codes_on, quote_values
from rightcall.improve.symptom import BadArgument
from rightcall.improve.units import states_unit

_DATE_FORM = re.compile(r"yyyy|iso[ -]?8601|\biso\b|\d{4}-\d{2}-\d{2}|rfc ?3339", re.I)


class ArgumentPlace(NamedTuple):
    """One parameter, the symptoms in which it is wrong, with their kinds, and its statistics."""

    evidence: Evidence
    tool: str
    parameter: str
    symptoms: dict[int, BadArgument]
    stats: ParameterStats
    schema: Mapping[str, Any]

    def of_kind(self, *kinds: str) -> list[int]:
        """Symptoms in which it is wrong in one of these ways."""
        return [number for number, bad in self.symptoms.items() if bad.kind in kinds]

    @property
    def described(self) -> bool:
        """Whether it has a description."""
        return bool(self.description.strip())

    @property
    def is_not_offered(self) -> bool:
        """Whether the definition of its tool is known and does not have it."""
        tool = self.evidence.by_name.get(self.tool)
        if tool is None or not self.evidence.known:
            return False
        return tool.lacks(self.parameter) or tool.input_schema.get("properties") == {}

    @property
    def description(self) -> str:
        """Its description; empty without one."""
        text = self.schema.get("description")
        return text if isinstance(text, str) else ""

    def in_calls(self, what: str, symptoms: Sequence[int]) -> str:
        """What is wrong with it, and in how many of the calls that expect it."""
        trials = self.evidence.trials_of(symptoms)
        return f"{self.parameter} of {self.tool} {what} in {trials} of {self.stats.expected} calls"

    def hypothesis(
        self,
        symptoms: Sequence[int],
        weight: Weight,
        what: str,
        advice: str,
        change: tuple[ProposedChange, ...] = (),
        rules: tuple[str, ...] = (),
        decisive: bool = False,
    ) -> Hypothesis:
        """A cause in this parameter, which can act on the goldens that expect it."""
        place = self.tool, self.parameter
        fired = codes_on(self.evidence, rules, place)
        exposed = frozenset((place,))
        return Hypothesis(
            symptoms, weight, what, advice,
            (self.tool,), (self.parameter,), change, fired, exposed, "parameter", decisive=decisive,
        )  # fmt: skip

    def change(self, key: str, after: Any) -> ProposedChange:
        """An edit of one keyword of its schema."""
        path = ("input_schema", "properties", self.parameter, key)
        return ProposedChange(self.tool, path, self.schema.get(key), after)


def places(evidence: Evidence) -> Iterator[ArgumentPlace]:
    """Every parameter with wrong values, in the order of the definitions."""
    symptoms_by_place: dict[tuple[str, str], dict[int, BadArgument]] = {}
    for number, seen in enumerate(evidence.seen):
        for bad in seen.symptom.arguments:
            symptoms_by_place.setdefault((seen.symptom.tool, bad.parameter), {})[number] = bad
    for tool, parameter in sorted(symptoms_by_place, key=lambda key: order_of(evidence, *key)):
        if parameter:
            stats = evidence.parameters[tool, parameter]
            schema = evidence.schema(tool, parameter)
            yield ArgumentPlace(
                evidence, tool, parameter, symptoms_by_place[tool, parameter], stats=stats, schema=schema
            )


def places_with(evidence: Evidence, *kinds: str) -> Iterator[tuple[ArgumentPlace, list[int]]]:
    """Every parameter that is wrong in one of these ways, with the symptoms that are."""
    return ((place, symptoms) for place in places(evidence) if (symptoms := place.of_kind(*kinds)))


def order_of(evidence: Evidence, tool: str, parameter: str) -> tuple[int, str, int, str]:
    """The position of a parameter in the definitions."""
    definition = evidence.by_name.get(tool)
    names = list(definition.parameters) if definition else []
    at = names.index(parameter) if parameter in names else len(names)
    return evidence.place.get(tool, len(evidence.place)), tool, at, parameter


def names_unit(place: ArgumentPlace) -> bool:
    """Whether name, description or schema state the unit of the value."""
    name = re.sub(r"[_\W]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", place.parameter))
    schema = place.schema
    return any(
        map(states_unit, (name, place.description, str(schema.get("unit", "")), str(schema.get("title", ""))))
    )


def names_date_form(place: ArgumentPlace) -> bool:
    """Whether the schema specifies a date format."""
    return bool(
        place.schema.get("format") or place.schema.get("pattern") or _DATE_FORM.search(place.description)
    )


def examples_of(place: ArgumentPlace) -> tuple[str, ...]:
    """Expected and actual values as evidence, most common first."""
    pairs = [pair for pair, _ in most_common(place.stats.pairs)[:2]]
    return tuple(f"expected {expected}, got {actual or 'an empty text'}" for expected, actual in pairs)


def with_sentence(text: str, addition: str) -> str:
    """A description with another clause appended."""
    text = text.rstrip()
    if not text:
        return addition[:1].upper() + addition[1:] + "."
    end = "." if text.endswith(".") else ""
    joint = ", " if addition[:1].islower() else ". "
    return f"{text.removesuffix('.')}{joint}{addition}{end}"


def parameter_renamed(evidence: Evidence) -> Iterator[Hypothesis]:
    """A parameter whose value is passed under another name."""
    for place, symptoms in places_with(evidence, "renamed"):
        names = Counter[str]()
        for number in symptoms:
            names[place.symptoms[number].instead] += evidence.seen[number].trials
        new, _ = most_common(names)[0]
        offered = evidence.by_name[place.tool].parameters if place.tool in evidence.by_name else {}
        where = f"{place.tool} offers {new} and not {place.parameter}"
        renamed = new in offered and place.parameter not in offered
        yield place.hypothesis(
            symptoms,
            Weight(0.97, *([where] if renamed else [])),
            place.in_calls(f"is passed as {new}", symptoms),
            f"Name it {place.parameter} again in {place.tool}, or write {new} in the goldens."
            if renamed
            else f"The goldens say {place.parameter} and the calls {new}: let both say the same.",
            decisive=renamed,
        )


def required_missing(evidence: Evidence) -> Iterator[Hypothesis]:
    """A required parameter that the schema does not mark as required."""
    for place, symptoms in places_with(evidence, "missing"):
        tool = evidence.by_name.get(place.tool)
        if tool is None:
            continue
        required = tool.input_schema.get("required")
        required = required if isinstance(required, list) else []
        if place.parameter in required or place.is_not_offered:
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
            decisive=always and place.stats.goldens > 1,
        )
        fired = codes_on(evidence, ("TD312", "TD314"), (place.tool, place.parameter), (place.tool, ""))
        yield replace(hypothesis, lint=fired)


def parameter_description_missing(evidence: Evidence) -> Iterator[Hypothesis]:
    """A parameter without a description."""
    for place in places(evidence):
        if place.described or not place.schema:
            continue
        symptoms = [n for n in place.symptoms if place.symptoms[n].kind not in ("extra", "renamed")] or list(
            place.symptoms
        )
        examples = [value for value in sorted(place.stats.values) if value][:2]
        kinds = ", ".join(f"{kind} {times}" for kind, times in most_common(place.stats.kinds))
        yield place.hypothesis(
            symptoms,
            Weight(0.96, "no description", f"mistakes: {kinds}"),
            f"{place.in_calls('is wrong', symptoms)}, and it has no description",
            f"Describe {place.parameter}: what it is and its format"
            + (f", with an example such as {quote_values(examples)}." if examples else "."),
            rules=("TD301",),
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
            tools=(tool,),
            parameters=(first_name, second_name),
            change=change if all(texts) else (),
            lint=(),
            exposed=frozenset(pair),
            about="parameter",
            decisive=True,
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
            f"{pluralize(len(goldens), 'request')} without the {place.parameter} that {place.tool} should get",
            f"The request of {quote_values(goldens, 3)} does not contain {place.parameter}. Add it, or expect a "
            "question instead of a call.",
        )
