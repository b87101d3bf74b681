"""A suite of three cases on an agent that picks the wrong tool once: two thirds pass, at a mean score of 0.700.

The agent runs in a loop with mocked tools. The report has what a run adds up to, each with its interval, and why
each case failed.
"""

from weather import CONFUSED, GOLDENS, agent

import rightcall as rc

run = rc.evaluate(
    agent(forecast=CONFUSED),
    GOLDENS,
    rules="seed",
    name="Weather agent",
)

for result in run.results:
    print(f"[{'PASS' if result.passed else 'FAIL'}] {result.golden_id}  score {result.score:.2f}")
    if not result.passed:
        print("      ", result.metrics["overall"].reason)

whole = run.summary.overall
print(f"{whole.passed} of {whole.cases} passed ({whole.pass_rate:.1%})")
for name in ("overall", "tool_precision", "tool_recall", "parameter_accuracy"):
    print(f"  mean {name}: {whole.means[name]:.3f}")

assert (whole.passed, whole.cases) == (2, 3)
assert f"{whole.pass_rate:.1%}" == "66.7%" and f"{whole.means['overall']:.3f}" == "0.700"
