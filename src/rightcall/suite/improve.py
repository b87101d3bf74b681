"""Proof that a change helps: proposals are screened on some goldens and tested on held-out ones.

The protocol is fixed before anything is run. Goldens are split by cluster into *tune* and *proof*; findings are made
on tune only; the best few proposals run next to the baseline on proof. A proposal is accepted when it wins on
the goldens it is meant for, at a level that shrinks with every proof on the same goldens, and harms no others.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rightcall import stats
from rightcall.analysis import (
    Improvement,
    ImproveOutcome,
    Proposal,
    Tried,
    analyze_results,
    applied,
    exposed_classes,
    is_exposed,
    is_longer,
    patch_of,
    proposals_of,
    refusal,
    tokens_of,
)
from rightcall.errors import ConfigError
from rightcall.executor import Agent, Session
from rightcall.gate import compare
from rightcall.model.golden import Golden
from rightcall.model.run import CaseResult
from rightcall.model.tool import Tool
from rightcall.store import RunFilter, Store, StoredRun
from rightcall.suite.outcome import stored_outcomes
from rightcall.suite.plan import Plan
from rightcall.suite.preparation import preflight
from rightcall.suite.runner import run_plan

TUNE = 0.4
FINALISTS = 3
MARGIN = 0.05
WORSE = -0.10
FEWEST_OF_TOOL = 5
FILLER = "This text describes what the tool does and how it is called in the usual way. "


@dataclass(frozen=True)
class ImproveOptions:
    """How much may be tried. `rewrite` gives further proposals, such as those of a model."""

    proposals: int = 10
    trials: int = 3
    unproven: bool = False
    budget: int | None = None
    rewrite: Callable[..., Any] | None = None


async def improve_plan(
    plan: Plan, store: Store, run: str, options: ImproveOptions | None = None
) -> Improvement:
    """Try to make the definitions of a plan better, starting from a stored run of it."""
    options = options or ImproveOptions()
    stored = store.run(run)
    goldens = [golden for golden in plan.goldens() if isinstance(golden, Golden)]
    tools = [*Session(plan.agent).toolbox.tools]
    seed = stored.run.fingerprints.get("dataset", "")
    tune, proof = split_goldens(goldens, seed)
    results = list(store.results(stored.id, trajectories=True))
    of_tune = [r for r in results if r.golden_id in {g.id for g in tune}]
    found = analyze_results(tools, tune, of_tune, system=plan.agent.system)
    aside = {
        golden
        for one in found.findings
        if one.stated and one.cause in ("golden_looks_wrong", "request_lacks_information")
        for golden in one.goldens
    }
    tune, proof = [g for g in tune if g.id not in aside], [g for g in proof if g.id not in aside]
    ideas = proposals_of(found, tools)
    if options.rewrite is not None:
        ideas += await options.rewrite(found, tools, tune, of_tune)
    job = _Job(plan, store, stored.id, tools, tune, proof, options, seed)
    return await job.run(ideas[: options.proposals], of_tune, tuple(sorted(aside)))


def newest_of_suites(store: Store) -> StoredRun:
    """The newest run that was made for its own sake: not to try a change or a perturbation."""
    for one in store.runs(RunFilter(), limit=500):
        if not {"improve", "perturb"} & one.run.settings.keys():
            return one
    return store.run("last")


def split_goldens(goldens: Sequence[Golden], seed: str) -> tuple[list[Golden], list[Golden]]:
    """Tune and proof: whole clusters, alike in wanted tools and categories, the same for the same dataset."""
    groups: dict[tuple[str, str], dict[str, list[Golden]]] = {}
    for golden in sorted(goldens, key=lambda one: one.id):
        wanted = str(golden.expected_calls[0].tool) if golden.expected_calls else ""
        clusters = groups.setdefault((golden.category, wanted), {})
        clusters.setdefault(golden.cluster or golden.id, []).append(golden)
    tune: list[Golden] = []
    proof: list[Golden] = []
    placed: dict[str, list[Golden]] = {}
    for key, clusters in sorted(groups.items()):
        names = sorted(clusters)
        random.Random(f"{seed}/{key}").shuffle(names)  # noqa: S311
        for number, name in enumerate(names):
            share = tune if number < round(TUNE * len(names)) else proof
            placed.setdefault(name, share).extend(clusters[name])
    return tune, proof


class _Job:
    """One use of the protocol."""

    def __init__(
        self,
        plan: Plan,
        store: Store,
        run: str,
        tools: Sequence[Tool],
        tune: list[Golden],
        proof: list[Golden],
        options: ImproveOptions,
        dataset: str,
    ) -> None:
        self._plan, self._store, self._run, self._tools = plan, store, run, tools
        self._tune, self._proof, self._options, self._dataset = tune, proof, options, dataset
        self._system, self._calls = plan.agent.system, 0
        self._number = 1 + self._proofs_before()
        self._alpha = 0.05 / (self._number * (self._number + 1))

    async def run(
        self, ideas: list[Proposal], of_tune: Sequence[CaseResult], aside: tuple[str, ...]
    ) -> Improvement:
        tried = {one.name: self._first_look(one) for one in ideas}
        open_ones = [one for one in ideas if not tried[one.name].refused]
        if not open_ones:
            sentence = (
                "no finding has a change that may be tried" if not ideas else "every proposal was refused"
            )
            return self._answer("nothing_to_try", sentence, tried, aside)
        enough = [one for one in open_ones if tried[one.name].exposed >= self._fewest()]
        found = [one for one in open_ones if one.source != "lint"]
        too_few = not enough or (bool(found) and not any(one in enough for one in found))
        if too_few or self._over_budget(len(enough)):
            return self._not_enough(found or open_ones, tried, aside, too_few=too_few)
        before = _rate([r for r in of_tune if r.golden_id in {g.id for g in self._tune}])
        for one in enough:
            if why := await self._unfit(one):
                tried[one.name] = _with(tried[one.name], refused=why)
                continue
            results = await self._results(one, self._tune, 1, "screening")
            tried[one.name] = _with(tried[one.name], tune_before=before, tune_after=_rate(results))
        ranked = sorted(enough, key=lambda one: -(tried[one.name].tune_after or 0.0))
        finalists = [one for one in ranked if (tried[one.name].tune_after or 0.0) > before][:FINALISTS]
        if not finalists:
            return self._answer(
                "not_shown", "no proposal is better on the goldens it was made from", tried, aside
            )
        await self._prove(finalists, tried)
        return self._decided(finalists, tried, aside)

    # -------------------------------------------------------------- before anything is spent

    def _first_look(self, one: Proposal) -> Tried:
        after, system = applied(one.changes, self._tools, self._system)
        more = tokens_of(after, system) - tokens_of(self._tools, self._system)
        why = refusal(one, self._tools, self._system, self._tune)
        return Tried(one.name, one.why, why, exposed=len(self._exposed(one)), tokens=more)

    def _exposed(self, one: Proposal) -> list[Golden]:
        if one.source == "finding" and not one.tools:  # about the whole set: goldens that want no call
            return [g for g in self._proof if not g.expected_calls]
        return [g for g in self._proof if is_exposed(g, exposed_classes(one))]

    def _fewest(self) -> int:
        """Goldens that a one-sided sign-flip test needs at least for this level."""
        n = 1
        while 2.0**-n > self._alpha:
            n += 1
        return n

    def _planned(self, proposals: int) -> int:
        finalists = min(FINALISTS, proposals)
        return proposals * len(self._tune) + (1 + finalists) * len(self._proof) * self._options.trials

    def _over_budget(self, proposals: int) -> bool:
        return self._options.budget is not None and self._planned(proposals) > self._options.budget

    def _not_enough(
        self, open_ones: list[Proposal], tried: dict[str, Tried], aside: tuple[str, ...], *, too_few: bool
    ) -> Improvement:
        best = max(open_ones, key=lambda one: tried[one.name].exposed)
        if too_few:
            sentence = (
                f"{tried[best.name].exposed} goldens for {best.name} in proof cannot show anything at level "
                f"{self._alpha:.3g}: {self._fewest()} are needed. Add goldens like them, or take the patch unproven "
                "(--unproven)"
            )
        else:
            sentence = f"{self._planned(len(open_ones)):,} calls would be needed, more than --budget allows"
        if not self._options.unproven:
            return self._answer("too_few", sentence, tried, aside)
        return self._answer("not_shown", f"UNPROVEN: {sentence}", tried, aside, best, proven=False)

    def _proofs_before(self) -> int:
        """How often these goldens have been used as proof with this model; the ledger is the store itself."""
        runs = self._store.runs(RunFilter(agent=self._plan.agent.name), limit=500)
        return sum(one.run.settings.get("improve") == self._mark("proof") for one in runs)

    def _mark(self, phase: str) -> dict[str, str]:
        return {"phase": phase, "dataset": self._dataset}

    # -------------------------------------------------------------- running

    async def _unfit(self, one: Proposal) -> str:
        """Why goldens contradict the changed definitions, such as an enum without a value they expect."""
        tools, system = applied(one.changes, self._tools, self._system)
        goldens = [*self._tune, *self._proof]
        try:
            async with await preflight(self._changed(tools, system, goldens, 1, "screening")):
                pass  # opened to be checked, and closed again
        except ConfigError as error:
            return f"goldens expect what it refuses: {error.problems[0]}"
        return ""

    def _changed(
        self, tools: Sequence[Tool], system: str, goldens: list[Golden], trials: int, phase: str
    ) -> Plan:
        agent: Agent = replace(self._plan.agent, tools=_redefined(self._plan.agent, tools), system=system)
        return replace(
            self._plan, agent=agent, dataset=goldens, trials=trials, gate=None, group=f"{self._plan.name}/improve",
            settings={"improve": self._mark(phase)},
        )  # fmt: skip

    async def _results(
        self, one: Proposal | None, goldens: list[Golden], trials: int, phase: str
    ) -> list[CaseResult]:
        changes = one.changes if one is not None else ()
        tools, system = applied(changes, self._tools, self._system)
        return await self._measured(tools, system, goldens, trials, phase)

    async def _measured(
        self, tools: Sequence[Tool], system: str, goldens: list[Golden], trials: int, phase: str
    ) -> list[CaseResult]:
        plan = self._changed(tools, system, goldens, trials, phase)
        outcome = await run_plan(plan, self._store)
        self._calls += len(goldens) * trials
        self._last = outcome.run.id
        return list(self._store.results(outcome.run.id))

    async def _prove(self, finalists: list[Proposal], tried: dict[str, Tried]) -> None:
        trials = self._options.trials
        baseline = await self._results(None, self._proof, trials, "proof")
        base_run = self._last
        for one in finalists:
            results = await self._results(one, self._proof, trials, "candidate")
            whole = compare(
                stored_outcomes(self._store, base_run),
                stored_outcomes(self._store, self._last),
                margin=MARGIN,
            )
            tried[one.name] = _with(
                self._judged(one, tried[one.name], baseline, results),
                whole=whole.change,
                fixed=whole.fixed,
                broken=whole.broken,
            )
            await self._controlled(one, tried, baseline, results)
        adjusted = stats.holm([tried[one.name].p or 1.0 for one in finalists])
        for one, p in zip(finalists, adjusted, strict=True):
            seen = tried[one.name]
            harm = bool(seen.refused or seen.worse_tools) or seen.whole == "REGRESSED"
            good = p <= self._alpha and not harm and seen.whole in ("IMPROVED", "NON_INFERIOR")
            tried[one.name] = _with(seen, p_adjusted=p, accepted=good)

    def _judged(
        self, one: Proposal, seen: Tried, baseline: Sequence[CaseResult], results: Sequence[CaseResult]
    ) -> Tried:
        exposed = {golden.id: golden for golden in self._exposed(one)}
        before, after = _by_golden(baseline), _by_golden(results)
        ids = [name for name in sorted(exposed) if name in before and name in after]
        d = [after[name] - before[name] for name in ids]
        clusters = [exposed[name].cluster or name for name in ids]
        mean = sum(d) / len(d) if d else 0.0
        p = stats.sign_flip(d, clusters=clusters) / 2 if mean > 0 else 1.0
        interval = stats.paired_t(d, clusters).interval if d else None
        worse, unknown = self._by_tool(one, before, after)
        return _with(
            seen,
            before=_mean([before[name] for name in ids]),
            after=_mean([after[name] for name in ids]),
            low=interval.low if interval else None,
            high=interval.high if interval else None,
            p=p,
            worse_tools=worse,
            not_shown=unknown,
        )

    def _by_tool(
        self, one: Proposal, before: Mapping[str, float], after: Mapping[str, float]
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Tools, and the negatives, that are worse by more than ten points, and those with too few goldens to tell."""
        groups: dict[str, list[float]] = {}
        for golden in self._proof:
            name = str(golden.expected_calls[0].tool) if golden.expected_calls else "no call"
            if golden.id in before and golden.id in after:
                groups.setdefault(name, []).append(after[golden.id] - before[golden.id])
        worse = [
            name for name, d in groups.items() if sum(d) / len(d) < (-MARGIN if name == "no call" else WORSE)
        ]
        unknown = [name for name, d in groups.items() if len(d) < FEWEST_OF_TOOL and name not in one.tools]
        return tuple(sorted(worse)), tuple(sorted(unknown))

    async def _controlled(
        self,
        one: Proposal,
        tried: dict[str, Tried],
        baseline: Sequence[CaseResult],
        results: Sequence[CaseResult],
    ) -> None:
        """A much longer text must beat the old one with as many words that say nothing."""
        after, system = applied(one.changes, self._tools, self._system)
        sizes = tokens_of(self._tools, self._system), tokens_of(after, system)
        exposed = self._exposed(one)
        if not is_longer(*sizes) or not exposed:
            return
        padded = _padded(self._tools, one, sizes[1] - sizes[0])
        control = _by_golden(
            await self._measured(padded, self._system, exposed, self._options.trials, "control")
        )
        mine = _by_golden(results)
        if _mean([mine[g.id] for g in exposed if g.id in mine]) <= _mean(list(control.values())):
            reason = "the old text with as many words that say nothing does as well"
            tried[one.name] = _with(tried[one.name], refused=reason)

    # -------------------------------------------------------------- the answer

    def _decided(
        self, finalists: list[Proposal], tried: dict[str, Tried], aside: tuple[str, ...]
    ) -> Improvement:
        won = [one for one in finalists if tried[one.name].accepted]
        if won:
            best = min(won, key=lambda one: (-_gain(tried[one.name]), tried[one.name].tokens))
            alike = [one for one in won if (tried[one.name].high or 0.0) >= _gain(tried[best.name])]
            best = min(alike or [best], key=lambda one: tried[one.name].tokens)
            seen = tried[best.name]
            sentence = (
                f"{best.name}: {seen.before:.0%} → {seen.after:.0%} on {seen.exposed} goldens it is meant for "
                f"and never saw ({_points(seen.low)} … {_points(seen.high)}), {seen.tokens:+d} tokens a request"
            )
            return self._answer("accepted", sentence, tried, aside, best)
        if any(tried[one.name].whole == "REGRESSED" for one in finalists):
            return self._answer("worse", "the proposals make it worse", tried, aside)
        return self._answer("not_shown", "no proposal was shown to help", tried, aside)

    def _answer(
        self,
        outcome: ImproveOutcome,
        sentence: str,
        tried: Mapping[str, Tried],
        aside: tuple[str, ...],
        best: Proposal | None = None,
        *,
        proven: bool = True,
    ) -> Improvement:
        patch = ""
        edits: tuple[dict[str, Any], ...] = ()
        if best is not None:
            after, system = applied(best.changes, self._tools, self._system)
            patch = patch_of(self._tools, self._system, after, system)
            edits = tuple(
                {"tool": c.tool, "path": list(c.path), "from": c.before, "to": c.after} for c in best.changes
            )
        return Improvement(
            self._run, outcome, sentence, tuple(tried.values()), patch, edits, len(self._tune), len(self._proof),
            self._alpha, self._number, aside, self._calls, proven,
        )  # fmt: skip


