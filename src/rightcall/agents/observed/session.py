"""One trial with an observed agent: turn by turn, with what was observed so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from uuid import uuid4

import msgspec

from rightcall.agents.agent_function import AgentFunction
from rightcall.agents.observed.adapter import Talk, Watch
from rightcall.agents.observed.heard_trial import HeardTrial
from rightcall.agents.observed.hooks import show_watches
from rightcall.agents.observed.values import stop_of_error, text_of
from rightcall.agents.trial_values import TrialValues
from rightcall.core.errors import ConfigError, contain_exits
from rightcall.model.golden import Golden
from rightcall.model.message import Message
from rightcall.model.trajectory import StopReason, Trajectory


class ObservedSession:
    """Several turns with one agent, whose memory begins and ends with the session.

        session = agent.session(golden, trial=0)
        await session.turn("Weather in Hanoi?")
        await session.turn("And tomorrow?")
        session.trajectory()                       # both turns; also during a turn, or after it failed
        await session.aclose()

    `turn` raises what the agent raises: `stop_of_error` says what that means, `trajectory` has what was done before.
    """

    def __init__(
        self,
        watches: Mapping[str, Watch],
        talk: Talk,
        values: TrialValues | None = None,
        clients: Mapping[str, Watch] | None = None,
    ) -> None:
        self._watches = watches
        self._talk = talk
        self._values = values
        self._clients = clients or {}
        self._all_watches = {**self._clients, **watches}

    async def open(self) -> None:
        """Wait until the conversation may begin; without it the first turn waits."""
        if self._values is not None:
            await self._values.make()
        await self._talk.open()

    async def turn(self, text: str) -> None:
        await self.open()
        for watch in self._all_watches.values():
            watch.recorder.said(text)
        for desk in {id(watch.desk): watch.desk for watch in self._watches.values()}.values():
            if desk is not None:
                desk.hear(text)
        try:
            with contain_exits(), show_watches(self._all_watches):
                try:
                    output = await self._talk.say(text)
                finally:
                    for watch in self._watches.values():
                        watch.end_turn()
        except Exception as error:
            self._end_early(error)
            raise
        except BaseException:  # cancelled: time is over
            self._end_early(None)
            raise
        self._refuse_broken_hooks()
        for watch in self._watches.values():
            if output is not None:
                watch.recorder.finished(output)

    def trajectory(self, stop_reason: StopReason = "done", error: str = "") -> Trajectory:
        """What has been observed so far; a `ConfigError` when one of our hooks failed, since it is incomplete then."""
        self._refuse_broken_hooks()
        return self.heard.trajectory(stop_reason, error)

    def stop_of_error(self, error: BaseException) -> tuple[StopReason, str]:
        return stop_of_error(error)

    @property
    def heard(self) -> HeardTrial:
        """What the hooks of all adapters heard, each answer once."""
        own = [watch.recorder for watch in self._watches.values()]
        clients = [watch.recorder for watch in self._clients.values() if not watch.recorder.problem]
        return HeardTrial([*own, *clients])

    async def aclose(self) -> None:
        await self._talk.aclose()

    def _end_early(self, error: BaseException | None) -> None:
        for watch in self._watches.values():
            watch.recorder.broke(error)
        if error is not None:
            self._refuse_broken_hooks()

    def _refuse_broken_hooks(self) -> None:
        if unheard := [watch.recorder.unheard for watch in self._watches.values() if watch.recorder.unheard]:
            raise ConfigError(*unheard)
        problems = [watch.recorder.problem for watch in self._watches.values() if watch.recorder.problem]
        if problems:
            raise ConfigError(*(f"the adapter {problem}; please report this" for problem in problems))


class FunctionTalk(Talk):
    """A user's function, called each turn; a golden that it takes has what the user says as its input."""

    def __init__(
        self,
        function: Callable[..., Any],
        golden: Golden,
        output: Callable[[Any], Any] | None,
        values: Mapping[str, Any] | None = None,
    ) -> None:
        self._function = AgentFunction.of(function, values or {})
        self._golden = golden
        self._output = output
        self._begun = False
        self._spoken: list[Message] = []
        self._thread = uuid4().hex

    async def open(self) -> None:
        if not self._begun:
            self._function = await self._function.begin(self._golden)
            self._begun = True

    async def say(self, text: str) -> Any:
        golden = self._golden
        if golden.input != text:
            golden = msgspec.structs.replace(golden, input=text)
        answer = await self._function.call(text, golden, earlier=self._spoken, thread=self._thread)
        if self._output is not None:
            answer = self._output(answer)
        elif isinstance(answer, Trajectory):
            answer = answer.output
        self._spoken += [Message("user", text), Message("assistant", text_of(answer))]
        return answer
