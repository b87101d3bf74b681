"""A framework of agents, as small as one can be: a function decides which tools to run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Step = tuple[str, dict[str, Any]]


class OrbitAgent:
    def __init__(self, decide: Callable[[str], list[Step]], tools: dict[str, Callable[..., str]]) -> None:
        self._decide = decide
        self.tools = tools

    def run(self, text: str) -> str:
        return " ".join(self.call(name, arguments) for name, arguments in self._decide(text))

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        return self.tools[name](**arguments)
