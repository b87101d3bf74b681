"""The alignment of expected and actual calls, and the results derived from it.

matchers/      value or MISSING → score in [0, 1]
compile        a golden's argument → matcher
expectation    expected calls prepared for comparison, and what the final answer should contain
fast_path      cases that need no alignment
assignment     best one-to-one assignment, and the limit on such work
alignment      the alignment itself, under order constraints
explain        alignment → failures with evidence
reasons        failures → text
case_numbers   aligned calls → precision, recall, order and the other numbers of a case
verdict        numbers, pass mark, rules
judge_case     all of it: golden + trajectory + tools → verdict

    approvals  what a trajectory shows about approvals
    base       the interface of matchers, and equality of JSON values, typed: true is not 1, but 1 is 1.0
    binding    alignment of expected calls that refer to each other's results
    handoffs   what a golden that names agents checks besides calls
    call_kinds calls by kind
    literal_objects  objects that look like matchers and are read literally
    teamwork   agents in a case: calls that give work to an agent, whose calls count, who may make a call
"""
