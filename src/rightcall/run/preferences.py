"""Two stored runs compared pair by pair: which answer a judge prefers, always in both orders."""

from __future__ import annotations

import asyncio
from collections import Counter

from rightcall.core.errors import InputError
from rightcall.core.text import percent, pluralize
from rightcall.metrics.judged.frame import material_of
from rightcall.metrics.judged.preference import Preference, Prefers
from rightcall.metrics.score_case import case_for_metrics
from rightcall.model.case import TestCase
from rightcall.model.record import Record
from rightcall.model.trajectory import Usage
from rightcall.run.run_record import tools_of_run
from rightcall.stats.paired_tests import mcnemar_exact
from rightcall.store.sql.store import Store
from rightcall.tools.definitions.offer import tools_for

AT_ONCE = 16
PARTS = ("answer", "calls")


class PreferenceCounts(Record, frozen=True, omit_defaults=False):
    """How often a judge prefers the answers of B and of A. `ties` are pairs on which its two orders disagree.

    `first_place` of the ties preferred whichever answer came first. `codes` count pairs without a verdict. `p` is the
    exact two-sided test of as many preferences for either; it is about the judge, and not about people.
    """

    a: str
    b: str
    pairs: int
    prefers_a: int
    prefers_b: int
    ties: int
    first_place: int
    codes: dict[str, int]
    p: float
    usage: Usage
    goldens: dict[str, str]

    @property
    def sentence(self) -> str:
        parts = [
            f"judged, not corrected: of {pluralize(self.pairs, 'pair')} the judge prefers B in {self.prefers_b:,} and "
            f"A in {self.prefers_a:,} (p = {self.p:.3f}); {self.ties:,} are ties, because its two orders disagree"
        ]
        if self.ties:
            parts.append(
                f"{percent(self.first_place / self.ties)} of these go to whichever answer came first"
            )
        if self.codes:
            parts.append("no verdict: " + ", ".join(f"{code} {n:,}" for code, n in self.codes.items()))
        return "; ".join(parts)


def answers_of_run(store: Store, run: str) -> dict[str, TestCase]:
    """The first trial of each golden that has an answer, as judges see it."""
    stored = store.runs.get(run)
    tools = tools_of_run(store, stored)
    goldens = {golden.id: golden for golden in store.runs.goldens(stored.id)}
    return {
        result.golden_id: case_for_metrics(
            goldens[result.golden_id], result.trajectory, tools_for(goldens[result.golden_id], tools)
        )
        for result in store.runs.results(stored.id, trajectories=True)
        if result.trial == 0 and result.trajectory is not None and result.golden_id in goldens
    }


async def count_preferences(store: Store, a: str, b: str, judge: Prefers) -> PreferenceCounts:
    """Ask about every golden that has a trajectory in both runs, by its first trial."""
    first, second = store.runs.get(a).id, store.runs.get(b).id
    before, after = (answers_of_run(store, run) for run in (first, second))
    goldens = [golden for golden in before if golden in after]
    if not goldens:
        raise InputError(f"runs {first} and {second}", "have no golden in common with a stored answer")
    limit = asyncio.Semaphore(AT_ONCE)

    async def ask(golden: str) -> Preference:
        async with limit:
            answers = (material_of(cases[golden], PARTS) for cases in (before, after))
            return await judge(before[golden].golden.input, *answers)

    found = dict(zip(goldens, await asyncio.gather(*map(ask, goldens)), strict=True))
    words = Counter(preference.winner for preference in found.values())
    ties = [preference for preference in found.values() if preference.winner == "tie"]
    used = Usage()
    for preference in found.values():
        used = used.plus(preference.usage)
    return PreferenceCounts(
        first,
        second,
        len(found),
        words["a"],
        words["b"],
        len(ties),
        sum(preference.first_place for preference in ties),
        dict(Counter(str(p.code) for p in found.values() if not p.winner)),
        mcnemar_exact(words["a"], words["b"]),
        used,
        {golden: preference.winner or str(preference.code) for golden, preference in found.items()},
    )
