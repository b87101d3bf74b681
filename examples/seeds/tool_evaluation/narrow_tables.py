"""Tables keep their numbers at any width: texts are shortened, and columns that do not fit follow below."""

import io
import re

from weather import CONFUSED, GOLDENS, agent

import rightcall as rc
from rightcall.improve.run_matrix import group_trend
from rightcall.show.comparison import print_trend
from rightcall.show.screen import Screen
from rightcall.show.terminal import print_summary

runs = [rc.evaluate(agent(**change), GOLDENS, group="nightly") for change in ({}, {"forecast": CONFUSED})]


def shown(width):
    """The summary of the last run and the trend of all, on a terminal of this width."""
    file = io.StringIO()
    screen = Screen(file=file, width=width)
    print_summary(runs[-1].summary, [], console=screen)
    print_trend(screen, "nightly", group_trend(runs[-1].store, "nightly"))
    return file.getvalue()


def numbers(text):
    return set(re.findall(r"\d+\.\d+%?|\d+/\d+", text))


print(shown(60))
assert numbers(shown(60)) == numbers(shown(80)) == numbers(shown(200)) != set()
assert all(run.id in shown(60) for run in runs)
