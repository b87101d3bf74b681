"""What decides a run: `gate:` of a suite and the blocks that add to it, checked before money is spent."""

from __future__ import annotations

from itertools import chain
from typing import Annotated, Any, Literal, get_args

import msgspec

from rightcall.core.codec import convert
from rightcall.core.errors import ConfigError, suggestion
from rightcall.core.options import described
from rightcall.decide.options import About
from rightcall.records.failure import Code, WorstCaseCode
from rightcall.records.record import Record
from rightcall.records.worst_case import Threat

ATTACK_CODES = frozenset({"hijacked", "leaked", "out_of_scope", "cross_user", "runaway", "over_refusal"})
"""Codes that only an attack can show: where none was delivered, their absence says nothing."""
Share = Annotated[float, msgspec.Meta(gt=0, le=1)]
Part = Annotated[float, msgspec.Meta(ge=0, le=1)]
Amount = Annotated[float, msgspec.Meta(ge=0)]
Points = Annotated[float, msgspec.Meta(ge=0, lt=100)]
AboveFloor = Annotated[
    Points | None,
    described("points by which a run's pass rate must exceed that of the best trivial agent"),
]
OnInconclusive = Literal["fail", "pass", "warn"]


class BaselineGate(Record, frozen=True):
    """Not worse by more than `margin` than an earlier run: an id, `last~1`, a tag, a branch, or an exported file.

    `anyway` also compares runs with other metrics and edited goldens.
    """

    run: Annotated[str, described("the earlier run: an id, last~1, a tag, branch:NAME, or an exported file")]
    margin: Annotated[float, described("largest acceptable drop of the pass rate", ge=0, lt=1)] = 0.0
    anyway: Annotated[bool, described("also compare runs with other metrics or edited goldens")] = False


class LatencyLimit(Record, frozen=True):
    """Latency limits of a trial in milliseconds: median, 95th percentile, maximum."""

    p50: Annotated[Amount | None, described("median latency of a trial, in milliseconds")] = None
    p95: Annotated[Amount | None, described("95th percentile of the latency of a trial, in milliseconds")] = (
        None
    )
    max: Annotated[Amount | None, described("highest latency of a trial, in milliseconds")] = None


class CostLimit(Record, frozen=True):
    """Cost limits in US dollars: for the whole run, and on average per trial."""

    run_usd: Annotated[Amount | None, described("maximum cost of the whole run, in US dollars")] = None
    mean_usd: Annotated[Amount | None, described("mean cost of a trial, in US dollars")] = None


class JudgePolicy(Record, frozen=True):
    """How judged metrics decide: by people's labels, which say what the judge's verdicts are worth."""

    labels: Annotated[
        int, described("labels of a run's cases that a deciding judged metric needs", ge=8, le=100_000)
    ] = 24
    kappa: Annotated[
        float,
        described(
            "agreement with people below which the judge is not used, and labels alone decide", ge=-1, le=1
        ),
    ] = 0.2
    uncalibrated: Annotated[
        Literal["refuse", "allow"],
        described(
            "refuse: without enough labels a judged rate decides nothing; allow: the judge's own rate decides"
        ),
    ] = "refuse"


class SafetyGate(Record, frozen=True):
    """What attacks may do at most. Bounds are exact and one-sided, by the `alpha` of `statistics:`."""

    max_asr: Annotated[
        Share | None, described("highest share of delivered attacks that are obeyed, as an upper bound")
    ] = None
    max_leak: Annotated[
        Share | None, described("highest share of trials with a secret in which it leaks, as an upper bound")
    ] = None
    max_stop: Annotated[
        Share | None,
        described("highest share of attacks with the goal stop that undo a task, as an upper bound"),
    ] = None
    max_over_refusal: Annotated[
        Part | None, described("highest share of authorised requests that are refused")
    ] = None
    min_safe_utility: Annotated[
        Share | None,
        described("share of delivered attacks under which the task is done and nothing obeyed"),
    ] = None
    min_delivery: Annotated[
        float, described("share of attacks of each family that the agent must have read", ge=0, le=1)
    ] = 0.8


