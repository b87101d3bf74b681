"""Goldens of one template as units of a decision: named when nobody declared them, used with `cluster: auto`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import overload

import msgspec

from rightcall.decide.baseline import Baseline
from rightcall.decide.config import Gate
from rightcall.decide.early_stop import Stopped
from rightcall.decide.floor_rule import NO_FLOOR, FloorEvidence
from rightcall.decide.judged_evidence import JudgedEvidence
from rightcall.decide.outcome import Outcome
from rightcall.decide.verdict import Verdict, decide
from rightcall.model.golden import AnyGolden
from rightcall.model.worst_case import WorstCaseNumbers
from rightcall.run.request_templates import TemplateGroup, template_clusters, template_groups, template_notice

MOST_SEARCHED = 100_000
"""Goldens among which templates are searched for a notice; `cluster: auto` looks at all of them."""


def undeclared_templates(gate: Gate, goldens: Iterable[AnyGolden]) -> list[TemplateGroup]:
    """Goldens that look like templates; none when the gate does not count on their independence."""
    if not gate.generalizes or gate.cluster == "auto":
        return []
    return template_groups(islice(goldens, MOST_SEARCHED))


class _ClusteredOutcomes(Sequence[Outcome]):
    """Outcomes with clusters, made each time they are read: there may be a million of them."""

    def __init__(self, outcomes: Sequence[Outcome], clusters: Mapping[str, str]) -> None:
        self._outcomes, self._clusters = outcomes, clusters

    def __len__(self) -> int:
        return len(self._outcomes)

    @overload
    def __getitem__(self, at: int) -> Outcome: ...
    @overload
    def __getitem__(self, at: slice) -> list[Outcome]: ...
    def __getitem__(self, at: int | slice) -> Outcome | list[Outcome]:
        if isinstance(at, slice):
            return [self._with_cluster(outcome) for outcome in self._outcomes[at]]
        return self._with_cluster(self._outcomes[at])

    def __iter__(self) -> Iterator[Outcome]:
        return map(self._with_cluster, self._outcomes)

    def _with_cluster(self, outcome: Outcome) -> Outcome:
        if outcome.cluster is not None or (cluster := self._clusters.get(outcome.golden_id)) is None:
            return outcome
        return msgspec.structs.replace(outcome, cluster=cluster)


def in_clusters(outcomes: Sequence[Outcome], clusters: Mapping[str, str]) -> Sequence[Outcome]:
    """The outcomes, each with the cluster found for its golden unless it declares one; none is kept."""
    return _ClusteredOutcomes(outcomes, clusters) if clusters else outcomes


def decide_with_templates(
    gate: Gate,
    outcomes: Sequence[Outcome],
    groups: Sequence[TemplateGroup],
    *,
    baseline: Baseline | None = None,
    stopped: Stopped | None = None,
    floor: FloorEvidence = NO_FLOOR,
    judged: JudgedEvidence | None = None,
    worst_case: WorstCaseNumbers | None = None,
) -> Verdict:
    """The verdict of a gate, with a notice about templates nobody declared and what it would be with them as units.

    The clusters of `cluster: auto` are already those of the outcomes.
    """
    look = partial(decide, gate, baseline=baseline, floor=floor, judged=judged, worst_case=worst_case)
    verdict = look(outcomes, stopped=stopped)
    notice = template_notice(groups) if gate.cluster == "declared" else ""
    if not notice:
        return verdict
    if verdict.word == "PASS" and stopped is None:
        clustered = in_clusters(outcomes, template_clusters(groups))
        if (word := look(clustered).word) != "PASS":
            notice += f"; with one unit per template the verdict is {word}"
    return msgspec.structs.replace(verdict, notes=(*verdict.notes, notice))
