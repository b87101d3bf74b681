"""The floor under a pass rate: what trivial agents pass, counted golden by golden.

That of a plan is computed once per dataset: a store keeps it for every later run of the same goldens. What scores the
agents is loaded when a floor is computed: after the last case of a run, when none waits for it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from rightcall.core import codec
from rightcall.core.event_loop import run_blocking
from rightcall.core.redaction.clean_text import scrubber
from rightcall.core.text import one_line, pluralize
from rightcall.metrics.score_case import Scorer
from rightcall.model.floor import AGENTS, Floor, FloorCount, TrivialRate
from rightcall.model.golden import AnyGolden
from rightcall.model.tool import Tool

if TYPE_CHECKING:
    from rightcall.model.run import Run
    from rightcall.run.preparation import Prepared
    from rightcall.run.trivial_agents import TrivialMarks, TrivialScorer
    from rightcall.store.sql.store import Store

KIND = "floor"
"""The kind of document that a store keeps floors as."""

MOST_GOLDENS = 20_000
"""Goldens up to which the floor is computed without being asked for."""

MOST_SECONDS = 20.0
"""The same for time: metrics and mocks of users may be slow."""

MOST_REASONS = 5
PAUSE = 20
"""Goldens after which an interruption is heard."""


async def floor_of_plan(prepared: Prepared, store: Store, run: Run) -> Floor:
    """The floor of a run of this plan, from the store if an equal plan has run before.

    It never fails: if something prevents it, the floor says what.
    """
    plan, key = prepared.plan, prepared.floor_key
    asked = plan.gate is not None and plan.gate.above_floor is not None
    try:
        if (stored := _floor_in_store(store, key)) is not None:
            return stored
        if (skipped := too_many(prepared.goldens, asked=asked)) is not None:
            return skipped
        import asyncio  # which scoring files does without

        from rightcall.run.trivial_agents import trivial_scorer

        scorer, pause = trivial_scorer(plan, prepared.tools), partial(asyncio.sleep, 0)
        floor = await compute_floor(plan.in_dataset_order(), scorer, asked=asked, pause=pause)
        if not floor.skipped and run.fingerprints.get(KIND) == key:
            store.runs.set_document(run.id, KIND, codec.encode(floor))
    except Exception as error:  # a store that fails, tools that cannot be read
        return Floor(skipped=one_line(scrubber()(str(error)), 200))
    return floor


def _floor_in_store(store: Store, key: str) -> Floor | None:
    content = store.runs.document(KIND, key)
    if content is None:
        return None
    try:
        return msgspec.json.decode(content, type=Floor)
    except msgspec.MsgspecError:  # of another version
        return None


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
        judged, passed = Counter[str](), Counter[str]()
        for (category, letters), goldens in self._goldens_by_marks.items():
            judged[category] += goldens * (letters[place] != "-")
            passed[category] += goldens * (letters[place] == "1")
        categories = {name: FloorCount(passed[name], judged[name]) for name in sorted(judged) if judged[name]}
        return TrivialRate(passed.total(), judged.total(), categories)

    def _nothing_judged(self) -> str:
        if not self._goldens_by_marks:
            return "no golden states a check"
        return f"no golden could be judged ({next(iter(self._why))})"


def floor_of_marks(marks: Iterable[TrivialMarks]) -> Floor:
    """The floor of goldens that were scored one by one."""
    counts = FloorCounts()
    for golden_marks in marks:
        counts.add(golden_marks)
    return counts.floor()


def too_many(goldens: int, *, asked: bool) -> Floor | None:
    """The reason shown instead of a floor of a large dataset when none was requested."""
    if asked or goldens <= MOST_GOLDENS:
        return None
    return Floor(skipped=f"more than {MOST_GOLDENS:,} goldens; a gate with above_floor computes it")


async def compute_floor(
    goldens: Iterable[AnyGolden],
    scorer: TrivialScorer,
    *,
    asked: bool = False,
    pause: Callable[[], Awaitable[None]] | None = None,
) -> Floor:
    """The floor of these goldens. Unless it is `asked` for, large datasets and slow scoring are skipped with a reason.

    An error becomes a reason too: a floor never decides about a run. `pause` is awaited now and then.
    """
    ends, counts = time.monotonic() + MOST_SECONDS, FloorCounts()
    try:
        with scorer.guard():
            for number, golden in enumerate(goldens, 1):
                if golden.safety is not None:  # an attack on a task that counts already
                    continue
                if (skipped := too_many(number, asked=asked)) is not None:
                    return skipped
                if (marks := await scorer.marks(golden)) is not None:
                    counts.add(marks)
                if not asked and time.monotonic() > ends:
                    done = pluralize(number, "golden")
                    return Floor(
                        skipped=f"{done} took {MOST_SECONDS:g} s; a gate with above_floor computes it"
                    )
                if pause is not None and number % PAUSE == 0:
                    await pause()
        return counts.floor()
    except Exception as error:
        return Floor(skipped=one_line(scrubber()(f"{type(error).__name__}: {error}"), 200))


def floor_of_recorded(goldens: Iterable[AnyGolden], scorer: Scorer, tools: Mapping[str, Tool]) -> Floor:
    """The floor of goldens whose agent is not known, so that nothing can be said about what its tools answer."""
    from rightcall.run.rehearsal.trial import Trial
    from rightcall.run.trivial_agents import TrivialScorer

    work = compute_floor(goldens, TrivialScorer(Trial(scorer, tools), single_turn=True))
    if not scorer.metrics:
        return _run_at_once(work)
    return run_blocking(work)


def _run_at_once(work: Coroutine[Any, Any, Floor]) -> Floor:
    """Run what never waits: importing an event loop takes as long as scoring 2,000 cases."""
    try:
        work.send(None)
    except StopIteration as end:
        floor: Floor = end.value
        return floor
    work.close()
    raise RuntimeError("scoring without metrics waited for something")
