"""One framework against a model server that is out of order: how the trajectory of its agent ends.

python -m benchmarks.adapters.outages NAME OUT [OUTAGE …]

The server answers with an error, does not answer, or is not there. That says nothing about the agent and must be
`infra_error`. The server also declines a request (400), which trying again would not change: that must not be.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from aiohttp import web
from tests.providers.loopback import _in_thread

from benchmarks.adapters.framework import Framework, Setup
from benchmarks.adapters.rows import rows_file
from benchmarks.adapters.scenarios import SCENARIOS
from benchmarks.adapters.trials import framework_named, package_version
from rightcall.agents.agent import Agent
from rightcall.agents.kinds import agent_of_kind
from rightcall.agents.limits import Limits
from rightcall.records import Golden, Trajectory

EXPECTED = {
    **dict.fromkeys(("429", "500", "503", "timeout", "refused"), "infra_error"),
    "400": "rejected",
}
"""The stop reason after each kind of failure."""

CLIENT_TIMEOUT = 0.5
"""Seconds that a model client waits for the server that does not answer."""

SILENCE = 30.0
"""Seconds of that server, far more than the client waits."""

SECONDS = 100.0
"""Limit of one run: a framework that is still waiting then has not ended."""

ERRORS = {
    429: ("rate_limit_error", "RESOURCE_EXHAUSTED", "Rate limit reached"),
    500: ("api_error", "INTERNAL", "The server had an error"),
    503: ("overloaded_error", "UNAVAILABLE", "The model is overloaded"),
    400: ("invalid_request_error", "INVALID_ARGUMENT", "Unknown parameter"),
}


@contextmanager
def server_out_of_order(outage: str) -> Iterator[str]:
    """The address of a server that fails in this way."""

    async def handle(request: web.Request) -> web.Response:
        await request.read()
        if outage == "timeout":
            await asyncio.sleep(SILENCE)
        return error_response(int(outage) if outage.isdigit() else 500, request.path)

    async def start() -> Any:
        app = web.Application(client_max_size=64 << 20)
        app.router.add_route("*", "/{path:.*}", handle)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return runner.addresses[0][1], runner.cleanup

    with _in_thread(start) as port:
        if outage != "refused":
            yield f"http://127.0.0.1:{port}"
    if outage == "refused":  # nobody listens there any more
        yield f"http://127.0.0.1:{port}"


def error_response(status: int, path: str) -> web.Response:
    """An error as the APIs of OpenAI, Anthropic and Google write it, whose fields do not collide."""
    kind, code, words = ERRORS[status]
    error = {"type": kind, "code": status if "enerateContent" in path else kind, "message": words}
    return web.json_response({"type": "error", "error": {**error, "status": code}}, status=status)


async def trajectory_of(framework: Framework, address: str) -> Trajectory:
    """What an agent of the framework did with the server at an address."""
    scenario = SCENARIOS[0]
    agent = framework.observed(framework.agent(Setup(address, "plain", scenario, CLIENT_TIMEOUT)))
    try:
        async with agent_of_kind(Agent(agent, limits=Limits(seconds=SECONDS))) as session:
            return await session.performer.perform(Golden(scenario.says[0], id="outage"), 0)
    finally:
        await framework.close()


def main() -> None:
    name, out, *only = sys.argv[1:]
    framework = framework_named(name)
    with rows_file(out) as add, asyncio.Runner() as runner:
        for outage in only or EXPECTED:
            print(f"  {name} {outage}", file=sys.stderr, flush=True)
            with server_out_of_order(outage) as address:
                trajectory = runner.run(trajectory_of(framework, address))
            add(
                {
                    "version": package_version(framework),
                    "outage": outage,
                    "stop_reason": trajectory.stop_reason,
                    "error": trajectory.error,
                }
            )


if __name__ == "__main__":
    main()
