"""Judged rates by simulation: error, coverage and false verdicts of the estimate that people's labels and a judge give.

    python -m benchmarks judged [--draws 600] [--design-draws 2000] [--first 0] [--every 1] [--seed 1] [--part NAME …]

Parts: `sets` (error and coverage on counts like two public sets), `chosen` (labels chosen by strata), `designs` (810
judges from useless to perfect; a run's true rate is exactly at the threshold, where PASS and FAIL are both false),
`kappa` and `trials` (several trials of a golden). `--first 1 --every 4` takes each fourth design,
from the second on.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import time
from collections.abc import Sequence

import numpy as np

from benchmarks.judged_clusters import trial_errors
from benchmarks.judged_designs import (
    JUDGES,
    LABELS,
    ONE_JUDGE,
    SEVERAL_JUDGES,
    Population,
    designs,
    draw_run,
    judge_population,
    set_population,
)
from rightcall.stats.agreement import Table, kappa, kappa_interval
from rightcall.stats.intervals import clopper_pearson
from rightcall.stats.judged_strata import (
    About,
    LabelStratum,
    ShownInterval,
    inverse_size,
    shown_interval,
    stratum_mean,
    usable_strata,
)
from rightcall.stats.melded_bounds import melded_p_value

ALPHA = 0.05
KAPPA_DESIGNS = (
    (0.3, "good"), (0.5, "fair"), (0.5, "better"), (0.7, "mostly lenient"), (0.8, "good"), (0.3, "strict .7"),
)  # fmt: skip
CASES = 400


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks judged")
    parser.add_argument("--draws", type=int, default=600)
    parser.add_argument("--design-draws", type=int, default=2000)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", nargs="*", default=["sets", "chosen", "designs", "kappa", "trials"])
    options = parser.parse_args()
    parts = {
        "sets": lambda: show_sets(options.draws, options.seed),
        "chosen": lambda: show_chosen(options.draws, options.seed),
        "designs": lambda: show_designs(options.design_draws, options.first, options.every, options.seed),
        "kappa": lambda: show_kappa(options.draws, options.seed),
        "trials": lambda: show_rows("trials of a golden", trial_errors(options.draws, options.seed)),
    }
    for name in options.part:
        start = time.perf_counter()
        parts[name]()
        print(f"({time.perf_counter() - start:.0f} s)\n", flush=True)


def estimate(
    strata: Sequence[LabelStratum], *, chosen: bool = False, about: About = "cases_like_these"
) -> tuple[list[LabelStratum], bool, ShownInterval]:
    """What `rc.judged_rate` computes, from counts."""
    used, uses_judge = usable_strata(strata, chosen)
    return used, uses_judge, shown_interval([stratum_mean(stratum) for stratum in used], about, 0.95)


def rmse(errors: Sequence[float]) -> float:
    return math.sqrt(statistics.fmean(error * error for error in errors))


def show_sets(draws: int, seed: int) -> None:
    print(f"N = {CASES}, {draws} draws; RMSE; coverage of the 95% interval; deciding bounds wrong")
    print("set judge   n   raw    alone  R-G    judged ratio  worth  covers these  alone  f.pass f.fail")
    for name, judges in ONE_JUDGE:
        population = set_population(name, judges)
        for n in LABELS:
            row = set_row(population, n, draws, seed)
            print(
                f"{name}   {judges[0] + 1:<5} {n:>3}  " + "  ".join(f"{value:.3f}" for value in row.values())
            )


def set_row(population: Population, n: int, draws: int, seed: int) -> dict[str, float]:
    """Figures of one judge and number of labels; the true rate is the population's, and of `these` the run's."""
    rng = np.random.default_rng([seed, n])
    errors: dict[str, list[float]] = {"raw": [], "alone": [], "rogan_gladen": [], "judged": []}
    worth = []
    covers = []
    covers_these = []
    alone_covers = []
    wrong = [0, 0]
    for _ in range(draws):
        drawn = draw_run(rng, population, CASES, n)
        used, _, shown = estimate(drawn.strata)
        passed = sum(s.passed for s in drawn.strata)
        rate = population.rate
        errors["raw"].append(drawn.judged - rate)
        errors["alone"].append(passed / n - rate)
        errors["rogan_gladen"].append(_rogan_gladen(drawn.strata, drawn.judged) - rate)
        errors["judged"].append(shown.rate - rate)
        worth.append(shown.effective_labels)
        covers.append(shown.low <= rate <= shown.high)
        these = estimate(drawn.strata, about="these_cases")[2]
        covers_these.append(these.low - 1e-9 <= drawn.rate <= these.high + 1e-9)
        low, high = clopper_pearson(passed, n)
        alone_covers.append(low <= rate <= high)
        wrong[0] += melded_p_value(used, "cases_like_these", rate) <= ALPHA
        wrong[1] += melded_p_value([s.mirrored for s in used], "cases_like_these", 1 - rate) < ALPHA
    figures = {name: rmse(values) for name, values in errors.items()}
    return figures | {
        "ratio": figures["judged"] / figures["alone"],
        "worth": statistics.median(worth),
        "covers": statistics.fmean(covers),
        "covers_these": statistics.fmean(covers_these),
        "alone_covers": statistics.fmean(alone_covers),
        "false_pass": wrong[0] / draws,
        "false_fail": wrong[1] / draws,
    }


def rogan_gladen(q: float, sensitivity: float, specificity: float) -> float:
    """p = (q + sp − 1)/(se + sp − 1), clipped to [0, 1]. Rogan & Gladen, Am. J. Epidemiology 107 (1978) 71."""
    informed = sensitivity + specificity - 1
    if informed <= 0:
        raise ValueError("the judge is no better than chance")
    return min(1.0, max(0.0, (q + specificity - 1) / informed))


def _rogan_gladen(strata: Sequence[LabelStratum], judged: float) -> float:
    """The old correction from the same labels; where it is undefined, the labels alone."""
    failing = strata[0]
    passing = strata[3]
    good = failing.passed + passing.passed
    bad = failing.labels + passing.labels
    bad -= good
    try:
        return rogan_gladen(judged, passing.passed / good, (failing.labels - failing.passed) / bad)
    except (ZeroDivisionError, ValueError):
        return good / (good + bad)


def show_chosen(draws: int, seed: int) -> None:
    print(f"RMSE, N = {CASES}, cases like these, {draws} draws")
    print("set judges  48 alone  48 random  30 random  30 chosen  30 chosen covers")
    for name, judges in SEVERAL_JUDGES:
        row = chosen_row(set_population(name, judges), draws, seed)
        print(f"{name}   {len(judges)}       " + "     ".join(f"{value:.4f}" for value in row))


def chosen_row(population: Population, draws: int, seed: int) -> tuple[float, ...]:
    """Errors of 48 random labels alone and with judges, of 30 random and 30 chosen ones, and the latter's coverage."""
    errors: list[list[float]] = [[], [], [], []]
    covers = []
    rng = np.random.default_rng([seed, 30])
    rate = population.rate
    for _ in range(draws):
        many = draw_run(rng, population, CASES, 48).strata
        few = draw_run(rng, population, CASES, 30).strata
        shown = estimate(draw_run(rng, population, CASES, 30, chosen=True).strata, chosen=True)[2]
        errors[0].append(sum(s.passed for s in many) / 48 - rate)
        errors[1].append(estimate(many)[2].rate - rate)
        errors[2].append(estimate(few)[2].rate - rate)
        errors[3].append(shown.rate - rate)
        covers.append(shown.low <= rate <= shown.high)
    return (*map(rmse, errors), statistics.fmean(covers))


