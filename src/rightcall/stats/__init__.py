"""Statistics: pure functions on plain numbers, standard library only.

    special        incomplete beta and its inverse, binomial, normal and t
    intervals      Wilson, Clopper-Pearson, t; the bound when nothing was seen; two groups of cases; Jeffreys
    sample         trials in cases in clusters: equal-weight mean, CR1 and rerun standard errors
    korn_graubard  intervals for repeated trials and clusters
    estimate       the interval shown with a mean, in one place
    gaffke         the bounds and p-values that decide a gate; exponentials: the distribution behind them
    bootstrap      percentile bootstrap over clusters, betting interval
    pass_k         pass^k and pass@k; flaky cases
    paired_tests   McNemar, Bonett-Price, t, Fisher; Holm, Benjamini-Hochberg
    permutation    sign flips; the exchange test, exact for unequal numbers of trials
    power          cuts, sizes, smallest visible difference
    sequential     curtailment, e-values, confidence sequence; what a stopping rule does in the long run
    detect         e-detectors: a change in a stream, with a stated false-alarm rate
    judge          rates corrected for a judge's errors

To add one: a function in the file of its subject, with its formula and source in the docstring, the source's
symbols, and a test against an independent computation.
"""

from rightcall.stats.bootstrap import betting_interval, bootstrap
from rightcall.stats.detect import (
    Detector,
    bets,
    detector_step,
    detector_threshold,
    e_detector_step,
    new_detector,
    reference_rate,
    simulated_delay,
    upper_quantile_rank,
)
from rightcall.stats.estimate import SMALL_SAMPLE, Estimate, estimate
from rightcall.stats.gaffke import Units, case_units, gaffke_bounds, gaffke_p_values, trial_units, units
from rightcall.stats.intervals import (
    Interval,
    clopper_pearson,
    clopper_pearson_bounds,
    clopper_pearson_p_values,
    difference_of_groups,
    jeffreys,
    probability_at_least,
    probability_better,
    t_interval,
    wilson,
    zero_seen_bound,
)
from rightcall.stats.judge import rogan_gladen, rogan_gladen_interval
from rightcall.stats.korn_graubard import effective_n, korn_graubard, korn_graubard_bounds
from rightcall.stats.paired_tests import (
    Normal,
    PairedT,
    benjamini_hochberg,
    bonett_price,
    bonett_price_estimate,
    fisher_exact,
    holm,
    mcnemar_exact,
    mcnemar_midp,
    paired_t,
    shrunk_difference,
)
from rightcall.stats.pass_k import (
    FlakeClass,
    PassK,
    beta_moments,
    disagreement,
    extrapolated_pass_hat_k,
    flake_class,
    flake_rate,
    pass_at_k,
    pass_hat_k,
    suggests_quarantine,
    suite_pass_at_k,
    suite_pass_hat_k,
    trials_to_see,
)
from rightcall.stats.permutation import ExchangeTable, exchange_p, sign_flip
from rightcall.stats.power import (
    all_pass_n,
    gate_cuts,
    gate_n,
    gate_power,
    mde_paired,
    n_mcnemar,
    n_paired,
    paired_variance,
)
from rightcall.stats.sample import Sample, Trials, cluster_se, rerun_se, sample, weighted_mean
from rightcall.stats.sequential import (
    Decision,
    LogE,
    Operating,
    confidence_sequence,
    curtail,
    e_decision,
    fastest_stops,
    log_e_step,
    log_e_values,
    mixture_log_e,
    operating,
    paired_e_values,
    sprt_log_e,
)
from rightcall.stats.special import binomial_sf, log_beta, normal_cdf, normal_quantile, t_quantile, t_sf

__all__ = [
    "SMALL_SAMPLE",
    "Decision",
    "Detector",
    "Estimate",
    "ExchangeTable",
    "FlakeClass",
    "Interval",
    "LogE",
    "Normal",
    "Operating",
    "PairedT",
    "PassK",
    "Sample",
    "Trials",
    "Units",
    "all_pass_n",
    "benjamini_hochberg",
    "beta_moments",
    "bets",
    "betting_interval",
    "binomial_sf",
    "bonett_price",
    "bonett_price_estimate",
    "bootstrap",
    "case_units",
    "clopper_pearson",
    "clopper_pearson_bounds",
    "clopper_pearson_p_values",
    "cluster_se",
    "confidence_sequence",
    "curtail",
    "detector_step",
    "detector_threshold",
    "difference_of_groups",
    "disagreement",
    "e_decision",
    "e_detector_step",
    "effective_n",
    "estimate",
    "exchange_p",
    "extrapolated_pass_hat_k",
    "fastest_stops",
    "fisher_exact",
    "flake_class",
    "flake_rate",
    "gaffke_bounds",
    "gaffke_p_values",
    "gate_cuts",
    "gate_n",
    "gate_power",
    "holm",
    "jeffreys",
    "korn_graubard",
    "korn_graubard_bounds",
    "log_beta",
    "log_e_step",
    "log_e_values",
    "mcnemar_exact",
    "mcnemar_midp",
    "mde_paired",
    "mixture_log_e",
    "n_mcnemar",
    "n_paired",
    "new_detector",
    "normal_cdf",
    "normal_quantile",
    "operating",
    "paired_e_values",
    "paired_t",
    "paired_variance",
    "pass_at_k",
    "pass_hat_k",
    "probability_at_least",
    "probability_better",
    "reference_rate",
    "rerun_se",
    "rogan_gladen",
    "rogan_gladen_interval",
    "sample",
    "shrunk_difference",
    "sign_flip",
    "simulated_delay",
    "sprt_log_e",
    "suggests_quarantine",
    "suite_pass_at_k",
    "suite_pass_hat_k",
    "t_interval",
    "t_quantile",
    "t_sf",
    "trial_units",
    "trials_to_see",
    "units",
    "upper_quantile_rank",
    "weighted_mean",
    "wilson",
    "zero_seen_bound",
]
