"""The model on loopback: it answers by the script of a scenario and logs everything, which is the truth."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Any

from aiohttp import web
from tests.limbs.adapters.model_server import (
    anthropic_reply,
    chat_reply,
    gemini_reply,
    responses_reply,
    send_events,
)
from tests.limbs.adapters.script import Answer
from tests.providers.loopback import _in_thread

from benchmarks.adapters.scenarios import EXPERT, TRAVEL, Scenario

Json = dict[str, Any]
FORCED = Answer("I have to stop here.")


@dataclass(frozen=True)
class Exchange:
    """One request and the answer of the script, before the framework's spelling of it."""

    agent: str
    path: str
    headers: dict[str, str]
    body: Json
    answer: Answer


@dataclass
class ScriptedModel:
    """The model of one run: `spoken` turns an answer of the script into what goes over the wire.

    Requests that `ignored` names get a text and are not logged, such as one for the title of a conversation.
    """

    scenario: Scenario
    spoken: Callable[[Answer, Json], Answer] = lambda answer, body: answer
    scripted: Callable[[Answer], list[Answer]] = lambda answer: [answer]
    may_call: Callable[[Json], bool] = lambda body: True
    ignored: Callable[[Json], bool] = lambda body: False
    log: list[Exchange] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._answers = {agent: self._script(agent) for agent in (TRAVEL, EXPERT)}

    def _script(self, agent: str) -> Iterator[Answer]:
        """The answers of an agent's model; one that is asked too often says so."""
        for answer in self.scenario.script.get(agent, ()):
            yield from self.scripted(answer)
        yield from repeat(Answer("(asked too often)"))

    def answer(self, path: str, headers: dict[str, str], body: Json) -> Answer:
        if self.ignored(body):
            return Answer("ok")
        agent = _who_asks(path, body)
        answer = next(self._answers[agent])
        if answer.calls and not self.may_call(
            body
        ):  # a framework at its limit asks for an answer without calls
            answer = FORCED
        self.log.append(Exchange(agent, path, headers, body, answer))
        return replace(self.spoken(answer, body), lost=answer.lost)


class ModelHolder:
    """What the server answers with; replaced for every run."""

    model: ScriptedModel


@contextmanager
def scripted_server(holder: ModelHolder) -> Iterator[str]:
    """Its address."""

    async def handle(request: web.Request) -> web.StreamResponse:
        text = await request.text()
        if not text.startswith("{") or request.path.endswith("/count_tokens"):
            return web.json_response({"input_tokens": 1})
        body = json.loads(text)
        model = holder.model
        answer = model.answer(request.path, dict(request.headers), body)
        number = len(model.log)
        streams = bool(body.get("stream"))
        if request.path.endswith("/chat/completions"):
            whole, events = chat_reply(answer)
        elif request.path.endswith("/responses"):
            whole, events = responses_reply(answer, number)
        elif ":" in request.path:
            whole, events = gemini_reply(answer)
            streams = "stream" in request.path
        else:
            whole, events = anthropic_reply(answer, number)
        if streams:
            return await send_events(request, events, lost=answer.lost)
        return web.json_response(whole)

    async def start() -> Any:
        app = web.Application(client_max_size=64 << 20)
        app.router.add_route("*", "/{path:.*}", handle)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return runner.addresses[0][1], runner.cleanup

    with _in_thread(start) as port:
        yield f"http://127.0.0.1:{port}"


def _who_asks(path: str, body: Json) -> str:
    """The agent, by the model that it asks for or by the mark in its instructions."""
    if EXPERT in str(body.get("model", "")) or f"scripted-{EXPERT}" in path:
        return EXPERT
    return EXPERT if f"[{EXPERT}]" in json.dumps(body.get("system", "")) else TRAVEL
