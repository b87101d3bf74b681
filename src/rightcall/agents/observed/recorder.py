"""From the events of hooks to a trajectory: the one place that joins calls with their results."""

from __future__ import annotations

import time
from collections.abc import Collection, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from msgspec.structs import replace

from rightcall.agents.observed.model_answers import (
    ModelAnswer,
    SeenCall,
    best_match,
    new_results,
    settle,
    tell,
)
from rightcall.agents.observed.values import text_of, whole
from rightcall.agents.observed.voices import (
    HeardTurn,
    Place,
    Role,
    SharedTrial,
    Voice,
    own_voice,
    place_of_request,
    speak,
    speaking,
)
from rightcall.records.approval import Approval
from rightcall.records.call import ToolCall, ToolResult
from rightcall.records.message import Message
from rightcall.records.skill_load import SkillIndex
from rightcall.records.tool import Tool
from rightcall.records.trajectory import UNKNOWN_USAGE, Usage

CallsScored = Literal["auto", "root", "all"]


class EventRecorder:
    """Takes the events that one adapter hears in a trial, in the order they happen, from any thread.

    `HeardTrial` puts those of all adapters together.

    `calls` says whose calls the trajectory holds: `auto` those of the conversation, handoffs included, but none made
    inside an agent that was used as a tool; `root` only those of the first agent; `all` every call. `handoffs="drop"`
    leaves out the calls by which one agent hands over to another.
    """

    def __init__(
        self,
        calls: CallsScored = "auto",
        *,
        handoffs: Literal["keep", "drop"] = "keep",
        role: Role = "framework",
        shared: SharedTrial | None = None,
    ) -> None:
        self.scored = calls
        self.handoffs = handoffs
        self.role = role
        self.shared = shared or SharedTrial()
        self._log: list[HeardTurn | ModelAnswer] = []
        self._waiting: list[Voice] = []
        self.beyond: list[Usage] = []
        self.output: str | None = None
        self._running: dict[Hashable, SeenCall] = {}
        self._early: dict[str, SeenCall] = {}
        """By call id: tools that began before their answer was noted, as those of a stream still being read do."""
        self._lock = self.shared.lock
        self.tools: dict[str, Tool] = {}
        self.requests = 0
        self.skills: SkillIndex | None = None
        """The skills whose loads count even inside agents whose other calls do not."""
        self.limit = ""
        self.problem = ""
        """The exception of one of our hooks, if any: the trial then says nothing about the agent."""
        self.unheard = ""
        """Why calls of an agent of this trial cannot be heard, if any."""
        self.approvals_seen = False
        """Whether the adapter observes requests for approval."""

    def said(self, text: str) -> None:
        """The user says something: a new turn begins."""
        with self._lock:
            self._log.append(HeardTurn(whole(text), self.shared.moment()))
            self.output = None
            self.limit = ""
            self._waiting.clear()

    def asked(
        self, messages: Sequence[Message] = (), tools: Sequence[Tool] = (), *, results: bool = True
    ) -> Voice:
        """The model is asked. Results among `messages` belong to calls whose tools no hook saw run, or that raised.

        Results that were told before change nothing. `answered` finds the request by the context, where it is that of
        `speaking(request)`.
        """
        with self._lock:
            self.requests += 1
            voice = Voice(self, place_of_request(self))
            self._waiting.append(voice)
            if self.role == "framework":
                speak(voice)
            self._note_request(voice.place, messages)
            for tool in tools:
                self.tools.setdefault(tool.name, tool)
            if results:
                for result in new_results(messages):
                    self._settle_result(result)
            return voice

    @contextmanager
    def run(self) -> Iterator[None]:
        """What asks in this context is a part of this framework's run, whose hooks run in other contexts."""
        with speaking(Voice(self, place_of_request(self), waits=False, is_run=True)):
            yield

    def unanswered(self, voice: Voice | None = None) -> Voice | None:
        """A request is over."""
        with self._lock:
            voice = voice or own_voice(self) or next(iter(self._waiting), None)
            if voice is not None:
                voice.waits = False
                self._waiting = [other for other in self._waiting if other is not voice]
            return voice

    def answered(
        self,
        text: str = "",
        calls: Sequence[ToolCall] = (),
        *,
        usage: Usage | None = None,
        finish: str = "",
        ms: float | None = None,
        agent: str = "",
        depth: int = 0,
        parent: str = "",
    ) -> ModelAnswer:
        """The model answered; `parent` is the id of the call inside which this agent runs, `depth` how deep."""
        with self._lock:
            voice = self.unanswered()
            place = voice.place if voice is not None else place_of_request(self)
            path = self._path_of(agent, depth, parent)
            if place.depth:
                path = (*(*place.path, *[""] * place.depth)[: place.depth], *(path or (agent,)))
            notes = {"parent": parent or place.parent} if parent or place.parent else {}
            seen = [self._note_call(call, {**notes, **call.notes}) for call in calls]
            answer = ModelAnswer(
                whole(text), seen, usage or UNKNOWN_USAGE, finish, latency_ms=ms, agent=agent,
                path=path, depth=depth + place.depth,
                notes=notes, moment=self.shared.moment(), below=place.below, by_client=self.role == "client",
            )  # fmt: skip
            self._log.append(answer)
            return answer

    def extend_answer(
        self, answer: ModelAnswer, text: str = "", calls: Sequence[ToolCall] = (), usage: Usage | None = None
    ) -> None:
        """Another part of an answer: texts and calls are joined, the latest usage counts."""
        with self._lock:
            answer.text += whole(text)
            answer.calls += [SeenCall(call, notes={**answer.notes, **call.notes}) for call in calls]
            answer.usage = usage or answer.usage

    def run_by_code(self, answer: ModelAnswer, call: ToolCall) -> None:
        """The code in an answer runs a tool, which is a call; each call of a program is another step."""
        with self._lock:
            if not answer.calls:
                self.extend_answer(answer, calls=[call])
                return
            seen = SeenCall(call, notes={**answer.notes, **call.notes})
            self._log.append(
                replace(
                    answer, text="", calls=[seen], usage=Usage(), latency_ms=None, moment=self.shared.moment()
                )
            )

    def tool_started(self, key: Hashable, name: str, arguments: Any = None, call_id: str = "") -> bool:
        """A tool begins to run; `key` is whatever names this run of it. False when no call of it was seen."""
        with self._lock:
            if self.role == "framework":
                speak(Voice(self, place_of_request(self), waits=False))
            open_call = best_match(list(self._idle_calls()), name, arguments, call_id, other_ids=False)
            seen = open_call or SeenCall(ToolCall(name, id=call_id))
            seen.key = key
            seen.started = time.perf_counter()
            if seen.approval is not None and seen.approval.open:  # answered where we could not see it
                seen.approval = Approval("approved")
            if open_call is None and not call_id:
                return False
            if open_call is None:
                self._early[call_id] = seen
            self._running[key] = seen
            return open_call is not None

    def tool_ended(
        self,
        key: Hashable,
        output: Any = None,
        *,
        error: BaseException | bool | str | None = None,
        ms: float | None = None,
    ) -> None:
        """The tool of that `key` ended; `error` is what it raised, or whether its output reports a failure."""
        with self._lock:
            running = self._running.pop(key, None)
            if running is None:
                return
            taken = (time.perf_counter() - running.started) * 1000 if running.started is not None else None
            running.latency_ms = round(taken if ms is None else ms, 3) if taken is not None else ms
            settle(running, output, error)

    def noted(self, call_id: str, *, output: Any = None, **notes: Any) -> None:
        """Something more about the latest call of that id; `output` is what the model is told, where no tool ran."""
        with self._lock:
            call = next((call for _, call in self._latest_calls() if call.call.id == call_id), None)
            if call is None:
                return
            call.notes.update(notes)
            if output is not None:
                settle(call, output, None)

    def told(self, call: ToolCall, output: Any, *, failed: bool) -> None:
        """What the model was sent instead of the result of a call: of the latest one of that id or, without, name."""
        with self._lock:
            for _, seen in self._latest_calls():
                if (seen.call.id == call.id) if call.id else (seen.call.name == call.name):
                    settle(seen, output, failed)
                    return

    def call_of_id(self, call_id: str) -> ToolCall | None:
        """The latest call of that id."""
        with self._lock:
            return next((seen.call for _, seen in self._latest_calls() if seen.call.id == call_id), None)

    def agent_of_call(self, call_id: str) -> str:
        """The agent that made the latest call of that id; "" when it has no name."""
        with self._lock:
            return next(
                (answer.agent for answer, call in self._latest_calls() if call.call.id == call_id), ""
            )

    def call_of_key(self, key: Hashable) -> ToolCall | None:
        """The call whose tool runs under this key."""
        with self._lock:
            running = self._running.get(key)
            return None if running is None else running.call

    def call_id_of_key(self, key: Hashable) -> str:
        """The id of that call; "" when there is none."""
        call = self.call_of_key(key)
        return call.id if call is not None else ""

    def decided(self, approval: Approval, name: str, arguments: Any = None, call_id: str = "") -> None:
        """The agent asked before it runs a tool, and this was answered. Until it is, the tool has not begun."""
        with self._lock:
            # The latest call of that id that has not ended, running or not.
            open_calls = [call for _, call in self._latest_calls() if not call.ended]
            seen_call = best_match(open_calls, name, arguments, call_id, other_ids=True)
            if seen_call is None:
                return
            self._running.pop(seen_call.key, None)
            seen_call.approval = approval
            seen_call.started = None
            seen_call.ended = approval.decision == "rejected"
            seen_call.status = "not_run"
            seen_call.output = approval.message or None

    def drop_answer_calls(self, name: str) -> None:
        """Calls of that name were how the model gave its answer: no tool of it ran, so they are no calls."""
        with self._lock:
            for answer in self.answers():
                answer.calls = [c for c in answer.calls if c.call.name != name or c.started is not None]

    def reject_waiting_calls(self, still_waiting: Collection[str]) -> None:
        """The agent goes on: calls that waited and do so no longer were rejected by whoever was asked."""
        with self._lock:
            for _, call in self._latest_calls():
                waits = call.approval is not None and call.approval.open and not call.ended
                if waits and call.started is None and call.call.id not in still_waiting:
                    call.approval = Approval("rejected")
                    call.ended = True

    def add_usage(self, usage: Usage) -> None:
        """Tokens that belong to no single answer: what a total contains beyond the observed answers."""
        with self._lock:
            self.beyond.append(usage)

    def note_limit(self, limit: str) -> None:
        """The agent's own limit forced the answer of this turn, in a framework that does not raise then."""
        with self._lock:
            self.limit = limit

    def finished(self, output: Any) -> None:
        """The agent's own final answer, when it is more than the model's last text.

        Where that said nothing, because a structured answer is given by a tool, this is what it said.
        """
        with self._lock:
            self.output = text_of(output)
            last = next((answer for answer in reversed(self.answers()) if not answer.depth), None)
            if last is not None and not last.text and not last.calls and not last.below:
                last.text = self.output

    def broke(self, error: BaseException | None) -> None:
        """The agent ended early: what was running did not finish. `error` is None when the time limit was reached."""
        with self._lock:
            for call in self._running.values():
                if error is None:
                    call.status = "error"
                    call.output = "not finished when the time limit was reached"
                    call.notes["unfinished"] = True
                else:
                    settle(call, None, error)
            self._running.clear()

    @property
    def turn_begins(self) -> bool:
        """Whether the next request is the first of a turn, which is kept: adapters read it as a whole."""
        turn = self._turn()
        return turn is not None and not turn.asked

    @property
    def waits(self) -> bool:
        """Whether a request waits for its answer."""
        return bool(self._waiting)

    def place_in_running_tool(self) -> Place | None:
        """The place of what the tool that began last does; None while no tool runs."""
        with self._lock:
            running = next(reversed(self._running.values()), None)
            for answer, call in self._latest_calls():
                if call is running:
                    return Place(answer.below, answer.depth + 1, call.call.id, answer.path)
            return None

    @property
    def turns(self) -> list[HeardTurn]:
        with self._lock:
            return [entry for entry in self._log if isinstance(entry, HeardTurn)]

    def answers(self) -> list[ModelAnswer]:
        with self._lock:
            return [entry for entry in self._log if isinstance(entry, ModelAnswer)]

    def _note_request(self, place: Place, messages: Sequence[Message]) -> None:
        """Keep the first request of a turn: it says what was really sent."""
        turn = self._turn()
        if turn is not None and not turn.asked and not place.depth:
            turn.request = tuple(messages)
            turn.asked = True

    def _turn(self) -> HeardTurn | None:
        return next(reversed(self.turns), None)

    def _path_of(self, agent: str, depth: int, parent: str) -> tuple[str, ...]:
        """The agents from the root to one that answers, and a note on the call that runs it who does the work."""
        if not depth:
            return (agent,) if agent else ()
        for answer, call in self._latest_calls() if parent else ():
            if call.call.id == parent:
                if agent:
                    call.notes.setdefault("delegate", agent)
                above = (*answer.path, *[""] * depth)[:depth]
                return (*above, agent)
        return (*[""] * depth, agent)

    def _latest_calls(self) -> Iterator[tuple[ModelAnswer, SeenCall]]:
        """Every call with its answer, those of the latest answer first, each answer's in order."""
        return ((answer, call) for answer in reversed(self.answers()) for call in answer.calls)

    def _idle_calls(self) -> Iterator[SeenCall]:
        """Calls that no tool has begun to run, in the same order."""
        return (call for _, call in self._latest_calls() if call.started is None and not call.ended)

    def _note_call(self, call: ToolCall, notes: dict[str, Any]) -> SeenCall:
        """A call, with what was observed of its tool before its answer was."""
        early = self._early.get(call.id)
        if early is None or early.call.name != call.name:
            return SeenCall(call, notes=notes)
        del self._early[call.id]
        early.call = call
        early.notes = notes
        return early

    def _settle_result(self, result: ToolResult) -> None:
        for call in self._idle_calls():
            if call.call.id == result.call_id or not result.call_id or not call.call.id:
                settle(call, result.output, result.is_error)
                return
        same_id = (call for _, call in self._latest_calls() if call.call.id == result.call_id != "")
        if (latest := next(same_id, None)) is not None and latest.raised:
            tell(latest, result.output)
