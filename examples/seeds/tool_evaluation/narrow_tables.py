"""Tables keep their numbers at any width: texts are shortened, and columns that do not fit follow below."""

import re

from weather import CONFUSED, GOLDENS, agent

import rightcall as rc

runs = [rc.evaluate(agent(**change), GOLDENS, group="nightly") for change in ({}, {"forecast": CONFUSED})]


def shown(width):
    """The table of the runs on a terminal of this width."""
    return rc.trend(runs).show(width)


def numbers(text):
    return set(re.findall(r"\d+\.\d+%?|\d+/\d+", text))


print(shown(60))
assert numbers(shown(60)) == numbers(shown(80)) == numbers(shown(200)) != set()
assert all(run.id in shown(60) for run in runs)
