"""Decisions about stored runs: gate, compare, flakiness."""

from __future__ import annotations

from functools import partial
from itertools import chain, islice

from rightcall.core.errors import ConfigError
from rightcall.core.text import pluralize
from rightcall.decide.baseline import require_alike
from rightcall.decide.candidates import compare_many
from rightcall.decide.comparison import Comparison
from rightcall.decide.config import Gate
from rightcall.decide.early_stop import Stopped
from rightcall.decide.verdict import Verdict
from rightcall.records.failure import FATAL
from rightcall.records.floor import Floor
from rightcall.records.record import Record
from rightcall.records.run import GroupSummary, Summary
from rightcall.run.answers import verdict_by_answers
from rightcall.run.baseline import baseline_for, find_edited_goldens, notes_on_edits, require_finished
from rightcall.run.conclude import verdict_of_gate, verdict_unfinished
from rightcall.run.gate_evidence import evidence_in, evidence_of_run, facts_of_run, outcomes_of_run
from rightcall.run.golden_check import ForbiddenCodes, codes_of
from rightcall.run.request_templates import (
    MOST_SEARCHED,
    template_groups,
    template_line,
    undeclared_templates,
)
from rightcall.stats.power import (
    disagreement as stats_disagreement,
    flake_class,
    flake_rate,
    suggests_quarantine,
)
from rightcall.store.base import StoredRun
from rightcall.store.sql.store import Store


def gate_run(
    store: Store,
    run: str,
    gate: Gate,
    quarantine: frozenset[str] = frozenset(),
    floor: Floor | None = None,
) -> Verdict:
    """Apply a gate to a stored run; a baseline must have the same metrics. Its `floor` is that of its
    summary, as is its worst case.

    An unfinished run with missing results is INCONCLUSIVE, whatever the stored ones show. So is one that stopped early,
    except for damage: its verdict was given when it stopped. Results are read one by one, so a million of them fit.
    """
    stored = store.runs.get(run)
    if not stored.finished and stored.results < stored.planned:
        return verdict_unfinished(
            f"{stored.results:,} of {stored.planned:,} results are stored; resume the run first"
        )
    codes = ForbiddenCodes(gate.forbid)
    if codes.unseen and all(codes.see(codes_of(golden)) for golden in store.runs.goldens(stored.id)):
        raise ConfigError(*codes.problems())
    baseline = None
    if gate.baseline is not None:
        baseline = baseline_for(
            store,
            gate.baseline.run,
            stored.run,
            lambda: store.runs.goldens(stored.id),
            quarantine=quarantine,
            anyway=gate.baseline.anyway,
        )
    summary = stored.run.summary
    facts = {
        "floor": floor or (summary.floor if summary else None),
        "quarantined": len(quarantine),
        "worst_case": summary.worst_case if summary else None,
    } | facts_of_run(store, stored.run, gate)
    verdict = verdict_of_gate(
        gate,
        evidence_of_run(store, stored.id, gate, quarantine),
        facts,
        summary or counts_of_row(stored),
        templates=undeclared_templates(gate, store.runs.goldens(stored.id)),
        baseline=baseline,
        stopped=earlier_stop(stored),
        failed_tools=summary.failed_tools if summary else None,
    )
    return verdict_by_answers(verdict, store, stored.id, stored.run.agent)


def counts_of_row(stored: StoredRun) -> Summary:
    """What the row of a run without a summary says about its unchecked cases."""
    nothing = GroupSummary(stored.judged, stored.passed, stored.errors, {})
    return Summary(nothing, {}, {}, unchecked=stored.unchecked)


def earlier_stop(stored: StoredRun) -> Stopped | None:
    """How a stored run that stopped early may be judged again: not at all, except for damage; None for other runs.

    Its own monitor read the goldens in an order that is not stored, and an interval computed at a moment chosen by the
    data errs more often than it says.
    """
    summary = stored.run.summary
    if summary is None or not summary.stopped_early:
        return None
    used = stored.results
    reason = (
        f"the run stopped early, after {used:,} of {pluralize(max(stored.planned, used), 'result')}, at a moment that "
        f"its results chose, so they decide no other gate (its own said {stored.verdict}: {summary.reason})"
    )
    return Stopped("INCONCLUSIVE", used, used, reason, by="earlier")


