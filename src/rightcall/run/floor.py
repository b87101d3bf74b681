"""The floor under a pass rate: what trivial agents pass, counted golden by golden, for an audit or a gate that asks."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from rightcall.core.redaction.clean_text import scrubber
from rightcall.core.text import one_line
from rightcall.records.floor import AGENTS, Floor, FloorCount, TrivialRate
from rightcall.records.golden import AnyGolden

if TYPE_CHECKING:
    from rightcall.decide.rule_source import Facts
    from rightcall.run.evidence import TrialsDone
    from rightcall.run.trivial_agents import TrivialMarks, TrivialScorer

MOST_REASONS = 5
PAUSE = 20
"""Goldens after which an interruption is heard."""


async def floor_evidence(done: TrialsDone) -> Facts:
    """The floor of a run whose gate requires points above it. If something prevents it, the floor says what."""
    plan = done.prepared.plan
    from rightcall.run.trivial_agents import trivial_scorer

    try:
        scorer = trivial_scorer(plan, done.prepared.tools)
        floor = await compute_floor(plan.in_dataset_order(), scorer, pause=partial(asyncio.sleep, 0))
    except Exception as error:  # tools that cannot be read
        floor = Floor(skipped=one_line(scrubber()(str(error)), 200))
    return {"floor": floor}


class FloorCounts:
    """Counts what trivial agents made of goldens; of a golden nothing else is kept."""

    def __init__(self) -> None:
        self._goldens_by_marks: Counter[tuple[str, str]] = Counter()
        self._why: Counter[str] = Counter()

    def add(self, marks: TrivialMarks) -> None:
        self._goldens_by_marks[marks.category, marks.letters] += 1
        if "-" in marks.letters:
            why = one_line(scrubber()(marks.why_not_judged), 200)
            self._why[why if why in self._why or len(self._why) < MOST_REASONS else "other reasons"] += 1

    def floor(self) -> Floor:
        """The rates so far."""
        rates = {agent: self._rate(place) for place, agent in enumerate(AGENTS)}
        shares = {agent: rate.share for agent, rate in rates.items() if rate.share is not None}
        best = max(shares, key=lambda agent: shares[agent], default=None)
        return Floor(
            nothing=shares.get("nothing"),
            best=None if best is None else shares[best],
            best_name=best or "",
            agents={str(agent): rate for agent, rate in rates.items()} if best else {},
            goldens=self._goldens_by_marks.total(),
            left_out=sum(n for (_, letters), n in self._goldens_by_marks.items() if "-" in letters),
            why_left_out=dict(sorted(self._why.items())),
            skipped="" if best else self._nothing_judged(),
        )

    def _rate(self, place: int) -> TrivialRate:
        """What the agent at this place of the marks passes."""
        judged = Counter[str]()
        passed = Counter[str]()
        for (category, letters), goldens in self._goldens_by_marks.items():
            judged[category] += goldens * (letters[place] != "-")
            passed[category] += goldens * (letters[place] == "1")
        categories = {name: FloorCount(passed[name], judged[name]) for name in sorted(judged) if judged[name]}
        return TrivialRate(passed.total(), judged.total(), categories)

    def _nothing_judged(self) -> str:
        if not self._goldens_by_marks:
            return "no golden states a check"
        return f"no golden could be judged ({next(iter(self._why))})"


async def compute_floor(
    goldens: Iterable[AnyGolden],
    scorer: TrivialScorer,
    *,
    pause: Callable[[], Awaitable[None]] | None = None,
) -> Floor:
    """The floor of these goldens. An error becomes a reason. `pause` is awaited now and then."""
    counts = FloorCounts()
    try:
        with scorer.guard():
            for number, golden in enumerate(goldens, 1):
                if golden.safety is not None:  # an attack on a task that counts already
                    continue
                if (marks := await scorer.marks(golden)) is not None:
                    counts.add(marks)
                if pause is not None and number % PAUSE == 0:
                    await pause()
        return counts.floor()
    except Exception as error:
        return Floor(skipped=one_line(scrubber()(f"{type(error).__name__}: {error}"), 200))
