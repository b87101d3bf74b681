"""The same suite after every change: runs of one group are stored together, and two are compared case by case."""

from weather import CONFUSED, GOLDENS, agent

import rightcall as rc

before = rc.evaluate(agent(), GOLDENS, group="weather-nightly", name="before")
after = rc.evaluate(agent(forecast=CONFUSED), GOLDENS, group="weather-nightly", name="after")

for run in (before, after):
    print(run.id, run.store.runs.get(run.id).run.group, f"{run.summary.overall.pass_rate:.0%}")

print(rc.compare(before, after))
assert before.passed and not after.passed
