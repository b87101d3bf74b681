"""Before money is spent: how many goldens a gate needs, what that costs, whether PASS is possible at all."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import msgspec

from rightcall import stats
from rightcall.errors import ConfigError
from rightcall.gate.check import counted, percent
from rightcall.gate.config import Gate
from rightcall.model.record import Record

LIKELY_ICC = 0.5
"""How alike trials of one golden are assumed to be (0 not at all, 1 the same every time) unless told."""


class Plan(Record, frozen=True):
    """What a gate with `min` and `target` takes.

    `goldens` give the asked-for power with these trials; `perfect` is the fewest with which a flawless run
    can PASS. `allowed_failures` holds for single trials. `have` and what follows are None without a dataset.
    """

    sentence: str
    goldens: int
    trials: int
    perfect: int
    allowed_failures: int
    power: float
    cost_usd: float | None = None
    have: int | None = None
    chance_to_pass: float | None = None
    curtail_goldens: float | None = None
    evalue_goldens: float | None = None


def plan(
    minimum: float,
    target: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    trials: int = 1,
    icc: float = LIKELY_ICC,
    cost_per_trial: float | None = None,
    have: int | None = None,
) -> Plan:
    """How many goldens show that the rate is at least `minimum` when it truly is `target`.

    Exact for one trial. With m trials of a golden that agree with intra-class correlation ρ, m/(1+(m−1)ρ)
    goldens' worth is learnt from each (Kish's design effect), so about that many times fewer are needed;
    never fewer than a flawless run needs.
    """
    if trials < 1:
        raise ConfigError(f"plan: trials must be at least 1, got {trials}")
    single, k, reached = stats.gate_n(minimum, target, power, alpha)
    perfect = stats.all_pass_n(minimum, alpha)
    worth = trials / (1 + (trials - 1) * icc)
    goldens = single if trials == 1 else max(perfect, math.ceil(single / worth))
    size = have or goldens
    chance = None if have is None else stats.gate_power(round(have * worth), minimum, target, alpha)[0]
    if have is not None and have < perfect:
        chance = 0.0
    stopping = _expected(size, minimum, target, alpha) if trials == 1 and size <= 2_000 else (None, None)
    found = Plan(
        "",
        goldens,
        trials,
        perfect,
        single - k,
        reached,
        cost_usd=None if cost_per_trial is None else cost_per_trial * size * trials,
        have=have,
        chance_to_pass=chance,
        curtail_goldens=stopping[0],
        evalue_goldens=stopping[1],
    )
    return _said(found, minimum, target, power, icc)


def warnings(gate: Gate, categories: Iterable[str], tags: Iterable[Iterable[str]] = ()) -> list[str]:
    """What is wrong with a gate for a dataset whose goldens have these categories and tags.

    Above all: PASS is impossible, since even a flawless run is too short.
    """
    kinds = list(categories)
    labels = [set(t) for t in tags]
    sizes: dict[str, tuple[float, int]] = {}
    if gate.min is not None:
        sizes["pass rate"] = gate.min, len(kinds)
    sizes |= {f"metric {m}": (limit, len(kinds)) for m, limit in gate.metrics.items()}
    sizes |= {f"category {c}": (limit, kinds.count(c)) for c, limit in gate.categories.items()}
    sizes |= {f"tag {t}": (limit, sum(t in of_one for of_one in labels)) for t, limit in gate.tags.items()}
    found = [f"{name}: there are no such goldens" for name, (_, n) in sizes.items() if n == 0]
    if gate.rule == "interval":
        found += _impossible({name: size for name, size in sizes.items() if size[1]}, gate.alpha)
    return found


def _impossible(sizes: Mapping[str, tuple[float, int]], alpha: float) -> list[str]:
    flawless = stats.holm([limit**n for limit, n in sizes.values()])
    found = []
    for (name, (limit, n)), p in zip(sizes.items(), flawless, strict=True):
        if p > alpha:
            needed = stats.all_pass_n(limit, alpha)
            among = f" (more with {len(sizes)} rules)" if len(sizes) > 1 else ""
            found.append(
                f"{name}: PASS is impossible, {counted(n, 'golden')} cannot show {percent(limit)} even if "
                f"all pass; at least {needed:,} are needed{among}"
            )
    return found


def _expected(total: int, minimum: float, target: float, alpha: float) -> tuple[float, float]:
    """Mean number of goldens used by curtail and by evalue when the rate is `target`."""
    k_pass, k_fail = stats.gate_cuts(total, minimum, alpha)
    curtailed = stats.operating(lambda s, n: stats.curtail(s, n, total, k_pass, k_fail), total, target)
    up, down = stats.log_e_step(1.0, minimum, target), stats.log_e_step(0.0, minimum, target)

    def by_evidence(s: int, n: int) -> stats.Decision | None:
        log_e = stats.LogE(s * up.plus + (n - s) * down.plus, s * up.minus + (n - s) * down.minus)
        return stats.e_decision(log_e, alpha, alpha)

    return curtailed.cases, stats.operating(by_evidence, total, target).cases


def _said(found: Plan, minimum: float, target: float, power: float, icc: float) -> Plan:
    about = "" if found.trials == 1 else "about "
    text = (
        f"To show at least {percent(minimum)} when the true rate is {percent(target)}, with a chance of "
        f"{percent(power)}, takes {about}{found.goldens:,} goldens"
    )
    if found.trials == 1:
        text += f", of which {found.allowed_failures} may fail"
    else:
        text += f" of {found.trials} trials (trials of one golden taken to agree with correlation {icc:g})"
    text += f". A flawless run needs {found.perfect:,}."
    if found.have is not None and found.chance_to_pass is not None:
        text += f" With {found.have:,} the chance to PASS is {percent(found.chance_to_pass)}."
        if found.have < found.perfect:
            text += " PASS is impossible: add goldens or lower min."
    if found.cost_usd is not None:
        text += f" Expected cost {found.cost_usd:,.2f} USD."
    return msgspec.structs.replace(found, sentence=text)
