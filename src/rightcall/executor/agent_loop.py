"""The two modes of a model agent: one request whose calls are not run, or a loop that runs them until done."""

from __future__ import annotations

import asyncio

from rightcall.errors import ProviderError
from rightcall.executor.limits import Deadline, Limits
from rightcall.executor.prompts import Prompts
from rightcall.executor.recorder import Recorder
from rightcall.executor.retrying_client import Asker
from rightcall.model.call import ToolCall
from rightcall.model.golden import Golden
from rightcall.model.message import Message
from rightcall.model.trajectory import StopReason, Trajectory
from rightcall.providers import ModelRequest
from rightcall.tools.runtime import Aborted, CallContext, Toolbox


class SingleTurn:
    """Asks the model once per case."""

    def __init__(self, asker: Asker, prompts: Prompts, limits: Limits) -> None:
        self._asker, self._prompts, self._limits = asker, prompts, limits

    async def perform(self, golden: Golden, trial: int) -> Trajectory:
        """The calls the model chose. A provider failure is an `infra_error`, never an exception."""
        question = Message("user", golden.input)
        recorder = Recorder(question)
        request = ModelRequest(
            self._prompts.prompt_of(golden),
            (question,),
            golden.id,
            trial,
            self._prompts.seed_of(golden, trial),
        )
        try:
            reply = await self._asker.ask(request, Deadline(self._limits.seconds))
        except TimeoutError:
            return recorder.trajectory("limit", f"more than {self._limits.seconds:g} seconds")
        except ProviderError as error:
            return recorder.trajectory("infra_error", str(error))
        recorder.reply(reply)
        return recorder.trajectory(stop_reason(reply.stop))


def stop_reason(stop: str) -> StopReason:
    """The stop reason of a model, in the words of a trajectory."""
    return "refused" if stop == "refused" else "truncated" if stop == "truncated" else "done"


MOST_AT_ONCE = 1000
"""Maximum tool calls in one reply. A model that requests more is stopped."""


class AgentLoop:
    """Runs a model with its tools until it answers; tools are mocked unless the toolbox runs them."""

    def __init__(self, asker: Asker, prompts: Prompts, limits: Limits, toolbox: Toolbox, run_id: str) -> None:
        self._asker, self._prompts, self._limits = asker, prompts, limits
        self._toolbox, self._run_id = toolbox, run_id

    async def perform(self, golden: Golden, trial: int) -> Trajectory:
        """The trajectory from the question to the answer, or to whatever ended it."""
        recorder, context = self.begin(golden, trial, (Message("user", golden.input),))
        deadline = Deadline(self._limits.seconds)
        return context.witnessed(await self.answer(golden, trial, recorder, context, deadline))

    def begin(
        self, golden: Golden, trial: int, given: tuple[Message, ...] = ()
    ) -> tuple[Recorder, CallContext]:
        """What one trial keeps from its first message to its last: what was said, and the world of its tools."""
        recorder = Recorder(*given)
        recorder.steps = sum(message.role == "assistant" for message in given)
        offered = self._prompts.prompt_of(golden).tools
        return recorder, self._toolbox.context(run=self._run_id, task=golden.id, trial=trial, offered=offered)

    async def answer(
        self, golden: Golden, trial: int, recorder: Recorder, context: CallContext, deadline: Deadline
    ) -> Trajectory:
        """Go on from the user's last words to the model's answer to them, or to whatever ended it."""
        for _ in range(self._limits.steps):
            try:
                ended = await self._step(golden, trial, recorder, context, deadline)
            except TimeoutError:
                return recorder.trajectory("limit", f"more than {self._limits.seconds:g} seconds")
            except ProviderError as error:
                return recorder.trajectory("infra_error", str(error))
            except Aborted as stop:
                return recorder.trajectory("agent_error", stop.reason)
            if ended is not None:
                return ended
        return recorder.trajectory("limit", f"more than {self._limits.steps} steps")

    async def _step(
        self, golden: Golden, trial: int, recorder: Recorder, context: CallContext, deadline: Deadline
    ) -> Trajectory | None:
        """One answer of the model and its calls; returns the trajectory if it was the last."""
        request = ModelRequest(
            self._prompts.prompt_of(golden),
            tuple(recorder.messages),
            golden.id,
            trial,
            self._prompts.seed_of(golden, trial),
        )
        reply = await self._asker.ask(request, deadline)
        calls = recorder.reply(reply)
        if not calls:
            return recorder.trajectory(stop_reason(reply.stop))
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
                made = await self._toolbox.invoke_turn(calls, context)
        except TimeoutError:  # some calls may have run: the context says which
            known = {made.call.id: made for made in context.invocations}
            done = [known[call.id] for call in calls if call.id in known]
            recorder.results(
                [known[call.id].call if call.id in known else call for call in calls],
                [made.result for made in done],
            )
            raise
        except Aborted as stop:
            recorder.results(
                [made.call for made in stop.invocations], [made.result for made in stop.invocations]
            )
            raise
        lag = self._asker.lag.so_far() - before
        recorder.results([one.call for one in made], [one.result for one in made], lag * 1000)
