"""A scripted model that writes and solves, for tests of synthesis."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rightcall.model import ToolCall
from rightcall.models.base import ModelRequest
from rightcall.models.scripted import ScriptedProvider
from rightcall.tools.definitions.source import load_tools

TOOLS = load_tools(Path(__file__).parent / "data" / "tools.json")
BY_NAME = {tool.name: tool for tool in TOOLS}

Reply = str | list[ToolCall]


class Model(ScriptedProvider):
    """Answers by the step of a request (`…/request`, `…/quality-0`), and remembers every request."""

    def __init__(
        self, steps: Mapping[str, Any] | None = None, solve: Callable[[ModelRequest], Reply] | None = None
    ) -> None:
        self.requests: list[ModelRequest] = []
        self._steps, self._solve = dict(steps or {}), solve
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
