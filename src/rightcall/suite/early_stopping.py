"""Early stopping: ends a run as soon as its verdict is known."""

from __future__ import annotations

from rightcall.errors import ConfigError
from rightcall.gate import RunOrder, StopMonitor, Stopped, monitor_for
from rightcall.model.run import CaseResult
from rightcall.suite.plan import BLOCK, Plan


class EarlyStop:
    """Collects the trials of each golden and feeds the gate's monitor once a golden is complete.

    The monitor takes goldens in the seeded order, not in the order they finish.
    """

    def __init__(self, monitor: StopMonitor, trials: int, quarantine: frozenset[str]) -> None:
        self._monitor, self._trials, self._quarantine = monitor, trials, quarantine
        self._open: dict[str, list[CaseResult]] = {}
        self.stopped: Stopped | None = None

    @classmethod
    def of(cls, plan: Plan) -> EarlyStop | None:
        """The early stopping of the plan's gate; None without one."""
        if plan.gate is None or plan.gate.stop == "off":
            return None
        goldens = [golden for golden in plan.goldens() if golden.id not in plan.quarantine]
        if len(goldens) > BLOCK:
            # Beyond one block the order is not a uniform shuffle, so stopping early would bias the result.
            raise ConfigError(f"gate: stop works for at most {BLOCK:,} goldens, got {len(goldens):,}")
        clustered = any(golden.cluster is not None for golden in goldens)
        order = RunOrder(tuple(golden.id for golden in goldens), plan.seed)
        monitor = monitor_for(plan.gate, order, trials=plan.trials, clustered=clustered)
        return cls(monitor, plan.trials, plan.quarantine) if monitor else None

    def decided_by(self, result: CaseResult) -> bool:
        """Add a result; returns whether the verdict is now known."""
        if self.stopped is not None or result.golden_id in self._quarantine:
            return self.stopped is not None
        trials = self._open.setdefault(result.golden_id, [])
        trials.append(result)
        if len(trials) == self._trials:
            del self._open[result.golden_id]
            scored = tuple(float(trial.passed) for trial in trials if not trial.error)
            self.stopped = self._monitor.feed(result.golden_id, scored)
        return self.stopped is not None
