"""The settings of generation, and what is opened with them once per run."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from rightcall.agents.limits import RunLimits
from rightcall.agents.model_retries import Asker, Patience
from rightcall.limbs.generate.config import (
    EvolutionConfig,
    FiltrationConfig,
    Model,
    StylingConfig,
    VerificationConfig,
)
from rightcall.limbs.generate.production import SynthesisProgress
from rightcall.limbs.generate.scribe import Scribe
from rightcall.limbs.generate.verify import Solver, Verifier
from rightcall.records.tool import Tool
from rightcall.store.sql.store import Store

NAMES = {"en": "English", "vi": "Vietnamese", "zh": "Chinese (simplified)"}
STYLES = (
    "in one short sentence", "politely", "casually", "tersely, as on a phone", "in a friendly tone", "in a hurry",
    "as a first-time user", "matter-of-factly",
)  # fmt: skip


@dataclass(frozen=True)
class SynthesisSettings:
    """How goldens are generated; `Synthesizer` explains the settings."""

    model: Model | None = None
    async_mode: bool = True
    max_concurrent: int = 16
    filtration_config: FiltrationConfig | None = None
    evolution_config: EvolutionConfig | None = None
    styling_config: StylingConfig | None = None
    cost_tracking: bool = False
    tools: Sequence[Tool] = ()
    solver: Model | None = None
    verification: VerificationConfig = field(default_factory=VerificationConfig)
    mocks: Mapping[str, Any] = field(default_factory=dict)
    language: str = "en"
    seed: int = 0
    limits: RunLimits = field(default_factory=RunLimits)
    store: Store | None = None
    resume: str | None = None
    watch: Callable[[SynthesisProgress], None] = lambda progress: None
    patience: Patience | None = None

    @property
    def styling(self) -> StylingConfig:
        """The style of requests; the default where none is set."""
        return self.styling_config or StylingConfig()


@dataclass(frozen=True)
class Kit:
    """A setup with its models open. `planned` has the tools with values to draw from."""

    setup: SynthesisSettings
    tools: Mapping[str, Tool]
    verifier: Verifier
    asker: Asker
    model: str
    solver: Solver | None = None
    critic: Asker | None = None
    planned: Mapping[str, Tool] = field(default_factory=dict)
    solver_model: str = ""
    servers: tuple[str, ...] = ()

    @property
    def language_name(self) -> str:
        """The language as written in a prompt."""
        return NAMES.get(self.setup.language, self.setup.language)

    def style(self, job: str) -> str:
        """The style of a request: from the styling, or chosen at random per job."""
        return self.setup.styling.input_format or self.chance(job, "style").choice(STYLES)

    def chance(self, job: str, what: str) -> random.Random:
        """A random generator for one purpose of one job."""
        return random.Random(f"{self.setup.seed}/{job}/{what}")  # noqa: S311

    def scribe(self, job: str) -> Scribe:
        """A scribe for one job."""
        return Scribe(self.asker, job, self.setup.seed, self.language_name, critic=self.critic)

    def provenance(self, way: str, scribe: Scribe, **more: Any) -> dict[str, Any]:
        """The origin of a golden, for its metadata."""
        facts = {
            "by": _maker(),
            "way": way,
            "model": self.model,
            "seed": self.setup.seed,
            "language": self.setup.language,
        }
        if self.solver is not None:
            facts["solver"] = self.solver_model
        facts["prompts"] = dict(sorted(scribe.prompts.items()))
        return facts | {name: value for name, value in more.items() if value not in (None, "", (), [], {})}


@cache
def _maker() -> str:
    from importlib.metadata import version  # reads a file: once, and only when goldens are made

    return f"rightcall {version('rightcall')}"
