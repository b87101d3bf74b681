"""`check`: the one command for a pull request. Tries what a change can affect, and stops as soon as it is settled.

suite_check        the command: suites, their baselines, their verdicts
design             what changed, which goldens that affects, how they are tried; nothing is spent yet
reach              what changed of what the suite states, and which goldens that and first requests can reach
first_requests     what an agent that is code asks first, now and in the baseline
trials, version_trials   the trials of both versions, and what follows an alarm
stored_checks      what an interrupted check continues
evidence, decision   what the trials showed, answered or not, and the verdict with its reason
result, words      the result, in words, and what qualifies it
base_version       the version a change started from, and fresh trials of it

    base_process  the program that runs the base version of a suite
    options       the options of `rightcall check` and `rightcall.check`, each declared once
"""
