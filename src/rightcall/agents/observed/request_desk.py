"""What the requests of a trial carry to the model, where an agent's own code runs the tools.

An observed agent asks its model over HTTP, in this process. On the way, each result that its loop sends back goes once
through the layers of a toolbox, as if the tool had been run there: faults and planted texts are in what the model is
sent, and the ledger has what the tool did. Definitions and instructions are those that are being tried.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from urllib.parse import urlsplit

import msgspec

from rightcall.agents.agent_session import Desk, DeskSetup, framework_tool
from rightcall.agents.observed.adapter import ToolAnswer
from rightcall.agents.observed.recorder import EventRecorder
from rightcall.agents.observed.sent_request import SentRequest, SentResult, redefine
from rightcall.core.digest import hex_digest
from rightcall.core.event_loop import run_apart
from rightcall.recording.case import PendingReply, ReplayedReply
from rightcall.recording.hooks import HOOKS, RequestListener, SharedSetup
from rightcall.records.call import ToolCall
from rightcall.records.golden import AnyGolden, Golden
from rightcall.records.record import Record
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Trajectory
from rightcall.tools.definitions.behaviour import Behaviour
from rightcall.tools.runtime.bound_tool import BoundTool
from rightcall.tools.runtime.context import CallContext
from rightcall.tools.runtime.errors import ToolError
from rightcall.tools.runtime.toolbox import Toolbox

EFFECTS = ("none", "done", "unknown")


class RequestChange(Record, frozen=True):
    """Other definitions of an agent's tools, by their names, and a paragraph that is added to its instructions."""

    tools: dict[str, Tool] = {}
    paragraph: str = ""


