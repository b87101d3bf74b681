"""One trial with an observed agent: turn by turn, with what was observed so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any
from uuid import uuid4

import msgspec

from rightcall.agents.agent_function import AgentFunction
from rightcall.agents.callable_agent import as_trajectory
from rightcall.agents.observed.adapter import Talk, ToolDesk, Watch, show_watches
from rightcall.agents.observed.model_answers import (
    ModelAnswer,
    SeenCall,
    agent_answers,
    finish_below,
    last_finish,
    step_messages,
    tool_call,
    total_usage,
)
from rightcall.agents.observed.recorder import EventRecorder
from rightcall.agents.observed.request_desk import RequestDesk, edit_requests
from rightcall.agents.observed.values import stop_of_error, text_of
from rightcall.agents.observed.voices import HeardTurn
from rightcall.agents.trial_values import TrialValues
from rightcall.core.errors import ConfigError, InputError, contain_exits
from rightcall.records.approval import approval_wait_text
from rightcall.records.call import ToolCall
from rightcall.records.dialects.endings import stop_of
from rightcall.records.golden import Golden
from rightcall.records.message import Message
from rightcall.records.trajectory import LedgerEntry, LedgerPhase, StopReason, Trajectory


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
        requests: RequestDesk | None = None,
    ) -> None:
        self._watches = watches
        self._requests = requests
        self._talk = talk
        self._values = values
        self._clients = clients or {}
        self._all_watches = {**self._clients, **watches}
        if requests is not None:
            requests.recorders = [watch.recorder for watch in self._all_watches.values()]

    async def open(self) -> None:
        """Wait until the conversation may begin; without it the first turn waits."""
        if self._values is not None:
            await self._values.make()
        await self._talk.open()

    async def turn(self, text: str) -> None:
        await self.open()
        for watch in self._all_watches.values():
            watch.recorder.said(text)
        desks: list[ToolDesk | None] = [self._requests, *(watch.desk for watch in self._watches.values())]
        for desk in {id(desk): desk for desk in desks if desk is not None}.values():
            desk.hear(text)
        try:
            with contain_exits(), show_watches(self._all_watches), edit_requests(self._requests):
                try:
                    output = await self._talk.say(text)
                finally:
                    for watch in self._all_watches.values():
                        watch.end_turn()
        except Exception as error:
            self._end_early(error)
            raise
        except BaseException:  # cancelled: time is over
            self._end_early(None)
            raise
        self._refuse_broken_hooks()
        if self._requests is not None and self._requests.unreached:
            raise ConfigError(self._requests.unreached)
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
        try:
            await self._talk.aclose()
        finally:
            if self._values is not None:
                await self._values.end()

    def _end_early(self, error: BaseException | None) -> None:
        for watch in self._watches.values():
            watch.recorder.broke(error)
        if error is not None:
            self._refuse_broken_hooks()

    def _refuse_broken_hooks(self) -> None:
        if unheard := [watch.recorder.unheard for watch in self._watches.values() if watch.recorder.unheard]:
            raise ConfigError(*unheard)
        problems = [watch.recorder.problem for watch in self._watches.values() if watch.recorder.problem]
        if self._requests is not None and self._requests.problem:
            problems.append(self._requests.problem)
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
        answer = _answer_in(answer) if self._output is None else self._output(answer)
        self._spoken += [Message("user", text), Message("assistant", text_of(answer))]
        return answer

    async def aclose(self) -> None:
        await self._function.end()


def _answer_in(returned: Any) -> Any:
    """The answer in what a function returned: of messages or a model's response the last text, else the value."""
    if returned is None or isinstance(returned, str):
        return returned
    try:
        trajectory = as_trajectory(returned)
    except InputError:  # a structured answer
        return returned
    return trajectory.output if trajectory.messages or isinstance(returned, Trajectory) else returned


