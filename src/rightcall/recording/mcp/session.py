"""A recorded session of an MCP server: its definitions as listed, its calls with the answers they got."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any

import msgspec

from rightcall.core.canonical_json import canonical
from rightcall.core.codec import encode
from rightcall.core.text import one_line, pluralize
from rightcall.recording.canonical import Clean, scrub_value
from rightcall.recording.miss import NOT_RECORDED

Definition = dict[str, Any]
"""A tool, resource or prompt as the server listed it, with its keys in that order."""

PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion"
CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
SERVER_INFO = "io.modelcontextprotocol/serverInfo"
"""Keys of `_meta` in which messages say since 2026-07-28 what was said once in `initialize`."""
SERVER_FIELDS = ("serverInfo", "protocolVersion", "capabilities", "instructions")


@dataclass(frozen=True)
class RecordedCall:
    """One `tools/call`: answered with a `result`, or with a protocol `error`. `n` counts equal calls before it."""

    name: str
    arguments: dict[str, Any]
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
    ms: int = 0
    n: int = 0

    @property
    def key(self) -> bytes:
        return call_key(self.name, self.arguments)

    @property
    def answer(self) -> tuple[Any, Any]:
        return self.result, self.error

    @property
    def failed(self) -> bool:
        """Whether the tool or the protocol answered with an error."""
        return self.result is None or bool(self.result.get("isError"))


@dataclass(frozen=True)
class ToolListChange:
    """The tools that were listed after a number of calls, when the server said that its list had changed."""

    calls: int
    tools: tuple[Definition, ...]


@dataclass(frozen=True)
class McpSession:
    """What was recorded. `server` has `serverInfo`, `protocolVersion`, `capabilities` and `instructions`."""

    server: dict[str, Any] = field(default_factory=dict)
    tools: tuple[Definition, ...] = ()
    resources: tuple[Definition, ...] = ()
    prompts: tuple[Definition, ...] = ()
    calls: tuple[RecordedCall, ...] = ()
    changes: tuple[ToolListChange, ...] = ()
    recorded: str = ""
    address: str = ""

    @property
    def label(self) -> str:
        """The server's name and version."""
        info = self.server.get("serverInfo")
        info = info if isinstance(info, dict) else {}
        return f"{info.get('name', '')} {info.get('version', '')}".strip() or "an unnamed server"

    def with_calls(self, calls: Iterable[RecordedCall]) -> McpSession:
        """With these calls after its own."""
        counts = Counter(call.key for call in self.calls)
        added = []
        for call in calls:
            added.append(replace(call, n=counts[call.key]))
            counts[call.key] += 1
        return replace(self, calls=(*self.calls, *added))

    def without_repeats(self) -> McpSession:
        """Without calls whose answer is that of the equal call before: a replay gives the last one again."""
        by_key: dict[bytes, list[RecordedCall]] = {}
        for call in self.calls:
            by_key.setdefault(call.key, []).append(call)
        for answers in by_key.values():
            while len(answers) > 1 and answers[-1].answer == answers[-2].answer:
                answers.pop()
        last = {key: len(answers) for key, answers in by_key.items()}
        is_kept = [call.n < last[call.key] for call in self.calls]
        return replace(
            self,
            calls=tuple(call for call, kept in zip(self.calls, is_kept, strict=True) if kept),
            changes=tuple(replace(change, calls=sum(is_kept[: change.calls])) for change in self.changes),
        )


def greeting(version: str, result: Mapping[str, Any]) -> dict[str, Any]:
    """What a server says of itself in answer to `server/discover`, in the fields of the answer to `initialize`."""
    meta = result.get("_meta")
    info = meta.get(SERVER_INFO) if isinstance(meta, dict) else None
    fields = {**result, "serverInfo": info or {}, "protocolVersion": version}
    return {name: fields[name] for name in SERVER_FIELDS if name in fields}