class RunComparison(Record, frozen=True):
    """One candidate against the baseline. `p_adjusted` is adjusted for the number of candidates.

    `unlike` says in what the runs differ, `notes` what the numbers take for granted.
    """

    baseline: str
    candidate: str
    agent: str
    comparison: Comparison
    p_adjusted: float
    unlike: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def compare_runs(
    store: Store,
    baseline: str,
    candidates: list[str],
    *,
    margin: float = 0.0,
    alpha: float = 0.05,
    metric: str | None = None,
    anyway: bool = False,
) -> list[RunComparison]:
    """Compare each candidate with the baseline, golden by golden; unlike and unfinished runs only with `anyway`.

    Goldens in only one run are listed; goldens edited between the runs are excluded unless `anyway` is set. Goldens
    whose requests are one template are named.
    """
    first = store.runs.get(baseline)
    others: list[StoredRun] = [store.runs.get(candidate) for candidate in candidates]
    unfinished = require_finished([first, *others], anyway=anyway)
    unlike = {other.id: require_alike(first.run, other.run, anyway=anyway) for other in others}
    edited = {
        other.id: find_edited_goldens(store, first.run, other.run, partial(store.runs.goldens, other.id))
        for other in others
    }
    groups = {
        other.id: template_groups(islice(store.runs.goldens(other.id), MOST_SEARCHED)) for other in others
    }
    compared = compare_many(
        outcomes_of_run(store, first.id),
        [(other.id, outcomes_of_run(store, other.id)) for other in others],
        margin=margin,
        alpha=alpha,
        metric=metric,
        left_out={} if anyway else edited,
    )
    share = alpha / len(others)
    compared = [
        (name, _with_evidence(store, comparison, (first, store.runs.get(name)), metric, alpha=share), p)
        for name, comparison, p in compared
    ]
    agents = {other.id: other.run.agent for other in others}
    notices = {run: (template_line(templates),) if templates else () for run, templates in groups.items()}
    return [
        RunComparison(
            first.id,
            name,
            agents[name],
            comparison,
            p_adjusted=p,
            unlike=unfinished + unlike[name] + notes_on_edits(edited[name], anyway=anyway),
            notes=notices[name],
        )
        for name, comparison, p in compared
    ]


def _with_evidence(
    store: Store, comparison: Comparison, runs: tuple[StoredRun, StoredRun], metric: str | None, alpha: float
) -> Comparison:
    """The comparison with what documents of the two runs change of it."""
    for evidence in evidence_in(*(stored.run for stored in runs)):
        comparison = evidence.compare(store, comparison, runs, metric=metric, alpha=alpha)
    return comparison


class FlakyCase(Record, frozen=True):
    """A golden whose trials disagree."""

    golden_id: str
    trials: int
    passed: int
    disagreement: float
    quarantine: bool


class Flakiness(Record, frozen=True):
    """How stable a run's goldens are; `rate` is the probability that two trials of a golden disagree."""

    run: str
    goldens: int
    stable_pass: int
    stable_fail: int
    rate: float | None
    flaky: tuple[FlakyCase, ...]


def flakiness(store: Store, run: str) -> Flakiness:
    """The goldens of a run that pass only sometimes, worst first."""
    stored = store.runs.get(run)
    outcomes = [o for o in outcomes_of_run(store, stored.id) if o.passes]
    counts = {o.golden_id: (len(o.passes), int(sum(o.passes))) for o in outcomes}
    harmful = {o.golden_id for o in outcomes if FATAL & o.codes.keys()}  # quarantine never excuses damage
    classes = [flake_class(n, c) for n, c in counts.values()]
    flaky = [
        FlakyCase(
            name,
            n,
            c,
            stats_disagreement(n, c) or 0.0,
            quarantine=name not in harmful and suggests_quarantine(n, c),
        )
        for name, (n, c) in counts.items()
        if flake_class(n, c) == "flaky"
    ]
    return Flakiness(
        stored.id,
        len(counts),
        classes.count("stable_pass"),
        classes.count("stable_fail"),
        rate=flake_rate(counts.values()),
        flaky=tuple(sorted(flaky, key=lambda case: (-case.disagreement, case.golden_id))),
    )


def evidence_sentences(store: Store, stored: StoredRun) -> tuple[str, ...]:
    """What documents of a finished run say of it, such as what people would say of each judged metric."""
    found = (evidence.sentences(store, stored) for evidence in evidence_in(stored.run) if stored.finished)
    return tuple(chain.from_iterable(found))
