"""An item may have its own system prompt, model and temperature; the rest of the dataset keeps the agent's."""

from file_tools import TOOLS

import rightcall as rc
from rightcall.laminar import evaluate


def answer(request):
    """In place of a model: says which instructions and which temperature it was given."""
    return f"{request.prompt.system} {request.prompt.settings.temperature}"


items = [
    {"data": {"prompt": "Hello", "tools": ["readFile"]}, "target": {"category": "golden"}},
    {
        "data": {
            "prompt": "Hello again",
            "systemPrompt": "Be brief.",
            "tools": ["readFile"],
            "config": {"temperature": 0.5},
        },
        "target": {"category": "golden"},
    },
]
agent = rc.Agent(rc.scripted(answer), tools=TOOLS, system="Be kind.", settings={"temperature": 0})
run = evaluate(data=items, executor=agent)
said = sorted(result.trajectory.output for result in run.results)
print(said)
assert said == ["Be brief. 0.5", "Be kind. 0.0"]
