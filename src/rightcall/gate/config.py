"""The `gate:` mapping of a suite, read and checked before money is spent."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

import msgspec

from rightcall.errors import ConfigError, suggestion
from rightcall.model.codec import convert
from rightcall.model.failure import Code
from rightcall.model.record import Record

Share = Annotated[float, msgspec.Meta(gt=0, le=1)]
Amount = Annotated[float, msgspec.Meta(ge=0)]
OnInconclusive = Literal["fail", "pass", "warn"]
About = Literal["cases_like_these", "these_goldens"]
"""What a rate is claimed of: all that users may ask, of which the goldens are a sample, or exactly the goldens."""
Stop = Literal["off", "curtail", "evalue"]


class BaselineGate(Record, frozen=True):
    """Not worse by more than `margin` than an earlier run: an id, `last~1`, a tag, a branch, or an exported file.

    `anyway` compares runs with other metrics, and goldens that were edited since.
    """

    run: str
    margin: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.0
    anyway: bool = False


class LatencyLimit(Record, frozen=True):
    """Milliseconds a trial may take: the median, the 95th percentile, the worst."""

    p50: Amount | None = None
    p95: Amount | None = None
    max: Amount | None = None


class CostLimit(Record, frozen=True):
    """Dollars: for the whole run, and on average for one trial."""

    run_usd: Amount | None = None
    mean_usd: Amount | None = None


class Gate(Record, frozen=True):
    """What a run must show.

    `min` is the pass rate it must reach, with `alpha` the risk taken on each side; `target` is the rate
    one hopes for, used in planning and by `stop: evalue`. `metrics`, `categories` and `tags` hold a
    `min` each. `forbid` lists codes of which a single one fails the run, as a forbidden call, a double
    effect and a wrong state do unless `allow` names them. `rule: point` compares the bare rate
    with `min` and controls no error. `about` says what the rate is claimed of: `cases_like_these`, of which the
    goldens are a sample, or `these_goldens` alone, of which trials are. `stop` ends a run as soon as the verdict is
    known.
    """

    min: Share | None = None
    target: Share | None = None
    alpha: Annotated[float, msgspec.Meta(gt=0, le=0.5)] = 0.05
    rule: Literal["interval", "point"] = "interval"
    about: About = "cases_like_these"
    metrics: dict[str, Share] = {}
    categories: dict[str, Share] = {}
    tags: dict[str, Share] = {}
    forbid: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    baseline: BaselineGate | None = None
    max_error_rate: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.05
    latency_ms: LatencyLimit = LatencyLimit()
    cost: CostLimit = CostLimit()
    on_inconclusive: OnInconclusive = "warn"
    stop: Stop = "off"


def read_gate(mapping: Any, where: str = "gate") -> Gate:
    """A gate from plain data as a YAML file gives it, with every contradiction named at once."""
    gate = convert(mapping, Gate, where)
    problems = [f"{where}: {problem}" for problem in _problems(gate)]
    if problems:
        raise ConfigError(*problems)
    return gate


def _problems(gate: Gate) -> list[str]:
    found = []
    known = get_args(Code)
    for field, codes in (("forbid", gate.forbid), ("allow", gate.allow)):
        for code in codes:
            if code not in known:
                near = suggestion(code, known) or f"known codes: {', '.join(known)}"
                found.append(f"unknown code '{code}' in {field}; {near}")
    if both := set(gate.forbid) & set(gate.allow):
        found.append(f"{', '.join(sorted(both))} cannot be both in forbid and in allow")
    if gate.target is not None and gate.min is None:
        found.append("target needs min, the rate below which the agent must not PASS")
    if gate.target is not None and gate.min is not None and gate.target <= gate.min:
        found.append(f"target must be above min, got min {gate.min:g} and target {gate.target:g}")
    limits = [gate.min, *gate.metrics.values(), *gate.categories.values(), *gate.tags.values()]
    if gate.rule == "interval" and 1 in limits:
        found.append("no number of goldens can show 100 %; ask for less, such as 0.99, or use rule: point")
    if gate.target == 1:
        found.append("target must be below 1")
    if gate.stop != "off":
        found += _stop_problems(gate)
    return found


def _stop_problems(gate: Gate) -> list[str]:
    found = []
    if gate.min is None:
        found.append(f"stop: {gate.stop} needs min")
    if gate.stop == "evalue" and gate.target is None:
        found.append("stop: evalue needs min and target: it stops when one of the two is ruled out")
    if gate.stop == "evalue" and gate.about == "these_goldens":
        found.append("stop: evalue judges goldens as a sample, so it cannot speak of these_goldens alone")
    if gate.rule == "point":
        found.append(f"stop: {gate.stop} needs rule: interval; a bare rate is known only at the end")
    if gate.metrics or gate.categories or gate.tags or gate.baseline:
        found.append(
            f"stop: {gate.stop} works with min alone; metrics, categories, tags and baseline need all cases"
        )
    return found
