"""A list of prompts is a dataset before anybody knows what should happen: it runs, and neither passes nor fails."""

from pathlib import Path

import rightcall as rc

Path("prompts.txt").write_text(
    "# What people asked last week\nWeather in Hanoi?\nHello there\n", encoding="utf-8"
)


def agent(golden):
    if "Weather" in golden.input:
        return [rc.ToolCall("get_weather", {"city": "Hanoi"})]
    return rc.Trajectory(output="Hello! How can I help?")


run = rc.evaluate(agent, "prompts.txt", name="prompts")
print(run.verdict)
for result in run.results:
    print(result.outcome, [call.name for call in result.trajectory.calls])
assert run.verdict.word == "INCONCLUSIVE" and run.verdict.exit_code == 3 and not run.passed
assert (run.summary.unchecked, run.summary.overall.cases) == (2, 0)

# Beside goldens that state a check, prompts are in no rate, and they make nothing green.
checked = rc.Golden(
    "Weather in Hue?", id="hue", expected_calls=[rc.ExpectedCall("get_weather", {"city": "Hue"})]
)
mixed = rc.evaluate(agent, [checked, *rc.load_dataset("prompts.txt")])
assert (mixed.summary.overall.passed, mixed.summary.overall.cases, mixed.summary.unchecked) == (0, 1, 2)

# A metric alone decides about them; an empty list that somebody wrote says that nothing may be called.
assert rc.evaluate(agent, "prompts.txt", metrics=[lambda case: len(case.trajectory.calls) <= 1]).passed
assert not rc.evaluate(agent, [rc.Golden("Weather in Hanoi?", expected_calls=[])]).passed
assert rc.evaluate(agent, [rc.Golden("Hello there", expected_calls=[])]).passed
