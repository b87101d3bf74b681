"""A secondary golden passes by one rule, however its score is named: a metric's name, a function, an evaluator.

A number without a threshold passes from the golden's (0.5 by default). A threshold written with a metric is the
metric's.
"""

import json
from pathlib import Path

import rightcall as rc
from rightcall.laminar import evaluate as laminar_evaluate

ITEM = {
    "data": {"prompt": "What is in this project?"},
    "target": {"expectedTools": ["listFiles"], "category": "secondary"},
    "metadata": {"description": "Listing or reading would both do"},
}
Path("items.jsonl").write_text(json.dumps(ITEM))


def eager(golden):
    return [rc.ToolCall("listFiles"), rc.ToolCall("readFile")]


def two_thirds(calls, expected_calls):
    return 2 * len(expected_calls) / (len(calls) + len(expected_calls))


for metric in ("tool_selection", "tool_f1", two_thirds, "tool_selection(threshold=0.6)"):
    run = rc.evaluate(eager, "items.jsonl", metrics=[metric])
    (result,) = run.results
    f1 = result.metrics["tool_f1"].value
    assert run.passed and round(f1, 3) == 0.667
assert not rc.evaluate(eager, "items.jsonl", metrics=["tool_selection(threshold=0.9)"]).passed

# The same item as data, with Laminar's arguments: the same verdict, and the same id.
data_run = laminar_evaluate(
    [ITEM],
    lambda data: {"toolNames": ["listFiles", "readFile"]},
    {"selection": lambda output, target: 2 / (len(target["expectedTools"]) + len(output["toolNames"]))},
    group_name="file-tools",
)
assert data_run.passed and data_run.results[0].golden_id == run.results[0].golden_id

# A generated id tells nothing, so every output also shows the request and the description.
failed = rc.evaluate(lambda golden: [], "items.jsonl")
page = failed._repr_html_()
assert "What is in this project?" in page and "Listing or reading would both do" in page
print(failed.results[0].golden_id, "What is in this project?")