class WorstCaseGate(Record, frozen=True):
    """What an attacker who hijacks the model may reach at most, by a replay without a model: counts, no statistics."""

    unguarded: Annotated[int, described("sinks that the attacker may reach", ge=0)] = 0
    max_false_stops: Annotated[
        Part | None, described("highest share of the user's own calls that the guard stops")
    ] = None
    threat: Annotated[
        Threat, described("what the attacker writes: text in a record, or the fields of a record")
    ] = "text"


class GateKeys(Record, frozen=True):
    """What a run must reach: `gate:` of a suite."""

    min: Annotated[Share | None, described("required pass rate")] = None
    forbid: Annotated[tuple[str, ...], described("failure codes that fail the run if they occur once")] = ()
    allow: Annotated[
        tuple[str, ...],
        described("fatal codes that do not fail the run: forbidden_call, double_effect, wrong_state"),
    ] = ()
    metrics: Annotated[dict[str, Share], described("required mean of a metric, by name")] = {}
    by: Annotated[
        dict[Literal["categories", "tags"], dict[str, Share]],
        described(
            "required pass rate of a category or a tag: {categories: {NAME: RATE}, tags: {NAME: RATE}}"
        ),
    ] = {}
    max_error_rate: Annotated[
        float, described("share of trials without an answer above which the run is an ERROR", ge=0, le=1)
    ] = 0.05
    latency_ms: Annotated[LatencyLimit, described("limits of the latency of a trial")] = LatencyLimit()
    cost: Annotated[CostLimit, described("limits of the cost")] = CostLimit()
    baseline: Annotated[BaselineGate | None, described("a run that this one must not be worse than")] = None
    on_inconclusive: Annotated[
        OnInconclusive, described("exit code of INCONCLUSIVE: fail 1, warn 3, pass 0")
    ] = "warn"


Target = Annotated[Share | None, described("expected pass rate, for `gate --plan` and for stop: evalue")]
Alpha = Annotated[float, described("error rate on each side of the pass rate", gt=0, le=0.5)]
Rule = Annotated[
    Literal["interval", "point"],
    described("interval: PASS and FAIL with error control; point: compare the observed rate with min"),
]
AboutKey = Annotated[
    About,
    described(
        "population of the claim: all cases, of which the goldens are a sample, or exactly the goldens"
    ),
]
Stop = Annotated[
    Literal["off", "evalue"], described("evalue: end a run as soon as min or target is ruled out")
]


class Statistics(Record, frozen=True):
    """How a gate's rates are decided: `statistics:` of a suite."""

    target: Target = None
    alpha: Alpha = 0.05
    rule: Rule = "interval"
    about: AboutKey = "cases_like_these"
    stop: Stop = "off"


DEFAULTS = Statistics()


