"""A custom executor: any function from an item's data to the model's choice, with any client.

What it returns goes to the evaluators as it is. Calls in it (`toolCalls`, or names alone in `toolNames`) are scored
by the target as well.
"""

from pathlib import Path

from rightcall.laminar import evaluate

DATA = Path(__file__).with_name("file-tools.json")


async def single_turn_executor(data):
    """In place of a request to a model with `data["tools"]` on offer and nothing executed."""
    prompt = data["prompt"].lower()
    name = (
        "readFile" if "read" in prompt else "listFiles" if "files" in prompt or "project" in prompt else None
    )
    calls = [{"toolName": name, "args": {"path": "."}}] if name in data["tools"] else []
    return {"toolCalls": calls, "toolNames": [call["toolName"] for call in calls], "selectedAny": bool(calls)}


run = evaluate(
    data=DATA,
    executor=single_turn_executor,
    evaluators={"anything": lambda output, target: output["selectedAny"] == ("expectedTools" in target)},
)
print(run.verdict.sentence)
assert run.passed and run.summary.overall.means["anything"] == 1
