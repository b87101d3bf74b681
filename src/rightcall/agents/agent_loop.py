"""The two modes of a model agent: one request whose calls are not run, or a loop that runs them until done.

The constant part of requests is built once and shared (`Prompts`); what happens in a case is recorded (`Recorder`).
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Mapping, Sequence
from itertools import chain

import msgspec

from rightcall.agents.limits import Deadline, Limits
from rightcall.agents.model_retries import Asker, AsksModel, stop_of_problem
from rightcall.core.codec import convert
from rightcall.core.errors import ConfigError, InputError, ProviderError
from rightcall.providers.base import ModelReply, ModelRequest, Prompt, Settings
from rightcall.records.approval import approval_wait_text
from rightcall.records.call import ToolCall, ToolResult
from rightcall.records.golden import Golden
from rightcall.records.message import Message
from rightcall.records.record import plain_constructor
from rightcall.records.tool import Tool
from rightcall.records.trajectory import StopReason, Trajectory, Usage, limit_call_depth
from rightcall.tools.definitions.offer import chosen_tools
from rightcall.tools.runtime.context import CallContext
from rightcall.tools.runtime.errors import Aborted
from rightcall.tools.runtime.toolbox import Toolbox

_message = plain_constructor(Message)
_trajectory = plain_constructor(Trajectory)

REMEMBERED = 256

MOST_NAME = 200


class Prompts:
    """The prompt of each golden: the suite's own, unless the golden narrows the tools or has a system text or settings.

    Providers encode a prompt once, by identity, so goldens with equal prompts share one object.
    """

    def __init__(self, system: str, tools: Mapping[str, Tool], settings: Settings, seed: int) -> None:
        self.tools = tools
        self._seed = seed
        self.common = Prompt(system, tuple(tools.values()), settings)
        self._special: dict[tuple[str, tuple[str, ...], str], Prompt] = {}

    def prompt_of(self, golden: Golden) -> Prompt:
        if golden.tools is None and golden.system is None and golden.settings is None:
            return self.common
        system = self.common.system if golden.system is None else golden.system
        offered = tuple(chosen_tools(golden, self.tools).values())
        if any(not isinstance(tool, str) for tool in golden.tools or ()):
            return Prompt(system, offered, self._settings(golden))  # tools of the golden: rarely shared
        key = (system, tuple(tool.name for tool in offered), repr(golden.settings))
        if key not in self._special:
            if len(self._special) >= REMEMBERED:
                self._special.clear()
            self._special[key] = Prompt(system, offered, self._settings(golden))
        return self._special[key]

    def _settings(self, golden: Golden) -> Settings:
        return settings_of(golden, self.common.settings)

    def seed_of(self, golden: Golden, trial: int) -> int:
        """The sampling seed of a trial: different for each, reproducible from the run's seed."""
        return zlib.crc32(f"{self._seed}/{golden.id}/{trial}".encode(), self._seed & 0xFFFFFFFF) & 0x7FFFFFFF

    def request(self, golden: Golden, trial: int, messages: Sequence[Message]) -> ModelRequest:
        seed = self.seed_of(golden, trial)
        return ModelRequest(self.prompt_of(golden), tuple(messages), golden.id, trial, seed=seed)


def settings_of(golden: Golden, settings: Settings) -> Settings:
    """The agent's settings overridden by the golden's; an unknown one is a `ConfigError`."""
    if not golden.settings:
        return settings
    try:
        own = convert(golden.settings, Settings, f"golden '{golden.id}': settings")
    except InputError as error:
        raise ConfigError(str(error)) from None
    return msgspec.structs.replace(settings, **{name: getattr(own, name) for name in golden.settings})