class RequestDesk(Desk):
    """The desk of one trial; `at_tools` says that it also runs the tools, in place of their framework."""

    def __init__(
        self,
        toolbox: Toolbox,
        context: CallContext,
        golden: AnyGolden,
        change: RequestChange,
        *,
        at_tools: bool,
    ) -> None:
        super().__init__(toolbox, context)
        self.at_tools = at_tools
        self.recorders: Sequence[EventRecorder] = ()
        self.problem = ""
        self._changes_sent = False
        self._golden = golden
        self._change = change
        self._told: dict[tuple[str, str, int], ToolAnswer | None] = {}
        self._lock = threading.RLock()

    def edit(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> bytes:
        """The body to send. A signed request is sent as it is: nothing of ours reaches its model."""
        if headers.get("authorization", "").startswith("AWS4-"):
            return body
        with self._lock:
            try:
                request = SentRequest.of(method, urlsplit(url).path, body)
                if request is None:
                    return body
                changed = self._put_results(request)
                changed |= self._put_definitions(request)
                if self._change.paragraph:
                    request.extend_system(self._change.paragraph)
                    changed = True
                self._changes_sent |= changed
                return request.encoded() if changed else body
            except Exception as error:
                self.problem = (
                    self.problem or f"a request could not be edited: {type(error).__name__}: {error}"
                )
                return body

    def with_evidence(self, trajectory: Trajectory) -> Trajectory:
        """With the tools that gave their own code no answer, which no layer sees."""
        unheard = () if self.at_tools else trajectory.ledger
        trajectory = super().with_evidence(trajectory)
        lines = [*trajectory.ledger, *unheard]
        numbered = (msgspec.structs.replace(line, effect_id=at) for at, line in enumerate(lines, start=1))
        return msgspec.structs.replace(trajectory, ledger=tuple(numbered)) if unheard else trajectory

    @property
    def unreached(self) -> str:
        """Why nothing shows what a change does: the model was asked, and no request of it passed here."""
        if (
            self._changes_sent
            or self._change == RequestChange()
            or not any(r.requests for r in self.recorders)
        ):
            return ""
        return "its requests do not pass here, or do not have the tools that were changed, so nothing can be tried"

    def _put_results(self, request: SentRequest) -> bool:
        changed = False
        seen: Counter[tuple[str, str]] = Counter()
        for result in [] if self.at_tools else list(request.results(self._earlier_call)):
            name = (result.call.id or result.call.name, hex_digest(msgspec.json.encode(result.content)))
            key = (*name, seen[name])
            seen[name] += 1
            if key not in self._told:
                self._told[key] = self._answer(result)
            if (told := self._told[key]) is not None:
                result.put(told.output, failed=told.failed)
                changed = True
        return changed

    def _answer(self, result: SentResult) -> ToolAnswer | None:
        """What the model is told instead of a result; None when no layer changed it."""
        call = result.call
        if call.name not in self.context.offered:
            return None
        if isinstance(result.value, dict) and result.value.get("replayed") is True:
            self.context.ledger.add(
                "replayed", call.name, call_id=call.id
            )  # the tool says that nothing was run
            return None
        lines_before = len(self.context.ledger.entries)

        async def sent() -> Any:
            if result.failed:
                raise _own_failure(result.value)
            return result.value

        answer = run_apart(self.run(call.name, call.arguments or {}, call.id, sent))
        lines = self.context.ledger.entries[lines_before:]
        if not any(line.phase in ("fault", "attack") for line in lines) or answer.output == result.value:
            if (
                result.failed and self._golden.safety is not None
            ):  # a chat's result does not say that it is an error
                for recorder in self.recorders:
                    recorder.told(call, result.content, failed=True)
            return None
        for recorder in self.recorders:
            recorder.told(call, answer.output, failed=answer.failed)
        return answer

    def _put_definitions(self, request: SentRequest) -> bool:
        offered = request.tools()
        shown = {tool.name: self._change.tools.get(tool.name, tool) for _, tool in offered}
        states = list(self.context.states.values())
        for state in states:
            shown = {**shown, **(state.offer(shown) or {})}
        for fields, tool in offered:
            redefine(fields, tool, shown[tool.name])
        changed = any(tool != shown[tool.name] for _, tool in offered)
        offered = request.tools() if changed else offered
        for state in states:
            state.note_offer(self.context, [tool for _, tool in offered])
        return changed

    def _earlier_call(self, call_id: str) -> ToolCall | None:
        """A call that was in an answer of the model, and that the server keeps."""
        return next(filter(None, (recorder.call_of_id(call_id) for recorder in self.recorders)), None)


class RequestDesks(DeskSetup):
    """Makes the desk of every trial in which something is put into requests, or tools are run here."""

    def __init__(
        self, toolbox: Toolbox, run_id: str, change: RequestChange, *, at_tools: bool, always: bool
    ) -> None:
        self._toolbox = toolbox
        self._run_id = run_id
        self._change = change
        self._at_tools = at_tools
        self._always = always

    def desk(self, golden: Golden, trial: int) -> RequestDesk | None:
        if not self._always and golden.safety is None:
            return None
        context = self._toolbox.context(run=self._run_id, trial=trial, golden=golden)
        return RequestDesk(self._toolbox, context, golden, self._change, at_tools=self._at_tools)


def tools_of_requests(tools: Iterable[BoundTool]) -> Iterator[BoundTool]:
    """Tools that were run elsewhere, by their own rules: whatever arguments they took, their result is what was sent.

    Calls that differ in their idempotency key alone mean the same, and are two effects.
    """
    for known in tools:
        tool = known.tool
        properties = {
            name: {"default": schema["default"]} if isinstance(schema, dict) and "default" in schema else {}
            for name, schema in tool.parameters.items()
        }
        schema = {"type": "object", "properties": properties}
        bound = framework_tool(msgspec.structs.replace(tool, input_schema=schema, roles=()), has_run=True)
        own = known.behaviour
        behaviour = Behaviour(
            volatile=(*own.volatile, own.key_parameter),
            check_with=own.check_with,
            timeout_s=own.timeout_s,
            max_result_bytes=own.max_result_bytes,
        )
        yield msgspec.structs.replace(bound, behaviour=behaviour)


def _own_failure(value: Any) -> ToolError:
    """The failure that a tool reported, with its effect where it says one."""
    effect = value.get("effect") if isinstance(value, dict) else None
    return ToolError(
        "failed", "the tool failed", "read its answer", effect=effect if effect in EFFECTS else "none"
    )


_DESK: ContextVar[RequestDesk | None] = ContextVar("rightcall_request_desk", default=None)


class _Editor(RequestListener):
    """Hands a request to the desk of the trial in whose context it is made."""

    def listens(self) -> bool:
        return _DESK.get() is not None

    def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> ReplayedReply | PendingReply | None:
        return None

    def unreadable(self, method: str, url: str) -> None:
        """A body that can be read only once is sent as it is."""

    def edit(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> bytes:
        desk = _DESK.get()
        return body if desk is None else desk.edit(method, url, headers, body)


def _listen() -> Callable[[], None]:
    editor = _Editor()
    HOOKS.add(editor)
    return lambda: HOOKS.remove(editor)


_LISTENING = SharedSetup(_listen)


@contextmanager
def edit_requests(desk: RequestDesk | None) -> Iterator[None]:
    """Inside the block, requests made in this context, and in tasks and threads started from it, pass the desk."""
    if desk is None:
        yield
        return
    with _LISTENING.use():
        token = _DESK.set(desk)
        try:
            yield
        finally:
            _DESK.reset(token)
