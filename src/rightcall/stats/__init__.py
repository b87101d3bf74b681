"""Statistics: pure functions on plain numbers, standard library only.

    special        incomplete beta and its inverse, binomial, normal and t
    intervals      Wilson, Clopper-Pearson, t; the bound when nothing was seen; two groups of cases; Jeffreys
    clusters       trials in cases in clusters: equal-weight mean, CR1 and rerun standard errors
    mean_interval  the interval shown with a mean, in one place; Korn-Graubard for repeated trials and clusters
    gaffke         the bounds and p-values that decide a gate; exponentials: the distribution behind them
    bootstrap_interval   percentile bootstrap over clusters, betting interval
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

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.stats.bootstrap_interval import (
        betting_interval as betting_interval,
        bootstrap as bootstrap,
    )
    from rightcall.stats.clusters import (
        Sample as Sample,
        Trials as Trials,
        cluster_se as cluster_se,
        rerun_se as rerun_se,
        sample as sample,
        weighted_mean as weighted_mean,
    )
    from rightcall.stats.detect import (
        WINDOWS as WINDOWS,
        Detector as Detector,
        bets as bets,
        detector_step as detector_step,
        detector_threshold as detector_threshold,
        e_detector_step as e_detector_step,
        growth_of as growth_of,
        limited as limited,
        new_detector as new_detector,
        reference_rate as reference_rate,
        simulated_delay as simulated_delay,
        upper_quantile_rank as upper_quantile_rank,
    )
    from rightcall.stats.gaffke import (
        Units as Units,
        case_units as case_units,
        gaffke_bounds as gaffke_bounds,
        gaffke_p_values as gaffke_p_values,
        trial_units as trial_units,
        units as units,
    )
    from rightcall.stats.intervals import (
        Interval as Interval,
        clopper_pearson as clopper_pearson,
        clopper_pearson_bounds as clopper_pearson_bounds,
        clopper_pearson_p_values as clopper_pearson_p_values,
        difference_of_groups as difference_of_groups,
        jeffreys as jeffreys,
        probability_at_least as probability_at_least,
        probability_better as probability_better,
        t_interval as t_interval,
        wilson as wilson,
        zero_seen_bound as zero_seen_bound,
    )
    from rightcall.stats.judge import (
        rogan_gladen as rogan_gladen,
        rogan_gladen_interval as rogan_gladen_interval,
    )
    from rightcall.stats.mean_interval import (
        SMALL_SAMPLE as SMALL_SAMPLE,
        Estimate as Estimate,
        effective_n as effective_n,
        estimate as estimate,
        korn_graubard as korn_graubard,
        korn_graubard_bounds as korn_graubard_bounds,
    )
    from rightcall.stats.paired_tests import (
        Normal as Normal,
        PairedT as PairedT,
        benjamini_hochberg as benjamini_hochberg,
        bonett_price as bonett_price,
        bonett_price_estimate as bonett_price_estimate,
        fisher_exact as fisher_exact,
        holm as holm,
        mcnemar_exact as mcnemar_exact,
        mcnemar_midp as mcnemar_midp,
        paired_t as paired_t,
        shrunk_difference as shrunk_difference,
    )
    from rightcall.stats.pass_k import (
        FlakeClass as FlakeClass,
        PassK as PassK,
        beta_moments as beta_moments,
        disagreement as disagreement,
        extrapolated_pass_hat_k as extrapolated_pass_hat_k,
        flake_class as flake_class,
        flake_rate as flake_rate,
        pass_at_k as pass_at_k,
        pass_hat_k as pass_hat_k,
        suggests_quarantine as suggests_quarantine,
        suite_pass_at_k as suite_pass_at_k,
        suite_pass_hat_k as suite_pass_hat_k,
        trials_to_see as trials_to_see,
    )
    from rightcall.stats.permutation import (
        ExchangeTable as ExchangeTable,
        exchange_p as exchange_p,
        sign_flip as sign_flip,
    )
    from rightcall.stats.power import (
        all_pass_n as all_pass_n,
        gate_cuts as gate_cuts,
        gate_n as gate_n,
        gate_power as gate_power,
        mde_paired as mde_paired,
        n_mcnemar as n_mcnemar,
        n_paired as n_paired,
        paired_variance as paired_variance,
    )
    from rightcall.stats.sequential import (
        Decision as Decision,
        LogE as LogE,
        Operating as Operating,
        confidence_sequence as confidence_sequence,
        curtail as curtail,
        e_decision as e_decision,
        fastest_stops as fastest_stops,
        log_e_step as log_e_step,
        log_e_values as log_e_values,
        mixture_log_e as mixture_log_e,
        operating as operating,
        paired_e_values as paired_e_values,
        sprt_log_e as sprt_log_e,
    )
    from rightcall.stats.special import (
        binomial_sf as binomial_sf,
        log_beta as log_beta,
        normal_cdf as normal_cdf,
        normal_quantile as normal_quantile,
        t_quantile as t_quantile,
        t_sf as t_sf,
    )
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "bootstrap_interval": "betting_interval bootstrap",
            "clusters": "Sample Trials cluster_se rerun_se sample weighted_mean",
            "detect": (
                "WINDOWS Detector bets detector_step detector_threshold e_detector_step growth_of limited "
                "new_detector reference_rate simulated_delay upper_quantile_rank"
            ),
            "gaffke": "Units case_units gaffke_bounds gaffke_p_values trial_units units",
            "intervals": (
                "Interval clopper_pearson clopper_pearson_bounds clopper_pearson_p_values "
                "difference_of_groups jeffreys probability_at_least probability_better t_interval wilson "
                "zero_seen_bound"
            ),
            "judge": "rogan_gladen rogan_gladen_interval",
            "mean_interval": "Estimate SMALL_SAMPLE effective_n estimate korn_graubard korn_graubard_bounds",
            "paired_tests": (
                "Normal PairedT benjamini_hochberg bonett_price bonett_price_estimate fisher_exact holm "
                "mcnemar_exact mcnemar_midp paired_t shrunk_difference"
            ),
            "pass_k": (
                "FlakeClass PassK beta_moments disagreement extrapolated_pass_hat_k flake_class flake_rate "
                "pass_at_k pass_hat_k suggests_quarantine suite_pass_at_k suite_pass_hat_k trials_to_see"
            ),
            "permutation": "ExchangeTable exchange_p sign_flip",
            "power": "all_pass_n gate_cuts gate_n gate_power mde_paired n_mcnemar n_paired paired_variance",
            "sequential": (
                "Decision LogE Operating confidence_sequence curtail e_decision fastest_stops log_e_step "
                "log_e_values mixture_log_e operating paired_e_values sprt_log_e"
            ),
            "special": "binomial_sf log_beta normal_cdf normal_quantile t_quantile t_sf",
        },
    )