class Recorder:
    """Messages, calls with their steps and results, usage and time of one case, turned into a trajectory."""

    def __init__(self, *messages: Message) -> None:
        self.messages: list[Message] = list(messages)
        self.calls: list[ToolCall] = []
        self.usage = Usage()
        self.latency_ms = 0.0
        self.lag_ms = 0.0
        self.steps = 0
        self.served_model = ""
        self.approvals_seen = False

    def reply(self, reply: ModelReply) -> tuple[ToolCall, ...]:
        """Record an answer of the model and return its calls, each with its step."""
        step = self.steps
        self.steps += 1
        calls = tuple(
            msgspec.structs.replace(limit_call_depth(call), step=step) for call in reply.message.calls
        )
        taken = round(reply.latency_ms, 3)
        self.messages.append(msgspec.structs.replace(reply.message, calls=calls, latency_ms=taken))
        self.calls += calls
        self.usage = self.usage.plus(reply.usage) if self.steps > 1 else reply.usage
        self.latency_ms += reply.latency_ms
        self.lag_ms += reply.lag_ms
        self.served_model = reply.model[:MOST_NAME]
        return calls

    def results(self, calls: Sequence[ToolCall], told: Sequence[ToolResult], lag_ms: float = 0.0) -> None:
        """Record the results of the last calls: status, output and time of each, and the text the model reads."""
        self.calls[len(self.calls) - len(calls) :] = calls
        taken = max((call.latency_ms or 0.0 for call in calls), default=0.0)
        self.latency_ms += taken
        self.lag_ms += min(lag_ms, taken)
        self.messages.append(Message("tool", results=tuple(told)))

    def trajectory(self, stop_reason: StopReason = "done", error: str = "") -> Trajectory:
        """The trajectory. The final answer is the text of the last message, if it is the model's."""
        last = self.messages[-1] if self.messages else None
        return _trajectory(
            messages=tuple(self.messages),
            calls=tuple(self.calls),
            output=last.content if last and last.role == "assistant" else "",
            usage=self.usage,
            latency_ms=round(self.latency_ms, 3),
            lag_ms=round(self.lag_ms, 3),
            stop_reason=stop_reason,
            error=error,
            served_model=self.served_model,
            approvals_seen=self.approvals_seen,
        )


def _with_offer(request: ModelRequest, context: CallContext) -> ModelRequest:
    """The request with the tools that the layers of the trial show, noted."""
    for state in context.states.values():
        shown = state.offer({tool.name: tool for tool in request.prompt.tools})
        if shown is not None:
            prompt = msgspec.structs.replace(request.prompt, tools=tuple(shown.values()))
            request = msgspec.structs.replace(request, prompt=prompt)
            state.bind_offer(context, request.prompt.tools)
        state.note_offer(context, request.prompt.tools)
    return request


class SingleTurn:
    """Asks the model once per case."""

    def __init__(self, asker: Asker, prompts: Prompts, limits: Limits, toolbox: Toolbox) -> None:
        self._asker = asker
        self._prompts = prompts
        self._limits = limits
        self._toolbox = toolbox

    async def perform(self, golden: Golden, trial: int) -> Trajectory:
        """The calls the model chose. A provider failure is an `infra_error`, never an exception."""
        messages = (*_earlier(golden, self._toolbox), _message("user", golden.input))
        request = self._prompts.request(golden, trial, messages)
        if golden.safety is None:
            return await self._ask(request, Recorder(*messages))
        context = self._toolbox.context(trial=trial, golden=golden, offered=request.prompt.tools)
        trajectory = await self._ask(_with_offer(request, context), Recorder(*messages))
        return msgspec.structs.replace(trajectory, ledger=context.ledger.entries)

    async def _ask(self, request: ModelRequest, recorder: Recorder) -> Trajectory:
        try:
            reply = await self._asker.ask(request, Deadline(self._limits.seconds))
        except TimeoutError:
            return recorder.trajectory("limit", f"more than {self._limits.seconds:g} seconds")
        except ProviderError as error:
            return recorder.trajectory(stop_of_problem(error), str(error))
        recorder.reply(reply)
        return recorder.trajectory(reply.stop)


def _earlier(golden: Golden, toolbox: Toolbox) -> tuple[Message, ...]:
    """What the layers that a golden asks for put before its request."""
    layers = toolbox.layers_of(golden) if golden.safety is not None else ()
    return tuple(chain.from_iterable(layer.earlier(golden) for _, layer in layers))


MOST_AT_ONCE = 1000
"""Maximum tool calls in one reply. A model that requests more is stopped."""


class WaitingTools(Exception):  # noqa: N818  what happened
    """A call waits for an approval, so the agent can do nothing more."""


