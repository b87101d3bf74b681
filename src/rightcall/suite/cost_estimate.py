"""Estimates what a run would send, without sending anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from rightcall.executor import Prompts
from rightcall.model.golden import ConversationalGolden, Golden
from rightcall.model.record import Record
from rightcall.model.trajectory import Usage
from rightcall.providers import cost
from rightcall.suite.plan import Plan
from rightcall.suite.preparation import Prepared, preflight

CHARACTERS_PER_TOKEN = 4
"""Rule of thumb for English and JSON; other scripts need more tokens."""

EXPECTED_OUTPUT_TOKENS = 60
"""Output tokens of a call and a few words; the median of tool calls in BFCL's answers is below this."""


class CostEstimate(Record, frozen=True):
    """Requests, tokens and cost of a run, and its first request. In a loop every turn asks again, so it is more; of a
    conversation only the first turn is counted.

    `not_started` lists what a run would start or import first; tools from there are missing here.
    """

    goldens: int
    trials: int
    requests: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    first_request: dict[str, Any]
    not_started: tuple[str, ...] = ()


async def estimate(plan: Plan, not_started: Sequence[str] = ()) -> CostEstimate:
    """Counts every golden once; checks the setup as a run would."""
    async with await preflight(plan) as prepared:
        return _counted(prepared, not_started)


def _counted(prepared: Prepared, not_started: Sequence[str]) -> CostEstimate:
    plan, goldens, session = prepared.plan, prepared.goldens, prepared.session
    settings = session.settings
    prompts = Prompts(plan.agent.system, session.tools, settings, plan.seed)
    characters, first = 0, None
    sizes: dict[int, int] = {}
    for golden in plan.goldens():
        asked = golden if isinstance(golden, Golden) else first_turn(golden)
        prompt = prompts.prompt_of(asked)
        if first is None:
            first = {
                "model": plan.agent.name,
                "system": prompt.system,
                "messages": [{"role": "user", "content": asked.input}],
                "tools": [tool.name for tool in prompt.tools],
                "settings": msgspec.to_builtins(settings),
            }
        if id(prompt) not in sizes:
            sizes[id(prompt)] = len(msgspec.json.encode(prompt))
        characters += sizes[id(prompt)] + len(asked.input)
    usage = Usage(
        plan.trials * characters // CHARACTERS_PER_TOKEN, plan.trials * goldens * EXPECTED_OUTPUT_TOKENS
    )
    return CostEstimate(
        goldens=goldens,
        trials=plan.trials,
        requests=goldens * plan.trials,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost_usd=cost(plan.agent.name, usage),
        first_request=first or {},
        not_started=tuple(not_started),
    )


def first_turn(golden: ConversationalGolden) -> Golden:
    """What an agent is asked first in a conversation; a simulated user may say anything about its scenario."""
    words = golden.script[0].content if golden.script else golden.scenario
    return Golden(words, id=golden.id, tools=golden.tools, system=golden.system)
