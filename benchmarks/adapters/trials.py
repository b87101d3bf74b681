"""The scenarios of one framework, in the process of its own environment: a line of JSON for each.

python -m benchmarks.adapters.trials NAME OUT [SCENARIO …]
"""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from importlib.metadata import version
from typing import Any

from tests.limbs.adapters.script import Answer

from benchmarks.adapters.comparison import Difference, differences, request_differences
from benchmarks.adapters.framework import Framework, Setup
from benchmarks.adapters.rows import rows_file
from benchmarks.adapters.scenarios import SCENARIOS, Scenario
from benchmarks.adapters.scripted_server import Exchange, ModelHolder, ScriptedModel, scripted_server
from benchmarks.adapters.toolbox import RUNS
from benchmarks.adapters.truth import truth_of
from rightcall.agents.observed.catalog import adapter_info
from rightcall.records import Golden, Trajectory
from rightcall.records.call import depth_of

MAY_RAISE = (
    "tool_raises",
    "unknown_tool",
    "invalid_arguments",
    "broken_json",
    "step_limit",
    "length_stop",
    "streamed_length",
    "lost_stream",
    "agent_error",
    "refusal",
    "content_filter",
)
"""Scenarios in which a framework may end the agent with an exception."""

SECONDS = 90.0
"""Of one run."""


def framework_named(name: str) -> Framework:
    framework: Framework = import_module(f"benchmarks.adapters.frameworks.{name}").FRAMEWORK
    return framework


def package_version(framework: Framework) -> str:
    """The installed version of the framework."""
    return version(adapter_info(framework.name).package)


def spoken_by(framework: Framework) -> Callable[[Answer, dict[str, Any]], Answer]:
    """How a model of the framework writes an answer of a script."""

    def spoken(answer: Answer, body: dict[str, Any]) -> Answer:
        spelled = replace(answer, calls=tuple(framework.spelled(call) for call in answer.calls))
        return framework.spoken(spelled, body)

    return spoken


def main() -> None:
    name, out, *only = sys.argv[1:]
    framework = framework_named(name)
    holder = ModelHolder()
    with (
        scripted_server(holder) as address,
        rows_file(out) as add,
        asyncio.Runner() as runner,  # one loop for all, because clients keep their connections
    ):
        for scenario in SCENARIOS:
            if only and scenario.name not in only:
                continue
            print(f"  {name} {scenario.name}", file=sys.stderr, flush=True)
            add(_row(runner, framework, scenario, holder, address))


def _row(
    runner: asyncio.Runner, framework: Framework, scenario: Scenario, holder: ModelHolder, address: str
) -> dict[str, Any]:
    row = {"version": package_version(framework), "scenario": scenario.name}
    if reason := impossible(framework, scenario):
        return row | {"cannot": reason}
    try:
        differing = runner.run(Trial(framework, scenario, holder, address).differences())
    except Exception as error:  # of the benchmark itself or of a hook: shown, never equal
        traceback.print_exc()
        differing = [Difference("the run", "ends", f"{type(error).__name__}: {error}")]
    limit = framework.limits.get(scenario.name, "")
    return row | {"differs": [vars(one) for one in differing], "limit": limit}


def impossible(framework: Framework, scenario: Scenario) -> str:
    """Why a framework cannot be asked for a scenario; empty when it can."""
    info = adapter_info(framework.name)
    if scenario.shape == "asking" and not info.approvals:
        return "its requests for approval are not observed"
    if scenario.shape == "raising" and not info.functions:
        return "functions that use it are not observed"
    return framework.cannot.get("streamed" if scenario.shape == "streamed" else scenario.name, "")


class Trial:
    """One scenario with one framework: unobserved, observed, and compared."""

    def __init__(self, framework: Framework, scenario: Scenario, holder: ModelHolder, address: str) -> None:
        self._framework = framework
        self._scenario = scenario
        self._holder = holder
        self._setup = Setup(address, scenario.shape, scenario)

    async def differences(self) -> list[Difference]:
        framework = self._framework
        scenario = self._scenario
        plain_log, raised = await self._unobserved()
        if not plain_log or (raised is not None and scenario.name not in MAY_RAISE):
            raise RuntimeError(f"the agent does not work unobserved: {raised!r}") from raised
        log, trajectory = await self._observed("all")
        truth = truth_of(scenario, log, RUNS, raised, framework.spelled)
        found = [*differences(framework, truth, trajectory), *request_differences(plain_log, log)]
        if scenario.shape == "sub_agent":
            found += await self._only_outer_calls(
                [call.name for call in trajectory.calls if not depth_of(call)]
            )
        if len(scenario.says) > 1 and scenario.says[0] not in str(log[-1].body):
            found.append(Difference("memory", scenario.says[0], "not in the last request"))
        return found

    async def _only_outer_calls(self, outer: list[str]) -> list[Difference]:
        _, trajectory = await self._observed("auto")
        names = [call.name for call in trajectory.calls]
        return [] if names == outer else [Difference("calls of `auto`", outer, names)]

    async def _unobserved(self) -> tuple[list[Exchange], BaseException | None]:
        agent = self._begin()
        try:
            if self._scenario.shape == "raising":
                await asyncio.wait_for(agent(Golden(self._scenario.says[0], id="plain")), SECONDS)
            else:
                await asyncio.wait_for(self._framework.plain(agent, self._scenario.says), SECONDS)
        except TimeoutError:
            raise
        except Exception as error:
            return self._holder.model.log, error
        finally:
            await self._framework.close()
        return self._holder.model.log, None

    async def _observed(self, calls: str) -> tuple[list[Exchange], Trajectory]:
        agent = self._begin()
        try:
            trajectory = await asyncio.wait_for(self._talk(agent, calls), SECONDS)
        finally:
            await self._framework.close()
        return self._holder.model.log, trajectory

    async def _talk(self, agent: Any, calls: str) -> Trajectory:
        says = self._scenario.says
        session = self._framework.observed(agent, calls=calls).session(
            Golden(says[0], id=self._scenario.name)
        )
        try:
            for text in says:
                await session.turn(text)
        except Exception as error:
            return session.trajectory(*session.stop_of_error(error))
        finally:
            await session.aclose()
        return session.trajectory()

    def _begin(self) -> Any:
        framework = self._framework
        RUNS.clear()
        self._holder.model = ScriptedModel(
            self._scenario, spoken_by(framework), framework.scripted, framework.may_call, framework.ignored
        )
        agent = framework.agent(self._setup)
        if self._scenario.shape != "raising":
            return agent

        async def raising(golden: Golden) -> None:
            await framework.plain(agent, (golden.input,))
            raise LookupError("no such customer")

        return raising


if __name__ == "__main__":
    main()
