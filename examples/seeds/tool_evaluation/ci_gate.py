"""A gate for a pipeline: the build fails when fewer than 85% of the cases pass, and says which.

`rule: point` compares the bare rate. Three cases can show little, so the default rule looks at an interval and says
INCONCLUSIVE when the goldens are too few to tell: plan how many are needed with `rightcall gate --plan`.
"""

import sys

from weather import CONFUSED, FORECAST, GOLDENS, agent

import rightcall as rc


def build_passes(forecast, gate):
    """Whether the build goes on; the reasons are on the screen if not."""
    run = rc.evaluate(agent(forecast), GOLDENS, gate=gate, group="weather-ci")
    print(run.verdict.sentence)
    for result in run.results:
        if not result.passed:
            print(f"  {result.golden_id}: {result.metrics['overall'].reason}")
    return run.passed


POINT = {"min": 0.85, "rule": "point"}
assert build_passes(FORECAST, POINT)
assert not build_passes(CONFUSED, POINT)

# Three of three is no proof of 85%: the interval rule does not say PASS before the goldens allow it.
assert not build_passes(FORECAST, {"min": 0.85})

if not build_passes(FORECAST, POINT):  # in a pipeline: the exit code fails the build
    sys.exit(1)
