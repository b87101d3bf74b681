"""The rules of labels: which are about a run's cases, what several people say together, and who labels what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Literal, NamedTuple

from rightcall.core.digest import hex_digest
from rightcall.records.label import SETTLED, Label, LabelWord

CaseWord = Literal["pass", "fail", "unsure", "disputed"]
OVERLAP = 0.2
"""Share of the cases that two people both label, so that their agreement can be measured."""


class Target(NamedTuple):
    """What a label must be about to belong to a case: the hashes of its material and of its rule."""

    material: str
    rule: str


class CaseLabels(NamedTuple):
    """The current answers about one case, one a labeller, and the one that settled it, if any."""

    answers: tuple[Label, ...]
    settlement: Label | None = None

    @property
    def word(self) -> CaseWord:
        """What people say together: the settlement, else the majority of verdicts; unsure when nobody gave one."""
        if self.settlement is not None:
            return self.settlement.label
        votes = Counter(answer.label for answer in self.answers if answer.label != "unsure")
        if not votes:
            return "unsure"
        passed = votes["pass"]
        failed = votes["fail"]
        return "disputed" if passed == failed else "pass" if passed > failed else "fail"

    @property
    def blind(self) -> bool:
        """Whether nobody had seen the judge's verdict: only then the case may rate the judge."""
        decisive = [self.settlement] if self.settlement is not None else list(self.answers)
        return not any(answer.saw_judge for answer in decisive)

    @property
    def all(self) -> tuple[Label, ...]:
        return (*self.answers, self.settlement) if self.settlement is not None else self.answers


class RunLabels(NamedTuple):
    """The labels of a metric as seen from a run: by case, and those that are about something else.

    Cases that look the same share their answers; `by_case` has the labels by the very case that was asked about, also
    replaced ones. `stale` are about a case of the run and another rule; `other` are about other cases.
    """

    cases: dict[str, CaseLabels]
    by_case: dict[str, list[Label]]
    by_target: dict[Target, list[Label]]
    stale: list[Label]
    other: list[Label]

    @property
    def everything(self) -> list[Label]:
        """Every label of the metric, replaced ones and those about something else too."""
        current = list(chain.from_iterable(self.by_target.values()))
        return [*current, *self.stale, *self.other]

    def with_word(self, *words: CaseWord) -> list[str]:
        """The cases of which people say one of these words."""
        return [case for case, labels in self.cases.items() if labels.word in words]

    @property
    def labellers(self) -> list[str]:
        """Everyone who answered, most answers first."""
        answers = Counter(answer.by for labels in self.cases.values() for answer in labels.answers)
        return [name for name, _ in answers.most_common()]

    def verdicts_of(self, labeller: str) -> dict[str, bool | None]:
        """The answers of one person, by case: passed or not, None for unsure."""
        return {
            case: verdict_of(answer.label)
            for case, labels in self.cases.items()
            for answer in labels.answers
            if answer.by == labeller
        }

    def cases_of(self, labeller: str) -> set[str]:
        """The cases that this person was asked about and answered."""
        return {case for case, rows in self.by_case.items() if any(row.by == labeller for row in rows)}

    def plan_labels(self, population: str, judge: str) -> dict[str, Label]:
        """The labelled cases that a plan drew from these, at random or by this judge, each with a label of the plan."""
        return {
            case: row
            for case, rows in self.by_case.items()
            for row in rows
            if plan_kind(row, population, judge) in ("random", "chosen")
        }


def verdict_of(word: LabelWord | CaseWord) -> bool | None:
    """Whether a label passes its case; None when it says neither."""
    return word == "pass" if word in ("pass", "fail") else None


def run_labels(targets: Mapping[str, Target], labels: Iterable[Label]) -> RunLabels:
    """Sort labels by what they are about; of several answers of one person the latest counts."""
    by_target: dict[Target, list[str]] = {}
    for case, target in targets.items():
        by_target.setdefault(target, []).append(case)
    materials = {target.material for target in targets.values()}
    current: dict[Target, list[Label]] = {}
    by_case: dict[str, list[Label]] = {}
    stale: list[Label] = []
    other: list[Label] = []
    for label in labels:
        target = Target(label.material, label.rule)
        if target in by_target:
            current.setdefault(target, []).append(label)
            if targets.get(label.case.id) == target:
                by_case.setdefault(label.case.id, []).append(label)
        else:
            (stale if label.material in materials else other).append(label)
    cases = {case: case_labels(answers) for target, answers in current.items() for case in by_target[target]}
    return RunLabels(
        {case: cases[case] for case in targets if case in cases}, by_case, current, stale, other=other
    )


def case_labels(labels: Sequence[Label]) -> CaseLabels:
    """The answers about one case: the latest of every person, and the latest settlement."""
    ordered = sorted(labels, key=lambda label: label.at)  # stable: equal times stay in the order of the file
    latest = {label.by: label for label in ordered if label.plan != SETTLED}
    settlements = [label for label in ordered if label.plan == SETTLED]
    return CaseLabels(tuple(latest.values()), settlements[-1] if settlements else None)


def population_name(targets: Mapping[str, Target]) -> str:
    """A name for the cases that a plan draws from: labels drawn from others say nothing about their rate."""
    parts = sorted(f"{case}\0{target.material}" for case, target in targets.items())
    return hex_digest("\n".join(parts), 12)


def plan_name(kind: Literal["random", "chosen"], population: str, judge: str = "") -> str:
    """How cases were drawn: at random, or by the answers of a judge."""
    return f"random/{population}" if kind == "random" else f"chosen/{population}/{judge}"


def plan_kind(
    label: Label, population: str, judge: str
) -> Literal["random", "chosen", "by another judge", ""]:
    """How the case of a label was drawn from these cases; "" when it was not."""
    if label.plan == plan_name("random", population):
        return "random"
    if label.plan == plan_name("chosen", population, judge):
        return "chosen"
    return "by another judge" if label.plan.startswith(f"chosen/{population}/") else ""


class Assignment(NamedTuple):
    """Who labels what: `people` share the cases out, a share of `overlap` goes to all of them.

    Without people a case that someone else has labelled is done, except those of the overlap.
    """

    by: str
    overlap: float | None = None
    people: tuple[str, ...] = ()

    def open_cases(self, order: Sequence[str], labelling: RunLabels) -> list[str]:
        """The cases that this person still has to label, disputed ones first."""
        disputed = set(labelling.with_word("disputed"))
        return sorted(self._mine(order, labelling, disputed), key=lambda case: case not in disputed)

    def _mine(self, order: Sequence[str], labelling: RunLabels, disputed: set[str]) -> list[str]:
        others = [name for name in labelling.labellers if name != self.by]
        share = self.overlap if self.overlap is not None else OVERLAP if others or self.people else 0.0
        answered = labelling.cases_of(self.by)
        dealt = 0
        mine = []
        for place, case in enumerate(order):
            shared = int((place + 1) * share + 1e-9) > int(place * share + 1e-9)
            dealt_to = self.people[dealt % len(self.people)] if self.people else ""
            dealt += not shared
            if case in answered:
                continue
            open_to_me = dealt_to == self.by if self.people else case not in labelling.by_case
            if case in disputed or shared or open_to_me:
                mine.append(case)
        return mine