class AgentLoop:
    """Runs a model with its tools until it answers; tools are mocked unless the toolbox runs them."""

    def __init__(
        self, asker: AsksModel, prompts: Prompts, limits: Limits, toolbox: Toolbox, run_id: str
    ) -> None:
        self._asker = asker
        self._prompts = prompts
        self._limits = limits
        self._toolbox = toolbox
        self._run_id = run_id

    async def perform(self, golden: Golden, trial: int) -> Trajectory:
        """The trajectory from the question to the answer, or to whatever ended it."""
        deadline = Deadline(self._limits.seconds)
        if golden.safety is not None and golden.safety.first_session is not None:
            return await self._perform_sessions(golden, golden.safety.first_session, trial, deadline)
        recorder, context = self.begin(
            golden, trial, (*_earlier(golden, self._toolbox), Message("user", golden.input))
        )
        return context.with_evidence(await self.answer(golden, trial, recorder, context, deadline=deadline))

    def begin(
        self, golden: Golden, trial: int, messages: tuple[Message, ...] = ()
    ) -> tuple[Recorder, CallContext]:
        """The state of one trial from its first message to its last: the messages, and the world of its tools."""
        recorder = Recorder(*messages)
        recorder.approvals_seen = True
        recorder.steps = sum(message.role == "assistant" for message in messages)
        prompt = self._prompts.prompt_of(golden)
        context = self._toolbox.context(run=self._run_id, trial=trial, golden=golden, offered=prompt.tools)
        for state in context.states.values():
            state.start(context, prompt.system, prompt.tools, messages)
        return recorder, context

    async def _perform_sessions(
        self, golden: Golden, request: str, trial: int, deadline: Deadline
    ) -> Trajectory:
        """Two sessions on one world: the first reads what is planted, the second is a new conversation."""
        recorder, context = self.begin(golden, trial, (Message("user", request),))
        first = await self.answer(golden, trial, recorder, context, deadline=deadline)
        if first.stop_reason != "done":
            return context.with_evidence(first)
        for state in context.states.values():
            state.begin_session(context, recorder.steps)
        later = Recorder(Message("user", golden.input))
        later.approvals_seen = True
        later.steps = recorder.steps
        second = await self.answer(golden, trial, later, context, deadline=deadline)
        both = msgspec.structs.replace(
            second,
            messages=(*first.messages, *second.messages),
            calls=(*first.calls, *second.calls),
            usage=first.usage.plus(second.usage),
            latency_ms=(first.latency_ms or 0.0) + (second.latency_ms or 0.0),
        )
        return context.with_evidence(both)

    async def answer(
        self, golden: Golden, trial: int, recorder: Recorder, context: CallContext, deadline: Deadline
    ) -> Trajectory:
        """Continue from the user's last message to the model's answer, or to whatever ended it."""
        for _ in range(self._limits.steps):
            try:
                ended = await self._step(golden, trial, recorder, context, deadline=deadline)
            except TimeoutError:
                return recorder.trajectory("limit", f"more than {self._limits.seconds:g} seconds")
            except ProviderError as error:
                return recorder.trajectory(stop_of_problem(error), str(error))
            except Aborted as stop:
                return recorder.trajectory("agent_error", stop.reason)
            except WaitingTools as waiting:
                return recorder.trajectory("waiting_for_approval", str(waiting))
            if ended is not None:
                return ended
        return recorder.trajectory("limit", f"more than {self._limits.steps} steps")

    async def _step(
        self, golden: Golden, trial: int, recorder: Recorder, context: CallContext, deadline: Deadline
    ) -> Trajectory | None:
        """One answer of the model and its calls; returns the trajectory if it was the last."""
        request = self._prompts.request(golden, trial, recorder.messages)
        if context.states:
            request = _with_offer(request, context)
        reply = await self._asker.ask(request, deadline)
        calls = recorder.reply(reply)
        if not calls:
            return recorder.trajectory(reply.stop)
        over = self._limits.exceeded(
            calls=len(recorder.calls), seconds=recorder.latency_ms / 1000, usage=recorder.usage
        )
        if len(calls) > MOST_AT_ONCE:
            over = f"more than {MOST_AT_ONCE:,} tool calls in one reply"
        if over:
            return recorder.trajectory("limit", over)
        await self._run_tools(calls, recorder, context, deadline)
        return None

    async def _run_tools(
        self, calls: tuple[ToolCall, ...], recorder: Recorder, context: CallContext, deadline: Deadline
    ) -> None:
        before = self._asker.lag.so_far()
        try:
            async with asyncio.timeout(deadline.left()):
                invocations = await self._toolbox.invoke_turn(calls, context)
        except TimeoutError:  # some calls may have run: the context says which
            by_id = {invocation.call.id: invocation for invocation in context.invocations}
            recorder.results(
                [by_id[call.id].call if call.id in by_id else call for call in calls],
                [by_id[call.id].result for call in calls if call.id in by_id],
            )
            raise
        except Aborted as stop:
            ended = stop.invocations
            recorder.results([ending.call for ending in ended], [ending.result for ending in ended])
            raise
        lag = self._asker.lag.so_far() - before
        waiting = [invocation.call.name for invocation in invocations if invocation.outcome == "waiting"]
        answered = [invocation.result for invocation in invocations if invocation.outcome != "waiting"]
        recorder.results([invocation.call for invocation in invocations], answered, lag * 1000)
        if waiting:
            raise WaitingTools(approval_wait_text(waiting))
