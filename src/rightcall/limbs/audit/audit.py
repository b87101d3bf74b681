"""Audits a dataset: plants bugs in right behaviour and counts which of them its goldens notice."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

import msgspec

from rightcall.core.errors import InputError
from rightcall.limbs.audit.mutation import mutants_of
from rightcall.limbs.audit.proposals import Proposer
from rightcall.limbs.audit.result import AuditResult, Catch, NotAudited, Survivor, survivors_of
from rightcall.limbs.audit.scene import HARMS, Mutant, Scene, SeenValues
from rightcall.metrics.value_sources import words_of
from rightcall.records.golden import AnyGolden
from rightcall.run.rehearsal.known_good import Known, KnownBehaviour, make_trajectory, nothing_known
from rightcall.run.rehearsal.toolset import Toolsets
from rightcall.run.rehearsal.trial import Judgement, NoWorld, Trial, same_outcome
from rightcall.run.rehearsal.values import NoValue
from rightcall.stats.clusters import estimate, sample

ADDING = ("repeat_call", "extra_call", "extra_turn")
"""Operators whose call may be refused by a world."""

MOST_GOOD = 5
"""Known good trajectories of a golden that mutants are made from."""


@dataclass(frozen=True)
class AuditPlan:
    """What to audit with: operators, mutants that the user calls harmless, the seed of choices, the system prompt."""

    operators: Sequence[str]
    equivalent: Collection[str] = ()
    seed: str = ""
    system: str = ""
    needs_content: bool = False


class AuditListener:
    """Gets of every golden what survived and its tightened form."""

    def on_golden(
        self, golden: AnyGolden, survivors: Sequence[tuple[Survivor, Mutant]], tightened: AnyGolden | None
    ) -> None:
        """A golden was audited; each survivor comes with one of its mutants."""


@dataclass
class Auditor:
    """Audits goldens one at a time; `result` has the totals. Only survivors are kept of a golden."""

    trial: Trial
    plan: AuditPlan
    known: Known = nothing_known
    listeners: Sequence[AuditListener] = ()

    def __post_init__(self) -> None:
        self._toolsets = Toolsets()
        self._values = SeenValues()
        self._survivors: list[Survivor] = []
        self._not_audited: list[NotAudited] = []
        self._cannot_be_met: list[NotAudited] = []
        self._not_judged: Counter[str] = Counter()
        self._by_operator = defaultdict[str, Catch](Catch)
        self._sure = Catch()
        self._shares: list[tuple[str, list[float]]] = []
        self._goldens = self._audited = self._equivalent = 0

    async def learn(self, goldens: Iterable[tuple[str, AnyGolden]]) -> None:
        """Read the values of parameters in the dataset, from which wrong values are taken."""
        for _, golden in goldens:
            try:
                expected_behaviour = await make_trajectory(golden, self.trial.tools_of(golden), stated=True)
                self._values.add(expected_behaviour.calls)
            except (NoValue, InputError):
                continue

    async def scene_of(self, golden: AnyGolden) -> tuple[Scene | None, list[KnownBehaviour]]:
        """What mutants of a golden are made from, and all right behaviour; None when none is known."""
        good = await self._right_behaviour(golden)
        if not good:
            return None, good
        toolset = self._toolsets.of(self.trial.tools_of(golden))
        one_of_each = {behaviour.agent: behaviour.trajectory for behaviour in reversed(good)}
        trajectories = list(one_of_each.values())[::-1][:MOST_GOOD]
        words = words_of(golden, self.plan.system)
        scene = Scene(
            golden, toolset, words, trajectories, values=self._values, seed=self.plan.seed,
            needs_content=self.plan.needs_content, is_made=not any(behaviour.agent for behaviour in good),
        )  # fmt: skip
        return scene, good

    def mutants(self, scene: Scene) -> list[Mutant]:
        """The bugs that are planted in a golden."""
        return mutants_of(scene, self.plan.operators)

    async def audit(self, where: str, golden: AnyGolden) -> None:
        """Make and score the mutants of one golden."""
        self._goldens += 1
        scene, good = await self.scene_of(golden)
        if scene is None:
            return
        self._audited += 1
        survived = [mutant async for mutant in self._passing_mutants(scene)]
        if survived:
            groups = survivors_of(survived, where)
            survivors, tightened = await Proposer(self.trial, scene, good).propose(groups)
            self._survivors += survivors
            shown = [(answered, mutants[0]) for answered, (_, mutants) in zip(survivors, groups, strict=True)]
            for listener in self.listeners:
                listener.on_golden(golden, shown, tightened)

    async def _passing_mutants(self, scene: Scene) -> AsyncIterator[Mutant]:
        """The mutants that pass; every mutant is counted."""
        caught: list[float] = []
        for planted in self.mutants(scene):
            if planted.id in self.plan.equivalent:
                self._equivalent += 1
                continue
            mutant, judgement, why = await self.judge(scene, planted)
            if judgement == "not_judged":
                if why:
                    self._not_judged[why] += 1
                continue
            self._count(mutant, judgement == "failed")
            caught.append(float(judgement == "failed"))
            if judgement == "passed":
                yield mutant
        if caught:
            self._shares.append((scene.golden.cluster or scene.golden.id, caught))

    async def judge(self, scene: Scene, mutant: Mutant) -> tuple[Mutant, Judgement, str]:
        """The mutant as it went in its world; one without an effect there is no bug, and not judged for no reason."""
        good = scene.good[mutant.origin]
        try:
            played = await self.trial.play(scene.golden, mutant.trajectory, good)
        except NoWorld as problem:
            return mutant, "not_judged", str(problem)
        mutant = msgspec.structs.replace(mutant, trajectory=played)
        if mutant.operator in ADDING and played.state is not None and same_outcome(played, good):
            return mutant, "not_judged", ""
        judgement, why = await self.trial.judge(scene.golden, played)
        return mutant, judgement, why

    def _count(self, mutant: Mutant, caught: bool) -> None:
        self._sure = self._sure.plus(caught)
        self._by_operator[mutant.operator] = self._by_operator[mutant.operator].plus(caught)

    async def _right_behaviour(self, golden: AnyGolden) -> list[KnownBehaviour]:
        """Right behaviour, each of which passes the golden; else the golden is listed with the reason."""
        stored = await self._stored_behaviour(golden)
        if stored:
            return stored
        try:
            expected_behaviour = await make_trajectory(
                golden, self.trial.tools_of(golden), self.trial.toolbox
            )
        except (NoValue, InputError) as problem:
            self._not_audited.append(NotAudited(golden.id, str(problem)))
            return []
        judgement, why = await self.trial.judge_computed(golden, expected_behaviour)
        if judgement == "passed":
            return [KnownBehaviour("", expected_behaviour)]
        if judgement == "not_judged":
            self._not_audited.append(NotAudited(golden.id, why))
        else:
            self._cannot_be_met.append(NotAudited(golden.id, f"even what it expects does not pass: {why}"))
        return []

    async def _stored_behaviour(self, golden: AnyGolden) -> list[KnownBehaviour]:
        """Stored behaviour that passes, of every agent and trial."""
        behaviours: list[KnownBehaviour] = []
        for behaviour in self.known(golden):
            judgement, _ = await self.trial.judge_computed(golden, behaviour.trajectory)
            if judgement == "passed":
                behaviours.append(behaviour)
        return behaviours

    def result(self) -> AuditResult:
        """Everything that was found, the most harmful survivors first."""
        by_cluster = sorted(self._shares)
        shares = [caught for _, caught in by_cluster]
        clusters = [name for name, _ in by_cluster]
        rate = estimate(sample(shares, clusters, list(map(len, shares)))) if shares else None
        by_id = attrgetter("golden_id", "why")
        return AuditResult(
            goldens=self._goldens,
            audited=self._audited,
            sure=self._sure,
            rate=self._sure.rate,
            low=rate.low if rate else 0.0,
            high=rate.high if rate else 1.0,
            not_judged=dict(sorted(self._not_judged.items())),
            by_operator=dict(sorted(self._by_operator.items())),
            survivors=tuple(sorted(self._survivors, key=_harm_first)),
            not_audited=tuple(sorted(self._not_audited, key=by_id)),
            cannot_be_met=tuple(sorted(self._cannot_be_met, key=by_id)),
            equivalent=self._equivalent,
            without_tools=not self.trial.tools,
            seed=self.plan.seed,
        )


def _harm_first(survivor: Survivor) -> tuple[int, str, str]:
    return HARMS.index(survivor.harm), survivor.golden_id, survivor.id
