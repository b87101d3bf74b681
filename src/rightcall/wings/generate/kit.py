"""Shared resources of generation, created once per run."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from rightcall.agents.model_retries import Asker
from rightcall.model.tool import Tool
from rightcall.wings.generate.config import (
    ConversationalStylingConfig,
    EvolutionConfig,
    FiltrationConfig,
    StylingConfig,
    VerificationConfig,
)
from rightcall.wings.generate.scribe import Scribe
from rightcall.wings.generate.verify import Solver, Verifier

NAMES = {"en": "English", "vi": "Vietnamese", "zh": "Chinese (simplified)"}
STYLES = (
    "in one short sentence", "politely", "casually", "tersely, as on a phone", "in a friendly tone", "in a hurry",
    "as a first-time user", "matter-of-factly",
)  # fmt: skip


@dataclass(frozen=True)
class Kit:
    """Tools, models and settings. `planned` has the tools with values to draw from."""

    tools: Mapping[str, Tool]
    verifier: Verifier
    asker: Asker
    model: str
    solver: Solver | None = None
    critic: Asker | None = None
    planned: Mapping[str, Tool] = field(default_factory=dict)
    solver_model: str = ""
    servers: tuple[str, ...] = ()
    seed: int = 0
    language: str = "en"
    verification: VerificationConfig = field(default_factory=VerificationConfig)
    filtration: FiltrationConfig | None = None
    evolution: EvolutionConfig | None = None
    styling: StylingConfig = field(default_factory=StylingConfig)
    conversational_styling: ConversationalStylingConfig = field(default_factory=ConversationalStylingConfig)

    @property
    def language_name(self) -> str:
        """The language as written in a prompt."""
        return NAMES.get(self.language, self.language)

    def style(self, job: str) -> str:
        """The style of a request: from the styling, or chosen at random per job."""
        return self.styling.input_format or self.chance(job, "style").choice(STYLES)

    def chance(self, job: str, what: str) -> random.Random:
        """A random generator for one purpose of one job."""
        return random.Random(f"{self.seed}/{job}/{what}")  # noqa: S311

    def scribe(self, job: str) -> Scribe:
        """A scribe for one job."""
        return Scribe(self.asker, job, self.seed, self.language_name, critic=self.critic)

    def provenance(self, way: str, scribe: Scribe, **more: Any) -> dict[str, Any]:
        """The origin of a golden, for its metadata."""
        facts = {
            "by": _maker(),
            "way": way,
            "model": self.model,
            "seed": self.seed,
            "language": self.language,
        }
        if self.solver is not None:
            facts["solver"] = self.solver_model
        facts["prompts"] = dict(sorted(scribe.prompts.items()))
        return facts | {name: value for name, value in more.items() if value not in (None, "", (), [], {})}


@cache
def _maker() -> str:
    from importlib.metadata import version  # reads a file: once, and only when goldens are made

    return f"rightcall {version('rightcall')}"