def is_stateless(message: Any) -> bool:
    """Whether a request says itself in which version of the protocol it is written."""
    params = message.get("params") if isinstance(message, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    return isinstance(meta, dict) and PROTOCOL_VERSION in meta


def call_key(name: str, arguments: Mapping[str, Any]) -> bytes:
    """What makes two calls equal: the tool's name and the arguments in canonical JSON (RFC 8785)."""
    return name.encode("utf-8", "surrogatepass") + b"\0" + canonical(dict(arguments))


def tool_name(definition: Definition) -> str:
    return str(definition.get("name", ""))


MOST_NEAR = 3


class CallLog(msgspec.Struct):
    """What the clients of a recording called: the numbers of recorded calls, in order, and calls that are not in it."""

    made: list[int] = msgspec.field(default_factory=list)
    unrecorded: list[str] = msgspec.field(default_factory=list)
    count: int = 0

    def problems(self, session: McpSession, *, strict: bool, in_order: bool) -> list[str]:
        """Why the use of a recording is not complete: calls outside it, calls never made, another order."""
        problems: list[str] = []
        if strict:
            if not self.count:
                problems.append("no call was made")
            problems += [f"not recorded: {call}" for call in self.unrecorded]
            unmade = sorted(set(range(len(session.calls))) - set(self.made))
            problems += [
                f"recorded, but never called: {describe(session.calls[number])}" for number in unmade
            ]
        swapped = next(((b, a) for b, a in pairwise(self.made) if a < b), None) if in_order else None
        if swapped is not None:
            second, first = (describe(session.calls[number]) for number in swapped)
            problems.append(f"another order: {first} came after {second}, and was recorded before it")
        return problems


class SessionPlayer:
    """A client's session with a recording. Each client begins at the first answers; all share one `log`."""

    def __init__(self, session: McpSession, clean: Clean, log: CallLog | None = None) -> None:
        self.session = session
        self.log = log or CallLog()
        self._clean = clean
        self._turns = Counter[bytes]()
        self._answered = 0
        self._by_key: dict[bytes, list[int]] = {}
        for number, call in enumerate(session.calls):
            self._by_key.setdefault(call.key, []).append(number)

    @property
    def tools(self) -> tuple[Definition, ...]:
        """The tools as listed after the calls that were answered."""
        current = self.session.tools
        for change in self.session.changes:
            if change.calls <= self._answered:
                current = change.tools
        return current

    def answer(self, name: str, arguments: Mapping[str, Any], turn: int | None = None) -> RecordedCall | None:
        """The recorded call with its answer; None when it is not in the recording.

        `turn` counts the equal calls before it, where the caller counts them: in a trial.
        """
        cleaned = scrub_value(dict(arguments), self._clean)
        key = call_key(name, cleaned)
        self.log.count += 1
        numbers = self._by_key.get(key)
        if numbers is None:
            self.log.unrecorded.append(describe(RecordedCall(name, cleaned)))
            return None
        if turn is None:
            turn = self._turns[key]
            self._turns[key] += 1
        if turn < len(numbers):
            self.log.made.append(numbers[turn])
        self._answered += 1
        return self.session.calls[numbers[min(turn, len(numbers) - 1)]]

    def miss(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """What to say about a call that is not recorded: the nearest recorded call, and where it differs."""
        cleaned = scrub_value(dict(arguments), self._clean)
        nearest = sorted(
            (call for call in self.session.calls if call.name == name and call.n == 0),
            key=lambda call: _likeness(call.arguments, cleaned),
            reverse=True,
        )[:MOST_NEAR]
        return {
            "error": NOT_RECORDED,
            "tool": name,
            "arguments": cleaned,
            "nearest": _first_difference(nearest[0].arguments, cleaned) if nearest else None,
            "recorded": [call.arguments for call in nearest],
        }

    def lists(self, name: str) -> bool:
        """Whether the recorded server has a tool of that name."""
        return any(tool_name(tool) == name for tool in self.tools)


def describe(call: RecordedCall) -> str:
    """`get_time {"city":"Hanoi"}`, with a number for the second equal call and later ones."""
    again = f" (call {call.n + 1})" if call.n else ""
    return f"{one_line(call.name, 80)} {one_line(encode(call.arguments).decode(), 200)}{again}"


def miss_sentence(miss: Mapping[str, Any]) -> str:
    """A miss in one line: which call, and the nearest recorded one."""
    nearest = miss["nearest"]
    recorded = len(miss["recorded"])
    if nearest is None:
        return f"no call of {one_line(str(miss['tool']), 80)} is in the recording"
    then, now = (one_line(encode(nearest[side]).decode(), 80) for side in ("recorded", "asked"))
    difference = f"'{one_line(nearest['argument'], 80)}' is {then} there and {now} here"
    near = f"nearest of {pluralize(recorded, 'call')}"
    return f"this call of {miss['tool']} is not in the recording; {near}: {difference}"


def _likeness(recorded: dict[str, Any], asked: dict[str, Any]) -> tuple[int, float]:
    equal = sum(name in asked and asked[name] == value for name, value in recorded.items())
    texts = encode(recorded).decode()[:500], encode(asked).decode()[:500]
    return equal, SequenceMatcher(None, texts[0], texts[1]).quick_ratio()


def _first_difference(recorded: dict[str, Any], asked: dict[str, Any]) -> dict[str, Any]:
    for name in sorted({*recorded, *asked}):
        if name not in recorded or name not in asked or recorded[name] != asked[name]:
            return {"argument": name, "recorded": recorded.get(name), "asked": asked.get(name)}
    return {"argument": "", "recorded": recorded, "asked": asked}
