"""Decides whether a run passes, from plain outcomes: no store, no screen, no clock.

    config     Gate: the `gate:` mapping of a suite, read and checked
    golden_outcomes  Outcome: what a gate sees of a golden; gathered from case results
    rules      rates, metrics, categories, forbidden codes, latency and cost, as rules; Check: the result of one
    rate_range the range of a rate as it is shown
    rule_source  how capabilities add rules, by keys of a gate and by facts of a run
    verdict    all rules combined: PASS, FAIL, INCONCLUSIVE, ERROR
    comparison two runs golden by golden     baseline   not worse than an earlier, comparable run
    comparison_claim  what two runs allow to say, in words
    candidates several runs against one, decided by adjusted p-values
    early_stop ending a run early            sample_size how many goldens, and whether PASS is possible
    simulation what a rule will do           advice     what would decide an undecided rate
    label_rules   which labels are about a run's cases, what several people say together, who labels what
    check_settings, check_rule   the strata and the rule of `check`
    check_procedure, small_suite   what `check` runs from the first trial to the last, and its rule for few goldens

To add a rule: a class in `rules`, a field in `Gate`, a line in `rules_of`.
A capability adds a `RuleSource`, named in `core/seam.py`.

    check_result       what `check` found: `rightcall/check/1`
    confirmation       the confirmation of an alarm
    difference         goldens of two runs paired, and the mean difference with its interval, bounds and test
    floor_rule         the rule `above_floor` of an audit
    judged_cases       a run without a gate, and a comparison, in which judges have a say
    judged_evidence    what judges and people say about the cases of a run, as rules need it
    judged_rule        a required rate that judges have a say in
    input_change       one difference between the inputs of a baseline and those of a candidate
    options            the options of `check` and `gate` that are rules of a decision, each declared once
    safety_numbers     the numbers of attacks on a run
    safety_rule        the rules of `attacks`: what they do, and what a replay without a model reaches
"""
