"""`check`: the one command for a pull request. Tries what a change can affect, and stops as soon as it is settled.

suite_check        the command: suites, their baselines, their verdicts
design             what changed, which goldens that affects, how they are tried; nothing is spent yet
reach              what changed of what the suite states, and which goldens that and first requests can reach
first_requests     what an agent that is code asks first, now and in the baseline
trials, version_trials   the trials of both versions, and what follows an alarm
stored_checks      what an interrupted check continues
evidence, decision   what the trials showed, and the verdict with its reason
result, words, silent_services    the result, in words, what qualifies it, and trials without an answer
base_version       the version a change started from, run or scored again

    base_process  the program that runs the base version of a suite
    base_trials   fresh trials of the version that a change started from
    options       the options of `rightcall check` and `rightcall.check`, each declared once
"""
