"""Proof that a change helps: proposals are screened on some goldens and proven on held-out ones.

The protocol is fixed before anything is run. Goldens are split by cluster into *tune* and *proof*; findings are made
again on tune alone; the best few proposals are run on proof at the same time as the baseline. A proposal is accepted
when it wins on the goldens it is meant for, at a level that shrinks with every proof on the same goldens, and harms no
others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import msgspec

from rightcall.core.text import percent, points
from rightcall.improve.findings import Analysis
from rightcall.improve.improvement import Improvement, ImproveOutcome, apply_changes, patch_of
from rightcall.improve.proof.arms import Arms, Measured
from rightcall.improve.proof.judgement import (
    danger_left,
    judge_proposal,
    screening_rate,
    significantly_different,
)
from rightcall.improve.proof.material import (
    FINALISTS,
    PROOF,
    Material,
    announcement,
    can_show,
    level,
    most_calls,
    no_cause,
    proofs_before,
    shortage,
    split_goldens,
)
from rightcall.improve.proof.options import ImproveOptions
from rightcall.improve.proposals import SET_ASIDE, Proposal, ProposalTask, proposals_of, together
from rightcall.improve.run_analysis import analyze_results
from rightcall.improve.run_setup import run_record
from rightcall.improve.variant import with_heard_setup
from rightcall.records.open_call import unknown_calls_text
from rightcall.run.plan import Plan
from rightcall.run.rehearsal.known_good import goldens_never_met
from rightcall.stats.paired_tests import holm
from rightcall.store.sql.store import Store

CONTENDER = 0.5
"""Share of the leader's gain on tune from which another goes to proof too: every finalist makes all harder to prove."""
BASELINE = ""
"""The unchanged definitions, among the names of proposals."""


async def improve_plan(
    plan: Plan, store: Store, run: str, options: ImproveOptions | None = None
) -> Improvement:
    """Try to make the definitions of a plan better, starting from a stored run of it.

    Where too few goldens could be held out to prove anything, or those that are left show no cause, changes are tried
    on all of them, and the result says so.
    """
    plan = with_heard_setup(plan, run_record(store, store.runs.get(run)))
    improvement = await _improve(plan, store, run, options or ImproveOptions())
    if improvement.outcome == "accepted":
        return improvement
    results = list(store.runs.results(improvement.run))
    left = danger_left(list(plan.definitions), results, results)
    return msgspec.structs.replace(improvement, danger=left)


async def _improve(plan: Plan, store: Store, run: str, options: ImproveOptions) -> Improvement:
    never_met = frozenset([golden_id async for golden_id, _ in goldens_never_met(plan)])
    material, analysis = _material(plan, store, run, options, never_met=never_met)
    rewritten = await options.rewrite(_task(material, analysis)) if options.rewrite is not None else []
    number = 1 + proofs_before(store, material.agent, material.proof)
    job = _Job(material, number, [*proposals_of(analysis, material.tools), *rewritten])
    short = job.shortage()
    causes = any(proposal.source != "lint" for proposal in job.ideas)
    if causes and not short:
        return await job.prove()
    whole, analysis = _material(plan, store, run, options, never_met=never_met, hold_out=False)
    ideas = [*proposals_of(analysis, whole.tools), *rewritten]
    if not causes and any(proposal.source != "lint" for proposal in ideas):
        short = no_cause(material)
    if not short:
        return await job.prove()
    options.announce(short)
    return await _Job(whole, number, ideas).tune(short)


def _material(
    plan: Plan,
    store: Store,
    run: str,
    options: ImproveOptions,
    never_met: frozenset[str],
    *,
    hold_out: bool = True,
) -> tuple[Material, Analysis]:
    """Both parts of the goldens, without those that may be wrong, and the findings of tune; or all of them as tune.

    What no agent can pass is left out of both parts, unless one did.
    """
    stored = store.runs.get(run)
    dataset = stored.run.fingerprints.get("dataset", "")
    goldens = list(plan.goldens())
    tune, proof = split_goldens(goldens, dataset) if hold_out else (goldens, [])
    ids = {golden.id for golden in tune}
    results = [r for r in store.runs.results(stored.id, trajectories=True) if r.golden_id in ids]
    arms = Arms(plan, store, dataset)
    analysis = analyze_results(arms.tools, tune, results, system=plan.agent.system)
    passed = {result.golden_id for result in results if result.passed}
    aside = (never_met - passed) | set(
        chain.from_iterable(
            finding.goldens for finding in analysis.findings if finding.stated and finding.cause in SET_ASIDE
        )
    )
    material = Material(
        stored.id,
        stored.run.agent,
        plan.agent.system,
        arms,
        tune=[golden for golden in tune if golden.id not in aside],
        proof=[golden for golden in proof if golden.id not in aside],
        results=[result for result in results if result.golden_id not in aside],
        aside=tuple(sorted(aside)),
        options=options,
    )
    return material, analysis


