"""Deciding about a run, on plain outcomes: no store, no screen, no clock.

    config     Gate: the `gate:` mapping of a suite, read and checked
    outcome    Outcome: what a gate sees of a golden; gathered from case results
    rules      rates, metrics, categories, forbidden codes, latency and cost, as rules
    check      what one rule saw             verdict    the rules together: PASS, FAIL, INCONCLUSIVE, ERROR
    compare    two runs golden by golden     baseline   not worse than an earlier run; like with like
    stopping   ending a run early            planning   how many goldens, and whether PASS is possible
    simulation what a rule will do           advice     what would settle an unsettled rate

To add a rule: a class in `rules`, a field in `Gate`, a line in `rules_of`.
"""

from rightcall.gate.baseline import Baseline, BaselineRule, require_alike, same_dataset
from rightcall.gate.check import Check, Word, percent
from rightcall.gate.compare import Change, Comparison, Slice, compare, compare_many
from rightcall.gate.config import About, BaselineGate, CostLimit, Gate, LatencyLimit, read_gate
from rightcall.gate.early_stop import (
    CurtailMonitor,
    EvalueMonitor,
    Monitor,
    Order,
    Stopped,
    in_file_order,
    monitor_for,
    shuffled,
)
from rightcall.gate.outcome import Outcome, error_rate, outcomes_of, sample_of, units_of
from rightcall.gate.rules import GateRule, HardRule, LimitRule, RateRule, rules_of
from rightcall.gate.sample_size import Plan, cluster_sizes, plan, warnings
from rightcall.gate.verdict import Verdict, decide

__all__ = [
    "About",
    "Baseline",
    "BaselineGate",
    "BaselineRule",
    "Change",
    "Check",
    "Comparison",
    "CostLimit",
    "CurtailMonitor",
    "EvalueMonitor",
    "Gate",
    "GateRule",
    "HardRule",
    "LatencyLimit",
    "LimitRule",
    "Monitor",
    "Order",
    "Outcome",
    "Plan",
    "RateRule",
    "Slice",
    "Stopped",
    "Verdict",
    "Word",
    "cluster_sizes",
    "compare",
    "compare_many",
    "decide",
    "error_rate",
    "in_file_order",
    "monitor_for",
    "outcomes_of",
    "percent",
    "plan",
    "read_gate",
    "require_alike",
    "rules_of",
    "same_dataset",
    "sample_of",
    "shuffled",
    "units_of",
    "warnings",
]