def show_designs(draws: int, first: int, every: int, seed: int) -> None:
    rows = [
        design_row(*design, draws, seed + place) for place, design in list(enumerate(designs()))[first::every]
    ]
    print(f"{len(rows)} designs, {draws} draws each, at the threshold; nominal 5% on each side")
    for name in ("false_pass", "false_fail", "used", "ratio", "width"):
        worst = max(rows, key=lambda row: row[name])
        mean = statistics.fmean(row[name] for row in rows)
        print(f"{name:<11} mean {mean:.4f}  worst {worst[name]:.4f} at {worst['design']}")
    shown = max(rows, key=lambda row: row["shown_wrong"])
    mean = statistics.fmean(row["shown_wrong"] for row in rows)
    print(
        f"the shown interval as a bound: mean {mean:.4f} worst {shown['shown_wrong']:.4f} at {shown['design']}"
    )
    useless = [row for row in rows if row["design"][3] == "useless"]
    if useless:
        uses = [row["used"] for row in useless]
        print(f"a useless judge is used in {min(uses):.3f}–{max(uses):.3f} of draws")


def design_row(cases: int, labels: int, rate: float, judge: str, draws: int, seed: int) -> dict:
    """Shares of false verdicts, of draws that use the judge, error and width against the labels alone."""
    population = judge_population(rate, JUDGES[judge])
    rng = np.random.default_rng(seed)
    false_pass = false_fail = uses = shown_pass = shown_fail = 0
    errors = []
    alone = []
    widths = []
    for place in range(draws):
        strata = draw_run(rng, population, cases, labels).strata
        used, uses_judge = usable_strata(strata, chosen=False)
        passed = sum(s.passed for s in strata)
        total = sum(s.cases * s.passed / s.labels for s in used) / cases
        errors.append(total - rate)
        alone.append(passed / labels - rate)
        uses += uses_judge
        if place < draws // 4:
            shown = estimate(strata)[2]
            low, high = clopper_pearson(passed, labels)
            widths.append(((shown.high - shown.low), (high - low)))
        means = [stratum_mean(s) for s in used]
        if abs(total - rate) < math.sqrt(rate * (1 - rate) * inverse_size(means, "cases_like_these")):
            continue  # nearer than one standard error: no claim
        bounds = shown_interval(means, "cases_like_these", 1 - 2 * ALPHA)
        shown_pass += bounds.low >= rate
        shown_fail += bounds.high < rate
        if total > rate:
            false_pass += melded_p_value(used, "cases_like_these", rate) <= ALPHA
        else:
            false_fail += melded_p_value([s.mirrored for s in used], "cases_like_these", 1 - rate) < ALPHA
    return {
        "design": (cases, labels, rate, judge),
        "false_pass": false_pass / draws,
        "false_fail": false_fail / draws,
        "shown_wrong": max(shown_pass, shown_fail) / draws,
        "used": uses / draws,
        "ratio": rmse(errors) / rmse(alone),
        "width": statistics.fmean(a for a, _ in widths) / statistics.fmean(b for _, b in widths),
    }


def show_kappa(draws: int, seed: int) -> None:
    """Coverage of the interval of κ over 24 designs."""
    rng = random.Random(seed)
    coverages = []
    for n in (20, 35, 50, 100):
        for rate, judge in KAPPA_DESIGNS:
            cells = judge_population(rate, JUDGES[judge]).agreement
            true = kappa(cells)
            hits = defined = 0
            for _ in range(min(draws, 100)):
                sample = rng.choices(range(4), cells, k=n)
                interval = kappa_interval(Table(*(sample.count(cell) for cell in range(4))))
                if interval is not None and true is not None:
                    defined += 1
                    hits += interval.low <= true <= interval.high
            coverages.append(hits / defined)
    print(
        f"κ: mean coverage {statistics.fmean(coverages):.3f}, worst {min(coverages):.3f} of {len(coverages)} designs"
    )


def show_rows(title: str, rows: Sequence[dict]) -> None:
    print(title)
    for row in rows:
        print(
            "  ".join(
                f"{name} {value:.3f}" if isinstance(value, float) else f"{name} {value}"
                for name, value in row.items()
            )
        )


if __name__ == "__main__":
    main()
