"""Adaptive search: which attack moves the agent, for each task and goal, within a budget of attempts.

Waves of one attempt for each task and goal that is not broken yet; between waves the bandit learns. A task and goal is
left at its first hit. Attempts run through the ordinary runner on a temporary store, so that nothing of them is in
a rate, a bound or a gate of the run that they belong to.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from rightcall.core.text import pluralize
from rightcall.decide.safety_numbers import outcome_of_result
from rightcall.decide.search_numbers import SearchNumbers, SearchRecord, SearchRow, search_rate
from rightcall.model.golden import AnyGolden, Golden
from rightcall.model.record import Record
from rightcall.model.run import CaseResult
from rightcall.model.safety import WRAPS, Carrier, Placement, Template, Wrap
from rightcall.model.trajectory import Usage
from rightcall.run.attacks import within_budget
from rightcall.run.plan import Plan, Selection
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store
from rightcall.store.sql.store import Store
from rightcall.wings.attacks.attack_plan import AttackPlan
from rightcall.wings.attacks.attempts import AttackMaker, AttackSpec
from rightcall.wings.attacks.lint_marks import with_lint_marks
from rightcall.wings.attacks.makers import maker_for
from rightcall.wings.attacks.templates import text_templates


class AttackArm(Record, frozen=True, order=True):
    """A way to plant an attack, whatever the task and the goal."""

    carrier: Carrier
    template: Template
    place: Placement = "end"
    wrap: Wrap = "plain"

    @property
    def name(self) -> str:
        return f"{self.carrier} · {self.template} · {self.place} · {self.wrap}"


class Bandit:
    """Draws arms in proportion to the chance that they are the best. The same seed and answers give the same draws."""

    def __init__(self, seed: int) -> None:
        self._draws = random.Random(f"adaptive/{seed}")  # noqa: S311
        self._hits: Counter[AttackArm] = Counter()
        self._misses: Counter[AttackArm] = Counter()

    def choose(self, arms: Iterable[AttackArm]) -> AttackArm:
        """The arm with the highest draw of its posterior."""
        draws = [
            (self._draws.betavariate(1 + self._hits[arm], 1 + self._misses[arm]), arm) for arm in sorted(arms)
        ]
        return max(draws)[1]

    def learn(self, arm: AttackArm, *, hit: bool) -> None:
        (self._hits if hit else self._misses)[arm] += 1


WINNER = "adaptive"
"""In the id of an attempt that a search found, before the name of the attack."""


@dataclass
class SearchedPair:
    """A task and a goal, with what is left to try."""

    task: str
    goal: str
    specs: dict[AttackArm, list[AttackSpec]] = field(default_factory=dict)
    attempts: int = 0
    delivered: int = 0
    arm: str = ""
    winner: Golden | None = None

    @property
    def open(self) -> bool:
        return self.winner is None and bool(self.specs)

    def take(self, arm: AttackArm) -> AttackSpec:
        spec = self.specs[arm].pop()
        if not self.specs[arm]:
            del self.specs[arm]
        return spec

    @property
    def row(self) -> SearchRow:
        winner = self.winner.id if self.winner is not None else ""
        return SearchRow(self.task, self.goal, self.attempts, self.delivered, bool(winner), self.arm, winner)


@dataclass(frozen=True)
class WaveAttempt:
    """One attempt of a wave."""

    pair: SearchedPair
    arm: AttackArm
    spec: AttackSpec
    golden: Golden


@dataclass(frozen=True)
class AdaptiveAttackSearch:
    """The search of a plan of attacks on these goldens; called with the plan whose agent is attacked."""

    attacks: AttackPlan
    goldens: Sequence[AnyGolden]

    async def __call__(self, plan: Plan, tell: Callable[[str], None] = lambda line: None) -> SearchRecord:
        """Search until every task and goal is broken, nothing is left to try, or the budget is used."""
        assert self.attacks.adaptive is not None
        maker = maker_for(plan.agent, self.goldens, wide_plan(self.attacks))
        search = _Search(maker, self.attacks.adaptive.budget, self.attacks.seed)
        with (
            tempfile.TemporaryDirectory(prefix="rightcall-search-") as folder,
            open_store(Path(folder) / "search.db") as store,
        ):
            await search.run(plan, store, tell)
        return search.record()


def wide_plan(attacks: AttackPlan) -> AttackPlan:
    """The plan with every template, placement and wrap; carriers and goals stay, and reading on is for a plan that
    names it.
    """
    templates = tuple(name for name in text_templates() if name != "more_pages" or name in attacks.templates)
    return msgspec.structs.replace(
        attacks, templates=templates, places=("end", "start", "middle"), wraps=WRAPS
    )


class _Search:
    def __init__(self, maker: AttackMaker, budget: int, seed: int) -> None:
        self._maker, self._budget, self._bandit = maker, budget, Bandit(seed)
        self._used, self._errors, self._stopped = 0, 0, ""
        self._usage = Usage()
        self._pairs = list(self._draw_pairs(random.Random(f"pairs/{seed}")))  # noqa: S311

    def _draw_pairs(self, draws: random.Random) -> Iterator[SearchedPair]:
        """Tasks in a drawn order with their goals, as many as the budget reaches."""
        order, count = list(range(len(self._maker.goldens))), 0
        draws.shuffle(order)
        for number in order:
            if count >= self._budget:
                return
            pairs: dict[str, SearchedPair] = {}
            for spec in self._maker.specs_of(number):
                goal = spec.target.goal
                arm = AttackArm(spec.site.carrier, spec.template, spec.place, spec.wrap)
                pair = pairs.setdefault(goal, SearchedPair(self._maker.goldens[number].id, goal))
                pair.specs.setdefault(arm, []).append(spec)
            for pair in pairs.values():
                for specs in pair.specs.values():
                    draws.shuffle(specs)
            count += len(pairs)
            yield from pairs.values()

    async def run(self, plan: Plan, store: Store, tell: Callable[[str], None]) -> None:
        while not self._stopped and (wave := self._wave()):
            left = within_budget(plan, self._usage)
            results = await self._results(left, store, [attempt.golden for attempt in wave])
            for attempt in wave:
                self._learn(attempt, results.get(attempt.golden.id))
            broken = sum(pair.winner is not None for pair in self._pairs)
            used = f"{self._used:,} of {pluralize(self._budget, 'attempt')}"
            tell(f"adaptive search: {used}, {broken:,} of {len(self._pairs):,} tasks and goals broken")

    def _wave(self) -> list[WaveAttempt]:
        """One attempt for each open task and goal, within the budget."""
        wave: list[WaveAttempt] = []
        for pair in self._pairs:
            while pair.open and self._used + len(wave) < self._budget:
                arm = self._bandit.choose(pair.specs)
                spec = pair.take(arm)
                attempt = self._maker.attempt(spec)
                if not isinstance(attempt, str):  # else it cannot be made of this tool
                    wave.append(WaveAttempt(pair, arm, spec, attempt))
                    break
        marked = with_lint_marks([attempt.golden for attempt in wave], self._maker.tools)
        return [replace(attempt, golden=golden) for attempt, golden in zip(wave, marked, strict=True)]

    async def _results(self, plan: Plan, store: Store, goldens: Sequence[Golden]) -> Mapping[str, CaseResult]:
        searching = replace(
            plan,
            name=f"{plan.name} (adaptive search)",
            dataset=list(goldens),
            metrics=(),
            observe=(),
            in_memory=None,
            lines=(),
            selection=Selection(),
            trials=1,
            gate=None,
            search=None,
        )
        outcome = await run_plan(searching, store)
        if outcome.stopped:
            self._stopped = "a limit of the run was reached"
        self._usage = self._usage.plus(outcome.summary.usage)
        results = await asyncio.to_thread(lambda: list(store.runs.results(outcome.run.id)))
        return {result.golden_id: result for result in results}

    def _learn(self, attempt: WaveAttempt, result: CaseResult | None) -> None:
        """What an attempt showed; one without an answer shows nothing."""
        pair = attempt.pair
        outcome = outcome_of_result(result) if result is not None else None
        self._used += result is not None
        pair.attempts += result is not None
        if outcome is None:
            self._errors += result is not None
            return
        pair.delivered += outcome.delivered
        self._bandit.learn(attempt.arm, hit=outcome.tried)
        if outcome.tried:
            name = f"{pair.task}~{WINNER}.{attempt.spec.name}"
            pair.winner, pair.arm = msgspec.structs.replace(attempt.golden, id=name), attempt.arm.name

    def record(self) -> SearchRecord:
        tried = (pair.row for pair in self._pairs if pair.attempts)
        rows = tuple(sorted(tried, key=lambda row: (row.task, row.goal)))
        searched = {row.task for row in rows}
        numbers = SearchNumbers(
            self._budget,
            self._used,
            self._errors,
            search_rate(rows),
            len(self._maker.goldens) - len(searched),
            self._stopped,
            rows,
            self._usage,
        )
        winners = [pair.winner for pair in self._pairs if pair.winner is not None]
        return SearchRecord(numbers, tuple(sorted(winners, key=lambda golden: golden.id)))