class HeardTrial:
    """The trial as these recorders heard it, at this moment; the first says whose calls count.

    Answers that a client received for a framework are the framework's: they only say what it drops, such as tokens
    and why the model stopped.
    """

    def __init__(self, recorders: Sequence[EventRecorder]) -> None:
        self._recorders = recorders
        first = recorders[0]
        self._scored = first.scored
        self._handoffs = first.handoffs
        self._skills = first.skills
        with first.shared.lock:
            answers = list(chain.from_iterable(recorder.answers() for recorder in recorders))
            turns = [recorder.turns for recorder in recorders if recorder.turns]
        self._replies = sorted((a for a in answers if a.below), key=lambda answer: answer.moment)
        self.answers = sorted((a for a in answers if not a.below), key=lambda answer: answer.moment)
        # Of each turn, its first request as it was heard best.
        self._turns = [max(same, key=lambda turn: len(turn.request)) for same in zip(*turns, strict=False)]

    @property
    def seen(self) -> int:
        """How many calls and answers were observed; zero shows that a hook does not work."""
        return sum(1 + len(answer.calls) for answer in self.answers)

    @property
    def unseen_tools(self) -> int:
        """Answers after which the agent continued although no tool of their calls was observed."""
        return sum(
            any(not call.ended and call.started is None for call in answer.calls)
            for answer in self.answers[:-1]
        )

    @property
    def first_request(self) -> Sequence[Message]:
        """The messages of the trial's first request; none when they were not heard."""
        return self._turns[0].request if self._turns else ()

    def trajectory(self, stop_reason: StopReason = "done", error: str = "") -> Trajectory:
        """What has been done so far."""
        with self._recorders[0].shared.lock:
            return self._build_trajectory(stop_reason, error)

    def _build_trajectory(self, stop_reason: StopReason, error: str) -> Trajectory:
        messages: list[Message] = []
        scored_calls: list[ToolCall] = []
        lost: list[LedgerEntry] = []
        step = 0
        said_last = ""
        finish = ""
        steps: dict[int, int] = {}  # of each answer that belongs, by identity
        for entry in sorted([*self._turns, *self.answers], key=lambda entry: entry.moment):
            if isinstance(entry, HeardTurn):
                messages.append(entry.message(is_first=not messages))
                said_last = ""
                continue
            if not self._belongs(entry):
                scored_calls += self._inner_loads(entry, step)
                continue
            counted = [c for c in entry.calls if self._handoffs == "keep" or not c.notes.get("handoff")]
            calls = tuple(tool_call(call, step, entry) for call in counted)
            messages += step_messages(entry, calls)
            scored_calls += calls
            steps[id(entry)] = step
            lost += [self._ledger_entry(call, len(lost) + 1) for call in entry.calls if call.lost]
            step += 1
            said_last = entry.text
            finish = entry.finish or finish_below(entry, self._replies)
        waiting = [call.name for call in scored_calls if call.approval is not None and call.approval.open]
        if stop_reason == "done" and waiting:
            stop_reason = "waiting_for_approval"
            error = error or approval_wait_text(waiting)
        beyond = list(chain.from_iterable(r.beyond for r in self._recorders))
        limit = next((r.limit for r in self._recorders if r.limit), "")
        output = next((r.output for r in self._recorders if r.output is not None), said_last)
        if stop_reason == "done" and limit:
            stop_reason = "limit"
            error = limit
        elif stop_reason in ("done", "agent_error"):
            # Frameworks raise when an answer is cut off or refused, or say that it is whole: their client knows.
            below = stop_of(last_finish(self.answers, self._replies))
            own = stop_of(finish) if stop_reason == "done" else "done"
            stop_reason = own if own != "done" else below if below != "done" else stop_reason
            if stop_reason == "refused" and not output and self._replies:
                output = self._replies[-1].text  # frameworks drop the words of a refusal
        return Trajectory(
            messages=tuple(messages),
            calls=tuple(scored_calls),
            output=output,
            usage=total_usage(self.answers, beyond, self._replies),
            stop_reason=stop_reason,
            error=error,
            ledger=tuple(lost),
            approvals_seen=any(r.approvals_seen for r in self._recorders),
            answers=agent_answers(self.answers, steps),
        )

    def _inner_loads(self, answer: ModelAnswer, step: int) -> list[ToolCall]:
        """Calls inside another agent that load a skill of the suite: loading counts at every depth."""
        if self._skills is None:
            return []
        calls = [tool_call(call, step, answer) for call in answer.calls]
        return [call for call in calls if self._skills.skill_call(call) is not None]

    def _ledger_entry(self, seen: SeenCall, number: int) -> LedgerEntry:
        """The line of a ledger about a tool of the framework's that gave no answer."""
        tool = next((r.tools[seen.call.name] for r in self._recorders if seen.call.name in r.tools), None)
        reads = tool is not None and tool.annotations.read_only is True
        phase: LedgerPhase = "unreached" if reads else "unanswered"
        return LedgerEntry(number, phase, seen.call.name, call_id=seen.call.id, detail=seen.lost)

    def _belongs(self, answer: ModelAnswer) -> bool:
        if self._scored == "all":
            return True
        root = next((other.agent for other in self.answers if other.depth == 0), "")
        return answer.depth == 0 and (self._scored != "root" or answer.agent == root)
