"""The reply of an HTTP or command agent, read as messages, calls and an answer. Hostile input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any, get_args

import msgspec

from rightcall.agents.remote.exchange import ReplyPaths, as_text
from rightcall.core.codec import DecodeErrors, convert
from rightcall.core.errors import ConfigError, InputError, ProviderError
from rightcall.core.redaction.clean_text import scrub
from rightcall.core.text import one_line
from rightcall.records.call import ToolCall
from rightcall.records.dialects import read_document, read_messages, trajectory_from_messages
from rightcall.records.dialects.coding_agents import read_transcript
from rightcall.records.dialects.endings import UnfinishedAnswerError, require_calls, stop_of, stop_of_answer
from rightcall.records.dialects.part_kinds import LISTS, SINGLES
from rightcall.records.dialects.stream_pieces import AnswerStream
from rightcall.records.dialects.streams import stream_of
from rightcall.records.dialects.transcript import STATED, missing_call, require_answer
from rightcall.records.dialects.unread_calls import first_unread, refuse_unread
from rightcall.records.message import Message
from rightcall.records.record import Record
from rightcall.records.trajectory import StopReason, Trajectory, Usage, token_count

KNOWN = ("calls", "messages", "output")
HOLDERS = ("choices", "candidates", "message", "role", *LISTS, *SINGLES)
"""Fields of a reply in a provider's spelling."""
STOP_REASONS = get_args(StopReason)
TRIED = 3
"""Number of replies after which a path that never matched stops the run."""


class AgentFailedError(Exception):
    """The agent's reply was not usable: a failure of the agent, not of the infrastructure."""


class UnreadableReplyError(AgentFailedError):
    """The reply may hold calls that cannot be read: nobody knows what the agent did."""


class UnknownFormatError(UnreadableReplyError):
    """The reply is in no format that is read."""


class NoJsonError(AgentFailedError):
    """The reply is not JSON at all."""


class _Reply(Record, frozen=True, forbid_unknown_fields=False):
    """RightCall's reply format, as in a trajectories file; other fields are ignored."""

    calls: tuple[ToolCall, ...] | None = None
    messages: list[Any] | None = None
    output: Any = None
    usage: Usage = Usage()
    stop_reason: StopReason = "done"
    error: str = ""
    version: Any = ""


class ReplyReader:
    """Reads replies by paths, or in RightCall's format without paths. One per run: it counts matches."""

    def __init__(self, response: Mapping[str, Any]) -> None:
        events = response.get("events")
        selections = events if isinstance(events, list) else [events or response]
        self._selections = [ReplyPaths(stated) for stated in selections if stated]
        self._of_events = bool(events)
        self._replies = 0

    def read(self, content: bytes, user_text: str, *, stream: bool = False) -> Trajectory:
        """The behaviour in one reply; `AgentFailedError` when it is not usable."""
        try:
            if stream:
                return self._stream(content, user_text)
            return self._whole(decode_reply(content), content, user_text)
        except UnfinishedAnswerError as error:
            raise ProviderError(f"{error.problem}: {start_of(content)}", kind="dropped") from None
        except InputError as error:
            advice = f" ({error.hint})" if error.hint else ""
            raise UnreadableReplyError(f"{error.problem}{advice}: {start_of(content)}") from None

    def _whole(self, value: Any, content: bytes, user_text: str) -> Trajectory:
        if self._selections:
            return self._by_paths([value], content, user_text)
        if isinstance(value, str):
            value = {"output": value}
        if isinstance(value, list):
            value = {"messages": value}
        if not isinstance(value, dict):
            raise UnknownFormatError(f"the reply is neither an object, a list nor text: {start_of(content)}")
        if not _is_own(value) and (read := read_document(value, "the reply")) is not None:
            trajectory = trajectory_from_messages(_since(read, user_text))
            return msgspec.structs.replace(trajectory, stop_reason=stop_of_answer(value))
        if not any(name in value for name in KNOWN):
            raise UnknownFormatError(
                f"the reply has none of {', '.join(KNOWN)} ({start_of(content)}); set agent.response to where they are"
            )
        reply = convert(value, _Reply, "the reply")
        messages = _since(read_messages(reply.messages, "the reply"), user_text) if reply.messages else ()
        if reply.messages and not (value.keys() & STATED):
            require_answer(messages, reply.messages, "the reply")
        trajectory = trajectory_from_messages(messages)
        output = trajectory.output if reply.output is None else as_text(reply.output)
        calls = reply.calls or trajectory.calls
        if missing := missing_call(trajectory.calls, calls):
            raise UnreadableReplyError(
                f"the messages of the reply have a call of '{missing}' that its calls do not have: {start_of(content)}"
            )
        if not reply.calls:
            others = {name: inner for name, inner in value.items() if name not in ("messages", "calls")}
            refuse_unread(others, calls, "the reply", "the reply")
        if not all(call.name for call in calls):
            raise UnreadableReplyError(f"a call in the reply has no name: {start_of(content)}")
        trajectory = Trajectory(
            messages,
            calls,
            output,
            reply.usage,
            latency_ms=None,
            stop_reason=reply.stop_reason,
            error=scrub(reply.error),
        )
        return _with_version(trajectory, [reply.version])

    def _stream(self, content: bytes, user_text: str) -> Trajectory:
        sent = list(server_sent(content))
        events = [event for event in map(_decode_event, sent) if event is not None]
        if self._selections:
            return self._by_paths(events, content, user_text)
        stream: AnswerStream | None = None
        others: list[Any] = []
        for event in events:
            if isinstance(event, dict):
                stream = stream or stream_of(event)
            if stream is not None and isinstance(event, dict):
                stream.add(event)
            else:
                others.append(event)
        if stream is None:
            raise UnknownFormatError(
                "the stream contains no chat chunks, Anthropic, AG-UI or AI SDK events"
                f" ({start_of(content)}); set agent.response.events to where the data is"
            )
        stream.leave(others)
        stream.ended = stream.ended or b"[DONE]" in sent
        stream.require_end()
        trajectory = trajectory_from_messages(stream.messages())
        require_calls(stream.finish, trajectory.calls, "stream", "the answer")
        stop: StopReason = "agent_error" if stream.error else stop_of(stream.finish)
        return msgspec.structs.replace(
            trajectory, usage=stream.usage, stop_reason=stop, error=scrub(stream.error)
        )

    def _by_paths(self, values: list[Any], content: bytes, user_text: str) -> Trajectory:
        calls: dict[str, ToolCall] = {}
        matches: dict[str, list[Any]] = {}
        for value, selection in product(values, self._selections):
            if selection.takes(value):
                for name in selection.fields:
                    matches.setdefault(name, []).extend(selection.matches(name, value))
                for raw in _flat(selection.matches("calls", value)):
                    call = selection.call(raw, calls if self._of_events else {})
                    calls[(self._of_events and call.id) or f"#{len(calls)}"] = call
        self._replies += 1
        self._refuse_dead_paths()
        raw_messages = _flat(matches.get("messages", []))
        messages = _since(read_messages(raw_messages, "the reply"), user_text) if raw_messages else ()
        trajectory = trajectory_from_messages(messages)
        read = tuple(calls.values()) or trajectory.calls
        if self._of_events and not read and (unread := first_unread(values, ())):
            where = "add or correct `calls` in agent.response.events"
            raise InputError("stream", f"has a call of '{unread[:60]}' that no path leads to", where)
        pieces = [as_text(piece) for piece in matches.get("output", []) if piece is not None]
        if "output" in matches and not pieces and not read:
            paths = ", ".join(s.paths["output"].text for s in self._selections if "output" in s.paths)
            raise AgentFailedError(f"nothing found in the reply at {paths}: {start_of(content)}")
        usage = Usage(_count(matches.get("input_tokens")), _count(matches.get("output_tokens")))
        trajectory = Trajectory(messages, read, "".join(pieces) or trajectory.output, usage)
        return _with_version(trajectory, matches.get("version", []))

    def _refuse_dead_paths(self) -> None:
        """Stop when nothing was ever found at a path. A stream without a call has no event of one."""
        needed = [
            (s, name)
            for s, name in product(self._selections, ("output", "calls", "messages"))
            if name in s.paths
        ]
        dead = [selection.paths[name].text for selection, name in needed if not selection.has_led[name]]
        if self._of_events and len(dead) < len(needed):
            return
        if dead and self._replies >= TRIED:
            raise ConfigError(
                f"agent.response: nothing found at {', '.join(dead)} in the first {TRIED} replies;"
                " the run stopped before spending more"
            )


