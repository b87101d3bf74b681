"""The one alignment between expected and actual calls, and what is read off it.

matchers/      value or MISSING → score in [0, 1]
compile        what a golden says → matcher
expectation    expected calls made ready: slots with matchers
assignment     best one-to-one assignment
alignment      the alignment itself, under order constraints
answer         what the final answer should contain
explain        alignment → failures with evidence
reasons        failures → words
verdict        numbers, pass mark, rules
judge          all of it: golden + trajectory + tools → verdict
"""
