"""Overhead of observing an agent: CPU time per tool call, with the real frameworks and a scripted model.

Each agent makes 40 calls, one after another, alternately observed and not; the difference of the medians is the cost
of the hooks. Loops on the OpenAI and Anthropic clients use a server on this machine, whose own time is not counted;
what they send grows with every call. The bound is 1 ms per call. `--runs` sets how often.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import time
from typing import Any

from tests.wings.adapters.kits.langchain import TOOLS as LANGCHAIN_TOOLS, ScriptedChatModel
from tests.wings.adapters.kits.openai_agents import TOOLS as OPENAI_TOOLS, ScriptedAgentsModel
from tests.wings.adapters.kits.pydantic_ai import TOOLS as PYDANTIC_TOOLS, scripted_model
from tests.wings.adapters.model_server import model_server
from tests.wings.adapters.script import Answer, Call, Journal
from tests.wings.adapters.test_sdk_loops import CLIENTS, chat_async, claude

import rightcall as rc
from rightcall.model import Golden

CALLS = 40
BOUND_MS = 1.0


def respond(said: str, turn: int) -> Answer:
    if turn < CALLS:
        return Answer(calls=(Call("get_weather", {"city": f"City {turn}"}, f"c{turn}"),))
    return Answer("done")


async def openai_agents(observed: bool) -> None:
    from agents import Agent, Runner

    agent = Agent("a", tools=list(OPENAI_TOOLS), model=ScriptedAgentsModel(Silent(), respond))

    async def plain(golden: Golden) -> Any:
        return (await Runner.run(agent, golden.input, max_turns=None)).final_output

    await once(plain, "openai_agents", observed)


async def langchain(observed: bool) -> None:
    from langchain.agents import create_agent

    graph = create_agent(ScriptedChatModel(journal=Silent(), respond_to=respond), tools=LANGCHAIN_TOOLS)

    async def plain(golden: Golden) -> Any:
        return (await graph.ainvoke({"messages": [("user", golden.input)]}))["messages"][-1].text

    await once(plain, "langchain", observed)


async def pydantic_ai(observed: bool) -> None:
    from pydantic_ai import Agent
    from pydantic_ai.usage import UsageLimits

    agent = Agent(scripted_model(Silent(), respond), tools=PYDANTIC_TOOLS)

    async def plain(golden: Golden) -> Any:
        return (await agent.run(golden.input, usage_limits=UsageLimits(request_limit=None))).output

    await once(plain, "pydantic_ai", observed)


async def openai(observed: bool) -> None:
    await sdk_loop("openai", chat_async, observed)


async def anthropic(observed: bool) -> None:
    async def ask(address: str, golden: Golden) -> str:
        return claude(address, golden)

    await sdk_loop("anthropic", ask, observed)


async def sdk_loop(via: str, loop: Any, observed: bool) -> None:
    async def plain(golden: Golden) -> Any:
        return await loop(ADDRESS[0], golden)

    await once(plain, via, observed)


ADDRESS: list[str] = []


class Silent(Journal):
    """Keeps nothing: the journal of the tests costs more than the hooks."""

    def note(self, sent: Any) -> None:
        return


async def once(plain: Any, via: str, observed: bool) -> None:
    golden = Golden("go", id="g")
    if not observed:
        assert await plain(golden) == "done"
        return
    session = rc.observe(plain, via=via).session(golden)
    await session.turn("go")
    assert len(session.trajectory().calls) == CALLS
    await session.aclose()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=9)
    runs = parser.parse_args().runs
    worst = 0.0
    print(f"{'framework':<16} {'plain':>10} {'watched':>10} {'hooks':>10}   ms of CPU time per call")
    for work in (openai_agents, langchain, pydantic_ai):
        worst = max(worst, measured(work, runs, time.process_time))
    with model_server(Silent(), respond) as address:
        ADDRESS.append(address)
        for work in (openai, anthropic):  # both loops run in this thread, the server in another
            worst = max(worst, measured(work, runs, time.thread_time))
    for client in CLIENTS:
        client.close()
    if worst > BOUND_MS:
        sys.exit(f"hooks cost {worst:.3f} ms a call, more than {BOUND_MS:g}")


def measured(work: Any, runs: int, clock: Any) -> float:
    """What the hooks cost a call, in milliseconds; prints a row."""
    taken: dict[bool, list[float]] = {False: [], True: []}
    for number in range(2 * runs + 2):
        started = clock()
        asyncio.run(work(bool(number % 2)))
        if number > 1:  # the first pair warms up
            taken[bool(number % 2)].append((clock() - started) * 1000 / CALLS)
    plain, watched = statistics.median(taken[False]), statistics.median(taken[True])
    print(f"{work.__name__:<16} {plain:>10.3f} {watched:>10.3f} {watched - plain:>10.3f}", flush=True)
    return watched - plain
