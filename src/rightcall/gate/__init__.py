"""Decides whether a run passes, from plain outcomes: no store, no screen, no clock.

    config     Gate: the `gate:` mapping of a suite, read and checked
    outcome    Outcome: what a gate sees of a golden; gathered from case results
    rules      rates, metrics, categories, forbidden codes, latency and cost, as rules; Check: the result of one
    verdict    all rules combined: PASS, FAIL, INCONCLUSIVE, ERROR
    comparison two runs golden by golden     baseline   not worse than an earlier, comparable run
    comparison_claim, comparison_sentence   what two runs allow to say, in words
    candidates several runs against one, decided by adjusted p-values
    early_stop ending a run early            sample_size how many goldens, and whether PASS is possible
    simulation what a rule will do           advice     what would decide an undecided rate
    trial_pairs, check_rule, check_settings, check_family   the rule of `check`
    check_simulation, rate_prior                            what it will probably do

To add a rule: a class in `rules`, a field in `Gate`, a line in `rules_of`.
"""

from typing import TYPE_CHECKING

from rightcall.window import answers_calls, window

if TYPE_CHECKING:
    from rightcall.gate.baseline import (
        Baseline as Baseline,
        BaselineRule as BaselineRule,
        require_alike as require_alike,
        same_dataset as same_dataset,
    )
    from rightcall.gate.candidates import compare_many as compare_many
    from rightcall.gate.check_family import held_together as held_together
    from rightcall.gate.check_result import (
        EXIT_CODES as EXIT_CODES,
        BaselineFacts as BaselineFacts,
        CheckCalls as CheckCalls,
        CheckForecast as CheckForecast,
        CheckResult as CheckResult,
        ComparedInputs as ComparedInputs,
        GoldenChange as GoldenChange,
        HardFailure as HardFailure,
        NewGoldens as NewGoldens,
        StratumPlan as StratumPlan,
    )
    from rightcall.gate.check_rule import (
        CheckRule as CheckRule,
        CheckWord as CheckWord,
        Decided as Decided,
        Risks as Risks,
        Step as Step,
        StratumState as StratumState,
        settles_at_best as settles_at_best,
    )
    from rightcall.gate.check_settings import CheckSettings as CheckSettings, strata_of as strata_of
    from rightcall.gate.check_simulation import (
        Chances as Chances,
        ComparedGoldens as ComparedGoldens,
        drawn_trials as drawn_trials,
        dropped as dropped,
        foresee as foresee,
        play as play,
    )
    from rightcall.gate.comparison import (
        AdjustedTests as AdjustedTests,
        Comparison as Comparison,
        Slice as Slice,
        compare as compare,
    )
    from rightcall.gate.comparison_claim import Change as Change, ComparisonClaim as ComparisonClaim
    from rightcall.gate.config import (
        About as About,
        BaselineGate as BaselineGate,
        ClusterMode as ClusterMode,
        CostLimit as CostLimit,
        Gate as Gate,
        LatencyLimit as LatencyLimit,
        read_gate as read_gate,
    )
    from rightcall.gate.early_stop import (
        CurtailMonitor as CurtailMonitor,
        EvalueMonitor as EvalueMonitor,
        RunOrder as RunOrder,
        StopMonitor as StopMonitor,
        Stopped as Stopped,
        in_file_order as in_file_order,
        monitor_for as monitor_for,
        shuffled as shuffled,
    )
    from rightcall.gate.input_change import ChangeKind as ChangeKind, InputChange as InputChange
    from rightcall.gate.outcome import (
        Outcome as Outcome,
        error_rate as error_rate,
        outcomes_of as outcomes_of,
        sample_of as sample_of,
    )
    from rightcall.gate.rules import (
        Check as Check,
        GateRule as GateRule,
        HardRule as HardRule,
        LimitRule as LimitRule,
        RateRule as RateRule,
        Word as Word,
        rules_of as rules_of,
    )
    from rightcall.gate.sample_size import (
        SamplePlan as SamplePlan,
        cluster_sizes as cluster_sizes,
        plan as plan,
        warnings as warnings,
    )
    from rightcall.gate.trial_pairs import (
        Scores as Scores,
        Stratum as Stratum,
        hash_order as hash_order,
        noise_of as noise_of,
        paired as paired,
        rounds_for as rounds_for,
    )
    from rightcall.gate.verdict import Verdict as Verdict, decide as decide
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "baseline": "Baseline BaselineRule require_alike same_dataset",
            "candidates": "compare_many",
            "check_family": "held_together",
            "check_result": (
                "BaselineFacts CheckCalls CheckForecast CheckResult ComparedInputs EXIT_CODES GoldenChange HardFailure "
                "NewGoldens StratumPlan"
            ),
            "check_rule": "CheckRule CheckWord Decided Risks Step StratumState settles_at_best",
            "check_settings": "CheckSettings strata_of",
            "check_simulation": "Chances ComparedGoldens drawn_trials dropped foresee play",
            "comparison": "AdjustedTests Comparison Slice compare",
            "comparison_claim": "Change ComparisonClaim",
            "config": "About BaselineGate ClusterMode CostLimit Gate LatencyLimit read_gate",
            "early_stop": (
                "CurtailMonitor EvalueMonitor RunOrder StopMonitor Stopped in_file_order monitor_for shuffled"
            ),
            "input_change": "ChangeKind InputChange",
            "outcome": "Outcome error_rate outcomes_of sample_of",
            "rules": "Check GateRule HardRule LimitRule RateRule Word rules_of",
            "sample_size": "SamplePlan cluster_sizes plan warnings",
            "trial_pairs": "Scores Stratum hash_order noise_of paired rounds_for",
            "verdict": "Verdict decide",
        },
    )
    answers_calls(__name__, "gate")  # rc.gate(…)
