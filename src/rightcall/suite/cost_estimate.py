"""What a run would send, before anything is sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from rightcall.executor import Prompts, Session
from rightcall.model.golden import ConversationalGolden, Golden
from rightcall.model.record import Record
from rightcall.model.trajectory import Usage
from rightcall.providers import cost
from rightcall.suite.plan import Plan, preflight

CHARACTERS_PER_TOKEN = 4
"""The usual rule of thumb for English and JSON; other scripts take more."""

EXPECTED_OUTPUT_TOKENS = 60
"""What a call and a few words take; the median of tool calls in BFCL's answers is below this."""


class Estimate(Record, frozen=True):
    """Requests, tokens and cost of a run, and its first request. In a loop every turn asks again, so it is more; of a
    conversation only the first turn is counted.

    `not_started` is what a run would start or import first; its tools are then missing here.
    """

    goldens: int
    trials: int
    requests: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    first_request: dict[str, Any]
    not_started: tuple[str, ...] = ()


async def estimate(plan: Plan, not_started: Sequence[str] = ()) -> Estimate:
    """Counts every golden once; checks the setup as a run would."""
    goldens = await preflight(plan)
    session = Session(plan.agent)
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
    return Estimate(
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
