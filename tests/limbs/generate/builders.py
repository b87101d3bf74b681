"""A scripted model that writes and solves, for tests of synthesis."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hashlib import md5
from pathlib import Path
from typing import Any

from rightcall.limbs.generate.plans import WEIGHTS, Schedule, plan_of
from rightcall.limbs.generate.setup import with_examples
from rightcall.limbs.generate.tool_jobs import label, value_in_words
from rightcall.providers.base import ModelRequest
from rightcall.providers.scripted import ScriptedProvider
from rightcall.records import ToolCall
from rightcall.tools.definitions.source import load_tools

TOOLS = load_tools(Path(__file__).parent / "data" / "tools.json")
BY_NAME = {tool.name: tool for tool in TOOLS}

CITIES = ["Hanoi", "Denver", "Leeds", "Łódź", "São Tomé", "Perth", "Austin", "Dublin"]
EXAMPLES = {
    "city": CITIES, "order_id": ["KX-4411", "PL-2087", "AB-1200", "no order"], "title": ["Budget review", "Café-Eröffnung", "Team lunch", "Road trip"],
    "contact": ["Alice Morgan", "Zoë Łukasik", "Priya Shah", "Tom Reid"], "query": ["desk lamp", "crème brûlée torch", "trail shoes", "rain jacket"],
    "message": ["The launch is on track", "Das Café öffnet am Freitag", "Call me tonight", "See you at the station"],
    "restaurant": ["Blue Lantern", "Öpfelchasper", "Silver Maple", "Paper Crane"], "label": ["pasta", "thé vert", "laundry", "bread"],
    "text": ["See you tomorrow", "Żółw & Sons", "Where is the station", "Good night"],
}  # fmt: skip
"""What a model writes for what `tools.json` leaves open; one of them does not fit its schema."""
PLANNED = {
    name: with_examples(
        tool, {key: EXAMPLES[key] for key in tool.parameters if key in EXAMPLES and name != "play_song"}
    )
    for name, tool in BY_NAME.items()
}

Reply = str | list[ToolCall]


class Model(ScriptedProvider):
    """Answers by the step of a request (`…/request`, `…/quality-0`), and remembers every request."""

    def __init__(
        self, steps: Mapping[str, Any] | None = None, solve: Callable[[ModelRequest], Reply] | None = None
    ) -> None:
        self.requests: list[ModelRequest] = []
        self._steps = {"examples": json.dumps(EXAMPLES), **(steps or {})}
        self._solve = solve
        super().__init__(self._answer, "scripted:test")

    def asked(self, step: str) -> list[str]:
        """The prompts of a step."""
        return [
            r.messages[-1].content for r in self.requests if r.golden_id.partition("/")[2].startswith(step)
        ]

    def _answer(self, request: ModelRequest) -> Any:
        self.requests.append(request)
        if request.prompt.tools:
            return self._solve(request) if self._solve else "I do not know."
        step = request.golden_id.partition("/")[2]
        found = next(
            (
                self._steps[known]
                for known in sorted(self._steps, key=len, reverse=True)
                if step.startswith(known)
            ),
            None,
        )
        if found is None:
            raise AssertionError(f"the test scripts no answer to {request.golden_id}")
        return found(request) if callable(found) else found


GOOD = '{"clarity": 0.9, "answerability": 0.9, "feedback": ""}'
POOR = '{"clarity": 0.2, "answerability": 0.3, "feedback": "say which one"}'


def plain_writer(seed: int = 0, kinds: Mapping[Any, int] = WEIGHTS) -> tuple[Model, dict[str, Any]]:
    """A model that writes out the values of each plan, and reads its own requests back perfectly."""
    known: dict[str, list[ToolCall]] = {}

    def write(request: ModelRequest) -> str:
        index = int(request.golden_id.partition("-")[0])
        plan = plan_of(
            Schedule(list(PLANNED.values()), seed, kinds).take(index + 1)[index],
            PLANNED, seed=seed, attempt=request.trial,
        )  # fmt: skip
        assert plan is not None
        said = [
            f"{BY_NAME[call.tool].description} "
            + ", ".join(
                f"{label(name)} {value_in_words(value)}"
                for name, value in call.arguments.items()
                if name != plan.missing and name not in call.bound
            )
            for call in plan.calls
        ]
        text = " Also: ".join(said) or f"Thanks, {md5(str(index).encode()).hexdigest()} was all."
        text += f" You get the {label(plan.missing)} later." if plan.missing else ""
        known[text] = [ToolCall(call.tool, call.arguments) for call in plan.calls] if plan.has_calls else []
        return text

    def solve(request: ModelRequest) -> Reply:
        return known.get(request.messages[0].content, []) or "Which one do you mean?"

    return Model({"request": write}, solve), known
