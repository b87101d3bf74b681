"""Independent readers of a request: what they would call, knowing only the request and the tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce

import msgspec

from rightcall.agents.agent_loop import AgentLoop, Prompts, SingleTurn
from rightcall.agents.limits import Limits
from rightcall.agents.retrying_client import Asker
from rightcall.core.errors import ProviderError
from rightcall.metrics.case_result import result_of
from rightcall.model.golden import Golden
from rightcall.model.run import CaseResult
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Trajectory, Usage
from rightcall.models.base import Settings
from rightcall.tools.definitions.offer import tools_for
from rightcall.tools.runtime.toolbox import Toolbox

SYSTEM = (
    "Use the tools to do what the user asks. Call no tool that is not needed. "
    "When something is missing, ask for it."
)
LIMITS = Limits(steps=6)


class Solver:
    """Performs goldens with a model. Each sample has its own seed; the expected calls are never shown to it."""

    def __init__(
        self, asker: Asker, tools: Mapping[str, Tool], *, seed: int = 0, temperature: float = 0.7
    ) -> None:
        prompts = Prompts(SYSTEM, tools, Settings(temperature=temperature, max_tokens=400), seed)
        self._tools = tools
        self._once = SingleTurn(asker, prompts, LIMITS)
        self._loop = AgentLoop(asker, prompts, LIMITS, Toolbox(tools.values(), seed=seed), "")

    async def sample(self, golden: Golden, number: int) -> Trajectory:
        """The calls of one solver. A failing provider is a `ProviderError`: it says nothing about the golden."""
        asked = Golden(
            golden.input, id=golden.id, tools=golden.tools, system=golden.system, context=golden.context
        )
        performer = self._loop if depends(golden) else self._once
        trajectory = await performer.perform(asked, number)
        if trajectory.stop_reason == "infra_error":
            raise ProviderError(trajectory.error, kind="server", retryable=True)
        return trajectory

    def judged(self, golden: Golden, trajectory: Trajectory) -> CaseResult:
        """The sample's score, strictly: no extra call, none missing, every argument correct."""
        category = "negative" if golden.no_calls else "golden"
        strict = msgspec.structs.replace(golden, expected_output=None, output_contains=(), category=category)
        return result_of(strict, 0, trajectory, tools_for(golden, self._tools))


def depends(golden: Golden) -> bool:
    """Whether a call uses a value from the result of another, which therefore must have run."""
    return any(call.after for call in golden.expected_calls)


def total_usage(trajectories: Iterable[Trajectory]) -> Usage:
    """The total usage of the samples."""
    return reduce(Usage.plus, (trajectory.usage for trajectory in trajectories), Usage())
