"""Dataset → executor → evaluators → scores: tools are offered but never run, only the choice is scored.

The three evaluators are for the three categories: all expected tools (golden), none of the forbidden ones
(negative), and F1 of the names where the request is ambiguous (secondary). Each lets the other categories pass.
"""

from pathlib import Path

from file_tools import TOOLS, model

import rightcall as rc
from rightcall.laminar import evaluate

DATA = Path(__file__).with_name("file-tools.json")


def tools_selected(output, target):
    if target["category"] != "golden":
        return 1
    return set(target["expectedTools"]) <= {call.name for call in output.calls}


def tools_avoided(output, target):
    if target["category"] != "negative":
        return 1
    return not set(target["forbiddenTools"]) & {call.name for call in output.calls}


def selection_score(output, target):
    if target["category"] != "secondary":
        return 1
    expected = target["expectedTools"]
    selected = [call.name for call in output.calls]
    hits = sum(name in expected for name in selected)
    return 2 * hits / (len(expected) + len(selected)) if hits else 0


EVALUATORS = {
    "toolsSelected": tools_selected,
    "toolsAvoided": tools_avoided,
    "selectionScore": selection_score,
}


def evaluated(**choices):
    run = evaluate(
        data=DATA,
        executor=rc.Agent(model(**choices), tools=TOOLS),
        evaluators=EVALUATORS,
        group_name="file-tools-selection",
    )
    for result in run.results:
        scores = {name: round(result.metrics[name].value, 2) for name in EVALUATORS}
        print("PASS" if result.passed else "FAIL", result.category, scores)
    return run


assert evaluated().passed

# One tool too many for the ambiguous request: F1 is 2/3, which is enough for a secondary golden.
eager = evaluated(project=["listFiles", "readFile"])
(secondary,) = (result for result in eager.results if result.category == "secondary")
assert round(secondary.metrics["selectionScore"].value, 3) == 0.667 and secondary.passed

# A tool for a joke: a file of somebody's was looked at for nothing.
assert not evaluated(joke=["readFile"]).passed
