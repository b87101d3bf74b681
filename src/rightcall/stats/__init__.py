"""Statistics: pure functions on plain numbers, standard library only.

    special        incomplete beta and its inverse, binomial and its draws, normal and t
    intervals      Wilson, Clopper-Pearson, t; the bound when nothing was seen; two groups of cases
    clusters       trials in cases in clusters: equal-weight mean, its standard errors, and the interval shown with it
    gaffke         the bounds and p-values that decide a gate, and the distribution behind them
    paired_tests   McNemar, Bonett-Price, t, Fisher; Holm, Benjamini-Hochberg
    permutation    sign flips; the exchange test, exact for unequal numbers of trials
    power          pass^k; cuts, sizes, smallest visible difference
    sequential     e-values, confidence sequence; what a stopping rule does in the long run
    detect         e-detectors: a change in a stream, with a stated false-alarm rate
    judged_rate    the rate people would give, from a judge's verdicts and people's labels; lists its files
    label_plan     which cases to label
    agreement      raters with each other: share, Cohen's kappa

To add one: a function in the file of its subject, with its formula and source in the docstring, the source's
symbols, and a test against an independent computation.

    judged_strata    strata of a judge's answer: fail, split, none, pass; the rate that people would give
    melded_bounds    the one-sided bounds that decide about a judged rate
"""