def _task(material: Material, analysis: Analysis) -> ProposalTask:
    return ProposalTask(analysis, material.tools, material.system, material.tune, results=material.results)


class _Job:
    """One application of the protocol."""

    def __init__(self, material: Material, number: int, ideas: Sequence[Proposal]) -> None:
        self._with = material
        self._arms = material.arms
        self._number = number
        self._alpha = level(number)
        self.ideas = ideas = ideas[: material.options.proposals]
        self._tried = {proposal.name: material.first_look(proposal) for proposal in ideas}
        self._open = [proposal for proposal in ideas if not self._tried[proposal.name].refused]
        self._gains: dict[str, float] = {}

    def shortage(self) -> str:
        """Why proof cannot show that any proposal helps, nor all of them together; empty when it can."""
        whole = together(self._open)
        contenders = [*self._open, *([whole] if whole is not None else [])]
        return shortage(self._with, contenders, self._alpha) if contenders else ""

    async def prove(self) -> Improvement:
        """Try the proposals on tune, and prove the best of them on held-out goldens."""
        if (ended := self._refusal(most_calls(self._with, len(self._open)))) is not None:
            return ended
        self._with.options.announce(announcement(self._with, len(self._open)))
        better = await self._better()
        if not better:
            return self._answer("not_shown", "no proposal is better even on the goldens it was made from")
        provable = [proposal for proposal in better if can_show(self._with, proposal, self._alpha)]
        if not provable:
            return self._answer(
                "too_few", self._result_of_tuning(better[0], shortage(self._with, better, self._alpha))
            )
        near = [
            proposal
            for proposal in provable
            if self._goldens_won(proposal) >= CONTENDER * self._goldens_won(provable[0])
        ]
        finalists = near[:FINALISTS]
        return self._conclude(finalists, await self._prove(finalists))

    async def tune(self, short: str) -> Improvement:
        """Try the proposals on all goldens: what helps there may help elsewhere, and is not proven to."""
        calls = sum(len(self._with.exposed(proposal, self._with.tune)) for proposal in self._open)
        if (ended := self._refusal(2 * calls)) is not None:
            return ended
        better = await self._better()
        if not better:
            return self._answer(
                "too_few", f"no proposal is better on the goldens that it was made from. {short}"
            )
        best = better[0]
        sentence = self._result_of_tuning(best, short)
        if not self._with.options.unproven:
            return self._answer("too_few", sentence)
        return self._answer("not_shown", f"UNPROVEN: {sentence}", best, proven=False)

    def _refusal(self, planned: int) -> Improvement | None:
        """Why nothing is run: no proposal is left, or it would take more calls than allowed."""
        budget = self._with.options.budget
        if not self._open:
            return self._answer("nothing_to_try", self._why_nothing())
        if budget is not None and planned > budget:
            return self._answer("too_few", f"up to {planned:,} calls, more than --budget {budget:,}")
        return None

    def _why_nothing(self) -> str:
        if self._tried:
            return "every proposal was refused"
        if not self._with.tools:
            return (
                "the suite does not hold the definitions of the tools: change them where the agent has them, or name "
                "them in the suite (tools:)"
            )
        return "no finding has a change that can be tried"

    # -------------------------------------------------------------- tune

    async def _better(self) -> list[Proposal]:
        """Proposals that win goldens of tune, alone or combined, the best first."""
        better = [proposal for proposal in self._open if await self._screen(proposal)]
        whole = together(better)
        if whole is not None:
            self._tried[whole.name] = self._with.first_look(whole)
            if not self._tried[whole.name].refused and await self._screen(whole):
                better.append(whole)
        return sorted(better, key=lambda p: (-self._goldens_won(p), self._tried[p.name].tokens))

    def _result_of_tuning(self, proposal: Proposal, short: str) -> str:
        seen = self._tried[proposal.name]
        goldens = len(self._with.exposed(proposal, self._with.tune))
        rates = f"{percent(seen.tune_before or 0.0, 0)} → {percent(seen.tune_after or 0.0, 0)}"
        return (
            f"{proposal.name}: +{self._goldens_won(proposal):.0f} of {goldens} tuning goldens ({rates}), "
            f"which proves nothing about others. {short}"
        )

    async def _screen(self, proposal: Proposal) -> bool:
        """Whether a proposal is better on the goldens of tune that it is meant for."""
        everything = [*self._with.tune, *self._with.proof]
        if why := await self._arms.problem(self._arms.arm(proposal, everything, 1, "screening")):
            self._note(proposal, refused=f"goldens expect what it refuses: {why}")
            return False
        goldens = self._with.exposed(proposal, self._with.tune)
        rates = self._with.rates(goldens)
        if not rates:
            return False
        before = sum(rates) / len(rates)
        after = await screening_rate(self._arms, proposal, goldens, before)
        self._note(proposal, tune_before=before, tune_after=after)
        self._gains[proposal.name] = 0.0 if after is None else (after - before) * len(goldens)
        return self._goldens_won(proposal) > 0

    def _goldens_won(self, proposal: Proposal) -> float:
        """Goldens of tune that a proposal won in screening."""
        return self._gains.get(proposal.name, 0.0)

    # -------------------------------------------------------------- proof

    async def _prove(self, finalists: Sequence[Proposal]) -> dict[str, Measured]:
        """Baseline and finalists at the same time; every finalist judged."""
        trials = self._with.options.trials
        drawn = self._arms.draw_order(self._with.proof)
        variants = [
            self._arms.arm(None, drawn, trials, PROOF),
            *(self._arms.arm(proposal, drawn, trials, "candidate") for proposal in finalists),
        ]

        base, *arms = await self._arms.run(variants)
        self._judge(finalists, base, arms)
        names = (BASELINE, *(proposal.name for proposal in finalists))
        return dict(zip(names, (base, *arms), strict=True))

    def _judge(self, finalists: Sequence[Proposal], base: Measured, arms: Sequence[Measured]) -> None:
        for proposal, arm in zip(finalists, arms, strict=True):
            exposed = self._with.exposed(proposal, base.arm.goldens)
            seen = judge_proposal(self._tried[proposal.name], exposed, base.arm.goldens, base, after=arm)
            self._tried[proposal.name] = seen
        ps = [self._tried[proposal.name].p for proposal in finalists]
        for proposal, p in zip(finalists, holm([1.0 if p is None else p for p in ps]), strict=True):
            seen = self._tried[proposal.name]
            good = p <= self._alpha and not seen.refused and seen.whole in ("IMPROVED", "NON_INFERIOR")
            self._note(proposal, p_adjusted=p, accepted=good)

    def _note(self, proposal: Proposal, **fields: Any) -> None:
        self._tried[proposal.name] = msgspec.structs.replace(self._tried[proposal.name], **fields)

    # -------------------------------------------------------------- the answer

    def _conclude(self, finalists: Sequence[Proposal], measured: Mapping[str, Measured]) -> Improvement:
        won = [proposal for proposal in finalists if self._tried[proposal.name].accepted]
        if won:
            best = self._best(won, measured)
            seen = self._tried[best.name]
            rates = f"{percent(seen.before or 0.0, 0)} → {percent(seen.after or 0.0, 0)}"
            sentence = (
                f"{best.name}: {rates} on {seen.exposed} goldens it is meant for "
                f"and never saw ({_points(seen.low)} … {_points(seen.high)}), {seen.tokens:+d} tokens per request"
            )
            left = danger_left(self._with.tools, measured[BASELINE].results, measured[best.name].results)
            return msgspec.structs.replace(self._answer("accepted", sentence, best), danger=left)
        if all(self._tried[proposal.name].whole == "REGRESSED" for proposal in finalists):
            return self._answer("worse", "every proposal tried makes it worse")
        return self._answer("not_shown", "no proposal was shown to help")

    def _best(self, won: Sequence[Proposal], measured: Mapping[str, Measured]) -> Proposal:
        """The one with the largest gain, or a shorter one that is not significantly different."""
        rate = {proposal.name: measured[proposal.name].rate() for proposal in won}
        best = min(won, key=lambda proposal: (-rate[proposal.name], self._tried[proposal.name].tokens))
        alike = [
            proposal
            for proposal in won
            if proposal is best
            or not significantly_different(measured[proposal.name], measured[best.name], self._with.proof)
        ]
        return min(alike, key=lambda proposal: (self._tried[proposal.name].tokens, -rate[proposal.name]))

    def _answer(
        self, outcome: ImproveOutcome, sentence: str, best: Proposal | None = None, *, proven: bool = True
    ) -> Improvement:
        if unknown := self._arms.unknown_calls:
            sentence += f"; {unknown_calls_text(unknown)}"
        patch = ""
        tools = self._with.tools
        system = self._with.system
        if best is not None:
            patch = patch_of(tools, system, *apply_changes(best.changes, tools, system))
        edits = tuple(
            {"tool": c.tool, "path": list(c.path), "from": c.before, "to": c.after}
            for c in (best.changes if best else ())
        )
        return Improvement(
            self._with.run, outcome, sentence, tuple(self._tried.values()), patch=patch, edits=edits,
            tune=len(self._with.tune), proof=len(self._with.proof), alpha=self._alpha, proofs=self._number,
            set_aside=self._with.aside, calls=self._arms.calls, proven=proven, cost_usd=self._arms.usage.cost_usd,
        )  # fmt: skip


def _points(value: float | None) -> str:
    return "?" if value is None else points(value, 0)