def read_transcript_of(content: bytes) -> Trajectory | None:
    """What a coding agent did that printed its transcript; None when it printed something else."""
    try:
        transcript = read_transcript(content, "the transcript")
    except InputError as error:
        raise UnreadableReplyError(f"{error.problem} ({error.hint})") from None
    if transcript is None:
        return None
    return msgspec.structs.replace(transcript.trajectory, error=scrub(transcript.trajectory.error))


def _is_own(value: dict[str, Any]) -> bool:
    """Whether a reply is in RightCall's format: calls, or messages and an answer without a provider's fields."""
    if "calls" in value:
        return True
    if value.get("output") is not None and not isinstance(value["output"], str):
        return False
    if "messages" in value and value.get("stop_reason", "done") not in STOP_REASONS:
        return False  # the result of a framework
    return ("messages" in value or "output" in value) and not any(value.get(name) for name in HOLDERS)


def start_of(content: bytes) -> str:
    """The beginning of a reply, for an error message."""
    return repr(scrub(one_line(content[:800].decode(errors="replace"), 200)))


def server_sent(content: bytes) -> Iterator[bytes]:
    """The data of each server-sent event; lines may end in any of three ways, data may take several lines."""
    data: list[bytes] = []
    for line in content.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"):
        if not line:
            if data:
                yield b"\n".join(data)
            data = []
        elif line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))
    if data:
        yield b"\n".join(data)


def _decode_event(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data)
    except DecodeErrors:
        if data.lstrip().startswith(b"{"):
            raise InputError("stream", "has an event that is not complete JSON", "was it cut off?") from None
        return None  # `[DONE]`, a comment, a keep-alive


def _with_version(trajectory: Trajectory, versions: Iterable[Any]) -> Trajectory:
    """With the version that the agent reports of itself, if it does."""
    named = next((one_line(as_text(version), 100) for version in versions if version not in ("", None)), "")
    return msgspec.structs.replace(trajectory, served_model=scrub(named)) if named else trajectory


def decode_reply(content: bytes) -> Any:
    try:
        return msgspec.json.decode(content)
    except DecodeErrors:
        raise NoJsonError(f"the reply is not JSON: {start_of(content)}") from None


def _since(messages: tuple[Message, ...], user_text: str) -> tuple[Message, ...]:
    """Only messages after the user's last one: many agents reply with the whole conversation."""
    last = max(
        (at for at, m in enumerate(messages) if m.role == "user" and m.content == user_text), default=-1
    )
    return tuple(message for message in messages[last + 1 :] if message.role != "system")


def _flat(matches: Iterable[Any]) -> list[Any]:
    """Matches, with a matched list flattened."""
    elements: list[Any] = []
    for match in matches:
        elements += match if isinstance(match, list) else [] if match is None else [match]
    return elements


def _count(matches: list[Any] | None) -> int:
    return max(map(token_count, matches or ()), default=0)
