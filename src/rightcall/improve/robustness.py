"""What faults and harmless changes did to a run, compared with its clean control."""

from __future__ import annotations

from collections.abc import Mapping

from rightcall.model.record import Record
from rightcall.model.tool import Tool
from rightcall.store.sql.store import Store
from rightcall.tools.faults.measures import (
    FaultPair,
    FaultSummary,
    blind_retries,
    check_share,
    double_effects,
    fault_summary,
    faults_that_fired,
    in_plain_words,
    missing_effects,
)


class FaultReport(Record, frozen=True):
    """The paired measures. `doubled` says, for each case with a repeated side effect, what was repeated and why."""

    twin: str
    run: str
    summary: FaultSummary
    double_effects: int
    lost_effects: int
    blind_retries: int
    verified_before_retry: float | None
    doubled: dict[str, str]


def fault_report(
    store: Store, twin: str, run: str, planned: tuple[str, ...], tools: Mapping[str, Tool]
) -> FaultReport:
    """Compare a run with faults to its control, trial by trial; a fault that never fired is `not_run`."""
    twins = {(r.golden_id, r.trial): r for r in store.runs.results(twin, trajectories=True)}
    pairs: list[FaultPair] = []
    doubled: dict[str, str] = {}
    doubles = lost = blind = 0
    checked: list[float] = []
    for struck in store.runs.results(run, trajectories=True):
        before = twins.get((struck.golden_id, struck.trial))
        if before is None or not struck.judged or not before.judged or struck.trajectory is None:
            continue
        happened = struck.trajectory
        fired = faults_that_fired(happened.ledger)
        pairs.append(FaultPair(struck.golden_id, struck.trial, struck.passed, before.passed, fired))
        doubles += len(double_effects(happened.ledger))
        clean = before.trajectory.ledger if before.trajectory else ()
        lost += len(missing_effects(clean, happened.ledger)) if fired else 0
        blind += len(blind_retries(happened.calls, tools))
        if (share := check_share(happened.calls, tools)) is not None:
            checked.append(share)
        if words := in_plain_words(happened.calls, happened.ledger, tools):
            doubled[f"{struck.golden_id} trial {struck.trial}"] = words
    return FaultReport(
        twin=twin,
        run=run,
        summary=fault_summary(pairs, planned),
        double_effects=doubles,
        lost_effects=lost,
        blind_retries=blind,
        verified_before_retry=sum(checked) / len(checked) if checked else None,
        doubled=doubled,
    )


class PositionRate(Record, frozen=True):
    """The pass rate of goldens by the position of their tool in the list of tools, counted from 1."""

    first: int
    last: int
    goldens: int
    rate: float


class PerturbEffect(Record, frozen=True):
    """One kind of perturbation against the clean run, golden by golden.

    `flips` is the share of goldens whose verdict changed, minus those that a second clean run changes. The verdict is
    STABLE when the whole interval is within five points, FRAGILE when the score falls beyond noise, else not shown.
    `mde` is the smallest difference that would probably have been detected. `positions` are those of `order`.
    """

    kind: str
    goldens: int
    clean: float
    perturbed: float
    difference: float
    low: float | None
    high: float | None
    p: float
    flips: float
    verdict: str = ""
    p_adjusted: float = 1.0
    mde: float | None = None
    positions: tuple[PositionRate, ...] = ()
    runs: tuple[str, ...] = ()
