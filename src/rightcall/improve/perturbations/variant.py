"""The result of a perturbation: a plan that is run instead of another, and its goldens."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rightcall.improve.redefinition import redefine_agent
from rightcall.model.golden import Golden
from rightcall.model.tool import Tool
from rightcall.run.plan import Plan


@dataclass(frozen=True)
class Variant:
    """The plan and the goldens that fit it; those that do not are left out. `tools` are as the model sees them."""

    plan: Plan
    goldens: Sequence[Golden]
    tools: Sequence[Tool]


@dataclass(frozen=True)
class PerturbTask:
    """What a perturbation changes. `about` is what was typed after `=`: a tool, or a number."""

    plan: Plan
    tools: Sequence[Tool]
    goldens: Sequence[Golden]
    draw: int = 0
    about: str = ""
    paraphrases: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def random(self, *what: object) -> random.Random:
        """A random generator for this draw, seeded."""
        return random.Random("/".join(map(str, (self.plan.seed, *what, self.draw))))  # noqa: S311

    def with_tools(self, tools: Sequence[Tool], goldens: Sequence[Golden], **fields: Any) -> Variant:
        """The agent with other definitions."""
        agent = redefine_agent(self.plan.agent, tools, **fields)
        return Variant(replace(self.plan, agent=agent), goldens, tools)

    def with_goldens(self, goldens: Sequence[Golden]) -> Variant:
        """The same agent with other goldens."""
        return Variant(self.plan, goldens, self.tools)

    @property
    def on_suite_tools(self) -> list[Golden]:
        """Goldens that define no tools: others are not affected by changes to the suite's tools."""
        return [golden for golden in self.goldens if golden.tools is None]


Perturbation = Callable[[PerturbTask], Variant]