def _redefined(agent: Agent, tools: Sequence[Tool]) -> list[Any]:
    """The agent's tools with other definitions: a function or a tool of a world keeps what it does."""
    if (
        any(not isinstance(one, Tool | dict) for one in agent.tools)
        and agent.mode == "loop"
        and not agent.mocks
    ):
        raise ConfigError(
            "improve changes definitions, and these tools are code; give them as a file, or mock them in the suite"
        )
    return list(tools)


def _padded(tools: Sequence[Tool], one: Proposal, tokens: int) -> list[Tool]:
    import msgspec

    words = (FILLER * (1 + tokens // 12)).split()
    text = " ".join(words[: max(1, round(tokens / 1.2))])
    names = one.tools or tuple(tool.name for tool in tools[:1])
    return [
        msgspec.structs.replace(tool, description=f"{tool.description} {text}")
        if tool.name == names[0]
        else tool
        for tool in tools
    ]


def _by_golden(results: Sequence[CaseResult]) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for result in results:
        if not result.error:
            found.setdefault(result.golden_id, []).append(float(result.passed))
    return {name: sum(values) / len(values) for name, values in found.items()}


def _rate(results: Sequence[CaseResult]) -> float:
    return _mean(list(_by_golden(results).values()))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _gain(seen: Tried) -> float:
    return (seen.after or 0.0) - (seen.before or 0.0)


def _points(value: float | None) -> str:
    return "?" if value is None else f"{100 * value:+.0f} points"


def _with(seen: Tried, **fields: Any) -> Tried:
    import msgspec

    return msgspec.structs.replace(seen, **fields)