class Gate(GateKeys, frozen=True):
    """Everything that decides a run: the keys of `gate:`, and what other blocks of a suite add to them.

    `target`, `alpha`, `rule`, `about` and `stop` are `statistics:`; `judges` is `judge:`; `safety` limits what attacks
    may do and `worst_case` what an attacker reaches who succeeds, both in `attacks:`; `above_floor`, of `audit:`, is
    how many points the pass rate must be above that of the best trivial agent.
    """

    target: Target = DEFAULTS.target
    alpha: Alpha = DEFAULTS.alpha
    rule: Rule = DEFAULTS.rule
    about: AboutKey = DEFAULTS.about
    stop: Stop = DEFAULTS.stop
    above_floor: AboveFloor = None
    safety: SafetyGate | None = None
    worst_case: WorstCaseGate | None = None
    judges: JudgePolicy = JudgePolicy()

    def __post_init__(self) -> None:
        """Files are checked by their types; a gate made in Python is checked here: a rate of 0 is always reached."""
        groups = dict(chain.from_iterable(group.items() for group in self.by.values()))
        shares = {"min": self.min, "target": self.target, **self.metrics, **groups}
        for name, share in shares.items():
            if share is not None and not 0 < share <= 1:
                raise ConfigError(f"gate: {name} must be above 0 and at most 1, got {share:g}")

    @property
    def categories(self) -> dict[str, float]:
        return self.by.get("categories", {})

    @property
    def tags(self) -> dict[str, float]:
        return self.by.get("tags", {})

    @property
    def requires_something(self) -> bool:
        """Whether there is a requirement that a run could miss."""
        limits = (self.latency_ms, self.cost) != (LatencyLimit(), CostLimit())
        attacks = (self.safety, self.worst_case) != (None, None)
        return self.limits_passes or limits or attacks or bool(self.forbid)

    @property
    def limits_passes(self) -> bool:
        """Whether it asks how many cases pass: of all, of some of them, or compared with another run."""
        rates = (self.min, self.above_floor, self.baseline)
        return rates != (None, None, None) or bool(self.metrics or self.by)

    @property
    def generalizes(self) -> bool:
        """Whether it claims something about cases that were not drawn, so that related goldens count as one."""
        rates = (self.min, self.above_floor) != (None, None) or bool(self.metrics or self.by)
        sampled = rates and self.rule == "interval" and self.about == "cases_like_these"
        return sampled or self.baseline is not None

    @property
    def about_attacks(self) -> bool:
        """Whether it needs to know what attacks did."""
        return self.safety is not None or not ATTACK_CODES.isdisjoint(self.forbid)

    @property
    def limits_latency(self) -> bool:
        return self.latency_ms != LatencyLimit()


def read_gate(mapping: Any, where: str = "gate") -> Gate:
    """A gate from plain data in Python; one error lists every problem."""
    return checked_gate(convert(mapping, Gate, where), where)


def checked_gate(gate: Gate, where: str = "gate") -> Gate:
    """The gate; raises `ConfigError` with every requirement that cannot be met."""
    if problems := [f"{where}: {problem}" for problem in _problems(gate)]:
        raise ConfigError(*problems)
    return gate


def _problems(gate: Gate) -> list[str]:
    problems = []
    codes_known = get_args(Code)
    for field, codes in (("forbid", gate.forbid), ("allow", gate.allow)):
        for code in codes:
            if code not in codes_known:
                near = suggestion(code, codes_known) or f"known codes: {', '.join(codes_known)}"
                problems.append(f"unknown code '{code}' in {field}; {near}")
            elif code in get_args(WorstCaseCode):
                problems.append(
                    f"{field}: no case has the code {code}; limit it by `worst_case` of `attacks`"
                )
    if both := set(gate.forbid) & set(gate.allow):
        problems.append(f"{', '.join(sorted(both))} cannot be both in forbid and in allow")
    if gate.target is not None and gate.min is None:
        problems.append("target requires min, the rate below which the agent must not PASS")
    if gate.target is not None and gate.min is not None and gate.target <= gate.min:
        problems.append(f"target must be above min, got min {gate.min:g} and target {gate.target:g}")
    if gate.above_floor is not None and 0 < gate.above_floor < 1:
        problems.append(
            f"above_floor is in points, got {gate.above_floor:g}; for 20 points write 20, not 0.2"
        )
    limits = [gate.min, *gate.metrics.values(), *gate.categories.values(), *gate.tags.values()]
    if gate.rule == "interval" and 1 in limits:
        problems.append("no number of goldens can show 100%; use a lower min, such as 0.99, or rule: point")
    if gate.target == 1:
        problems.append("target must be below 1")
    if gate.stop != "off":
        problems += _stop_problems(gate)
    return problems


def _stop_problems(gate: Gate) -> list[str]:
    problems = []
    if gate.min is None or gate.target is None:
        problems.append("stop: evalue requires min and target: it stops when one of the two is ruled out")
    if gate.about == "these_goldens":
        problems.append(
            "stop: evalue treats goldens as a sample, so it does not work with about: these_goldens"
        )
    if gate.rule == "point":
        problems.append("stop: evalue requires rule: interval; the observed rate is known only at the end")
    if gate.metrics or gate.by or gate.baseline or gate.above_floor is not None:
        problems.append(
            "stop: evalue works only with min; metrics, by, above_floor and baseline require all cases"
        )
    return problems
