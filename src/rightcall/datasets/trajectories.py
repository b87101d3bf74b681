"""Reading and writing recorded trajectories.

A line is the short form `{"golden_id", "trial"?, "calls": [{"name", "arguments"}], "output"?, …}` or has
`messages`, in any spelling that `records.dialects` reads. With both, `calls` and `output` take precedence and the
messages are kept too; a call in the messages that `calls` does not have is an error. The first `given` messages
happened before the agent started: their calls are not its. Lines of `rightcall runs export` are read too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from rightcall.core.codec import DecodeErrors
from rightcall.core.depth import shallow
from rightcall.core.errors import InputError
from rightcall.datasets.formats import TRAJECTORIES, format_of
from rightcall.datasets.formats.collection import (
    SHORT,
    decoder_for,
    is_blank,
    item_error,
    refuse_deep,
    refuse_repeated_key,
)
from rightcall.files.atomic import atomic_write
from rightcall.files.checked_read import require_file
from rightcall.records.call import ToolCall
from rightcall.records.dialects import anthropic, native, openai, read_messages, trajectory_from_messages
from rightcall.records.dialects.endings import stop_of_answer
from rightcall.records.dialects.transcript import missing_call, require_answer
from rightcall.records.message import Message, calls_of
from rightcall.records.record import Record, Several, plain_constructor
from rightcall.records.run import CaseResult
from rightcall.records.trajectory import (
    NOTHING_USED,
    AgentAnswer,
    Dialogue,
    LedgerEntry,
    RecordedTrajectory,
    StopReason,
    Trajectory,
    Usage,
    limit_trajectory_depth,
)

SUFFIXES = (".jsonl", ".json")


class TrajectoryLine(Record, frozen=True):
    """A trajectory as stored in a file."""

    golden_id: Annotated[str, msgspec.Meta(min_length=1)]
    trial: Annotated[int, msgspec.Meta(ge=0)] | None = None
    calls: Several[ToolCall] | UnsetType = UNSET
    messages: list[Any] | UnsetType = UNSET
    output: str | None = None
    usage: Usage = NOTHING_USED
    latency_ms: Annotated[float, msgspec.Meta(ge=0)] | None = None
    stop_reason: StopReason = "done"
    error: str = ""
    ledger: Several[LedgerEntry] = ()
    state_before: dict[str, Any] | None = None
    state: dict[str, Any] | None = None
    lag_ms: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    dialogue: Dialogue | None = None
    served_model: str = ""
    given: Annotated[int, msgspec.Meta(ge=0)] | None = None
    approvals_seen: bool = False
    answers: Several[AgentAnswer] = ()
    cause: str = ""
    unreached: str = ""


class ChatLine(TrajectoryLine, frozen=True):
    """The same with messages as OpenAI writes them, which most recordings have: decoded in one go."""

    messages: Several[openai.ChatMessage] | UnsetType = UNSET  # type: ignore[assignment]


class BlockLine(TrajectoryLine, frozen=True):
    """The same with messages as Anthropic writes them."""

    messages: Several[anthropic.BlockMessage] | UnsetType = UNSET  # type: ignore[assignment]


TRIED = 20
"""Lines of neither kind after which a file is not tried as `ChatLine` or `BlockLine` any more."""

STRICT_LINES = 200
"""Lines searched for repeated keys: a program that repeats them does so from the beginning."""

REST = Trajectory.__struct_fields__[3:]
"""Fields of a trajectory, after its messages, calls and output, that a line has too."""

_trajectory = plain_constructor(Trajectory)
_WAYS: list[tuple[Callable[[bytes], Any], Callable[[Any], tuple[Message, ...] | None]]] = [
    (msgspec.json.Decoder(ChatLine).decode, openai.read_typed),
    (msgspec.json.Decoder(BlockLine).decode, anthropic.read_typed),
]


def load_trajectories(path: str | Path) -> Iterator[RecordedTrajectory]:
    """Trajectories of a file, read lazily (a JSON document all at once)."""
    return (recorded for _, recorded in numbered_trajectories(path))


def numbered_trajectories(path: str | Path) -> Iterator[tuple[int, RecordedTrajectory]]:
    """The same with the first line of each."""
    path = require_file(path)
    return _read(path, format_of(path, SUFFIXES).read(path, TRAJECTORIES))


def save_trajectories(trajectories: Iterable[RecordedTrajectory], path: str | Path) -> None:
    """Write trajectories, in the format of the suffix. On an error nothing is changed."""
    file_format = format_of(path, SUFFIXES)
    with atomic_write(path) as file:
        try:
            file_format.write(map(trajectory_line, trajectories), TRAJECTORIES, file)
        except UnicodeEncodeError:
            problem = "a text contains a lone surrogate, which cannot be written to a file"
            raise InputError(str(path), problem, "remove it") from None


def _read(path: Path, items: Iterator[tuple[int, Any]]) -> Iterator[tuple[int, RecordedTrajectory]]:
    first = next(items, None)
    if first is None:
        return
    decode = decoder_for(TrajectoryLine, first[1])
    others = 0
    ways = list(_WAYS)
    for number, item in chain([first], items):
        try:
            if type(item) is bytes and len(item) > SHORT:
                refuse_deep(item)
            if number <= STRICT_LINES:
                refuse_repeated_key(item, f"{path}:{number}")
            if others < TRIED and type(item) is bytes and b'"messages"' in item:
                usual = _in_usual_form(item, ways, f"{path}:{number}")
                if usual is not None:
                    yield number, usual
                    continue
                others += 1
            line = decode(item)
        except RecursionError:
            yield number, _deep(item, f"{path}:{number}")
            continue
        except DecodeErrors as error:
            if is_blank(item):
                continue
            if (exported := _from_export(item, f"{path}:{number}")) is None:
                raise item_error(error, TrajectoryLine, item, f"{path}:{number}") from None
            yield number, exported
            continue
        if line.messages is UNSET and line.calls is not UNSET:
            trajectory = _trajectory_of(line, (), line.calls, line.output or "")
        else:
            trajectory = _from_messages(line, f"{path}:{number}")
        yield number, RecordedTrajectory(line.golden_id, trajectory, line.trial)


def _in_usual_form(item: bytes, ways: list[Any], where: str) -> RecordedTrajectory | None:
    """The line, if its messages are as OpenAI or Anthropic write them; None for the general reader, which says what
    is wrong. What fitted comes first in `ways` for the next line.
    """
    for way in ways:
        decode, read_typed = way
        try:
            line = decode(item)
        except (*DecodeErrors, RecursionError):
            continue
        messages = None if line.messages is UNSET else read_typed(line.messages)
        if messages is not None:
            if way is not ways[0]:
                ways.reverse()
            return RecordedTrajectory(line.golden_id, _with_messages(line, messages, where), line.trial)
    return None


def _from_export(item: Any, where: str) -> RecordedTrajectory | None:
    """The trajectory of a line of `rightcall runs export`; None for any other line."""
    if type(item) is not bytes or b'"metrics"' not in item:
        return None
    try:
        result = msgspec.json.decode(item, type=CaseResult)
    except DecodeErrors:
        return None
    trajectory = result.trajectory
    if trajectory is None and not result.error:
        problem = "this result was exported without its trajectory"
        raise InputError(where, problem, "export with --trajectories")
    if result.error:  # nothing is known about the agent, here as in the run
        trajectory = replace(trajectory or Trajectory(), error=result.error, stop_reason="infra_error")
    return None if trajectory is None else RecordedTrajectory(result.golden_id, trajectory, result.trial)


def _deep(item: Any, where: str) -> RecordedTrajectory:
    """A trajectory with a value that is nested too deeply: the agent's mistake, recorded on the call that made it."""
    try:
        line = msgspec.json.decode(shallow(memoryview(item)), type=TrajectoryLine)
    except DecodeErrors as error:
        raise item_error(error, TrajectoryLine, item, where) from None
    trajectory = limit_trajectory_depth(_from_messages(line, where))
    return RecordedTrajectory(line.golden_id, trajectory, line.trial)


def _from_messages(line: TrajectoryLine, where: str) -> Trajectory:
    if line.messages is UNSET and line.calls is UNSET and line.output is None and not line.error:
        raise InputError(where, "missing required field 'messages' or 'calls'", 'write "calls": [] for none')
    return _with_messages(line, () if line.messages is UNSET else read_messages(line.messages, where), where)


def _with_messages(line: TrajectoryLine, messages: tuple[Message, ...], where: str) -> Trajectory:
    history_length = line.given if line.given is not None else line.dialogue.given if line.dialogue else 0
    derived = trajectory_from_messages(messages, history_length)
    calls = derived.calls
    if line.calls is UNSET:
        if not (calls or line.output is not None or line.error or line.stop_reason != "done"):
            require_answer(messages[history_length:], line.messages or (), where)
    else:
        calls = line.calls
        if missing := missing_call(derived.calls, calls):
            raise InputError(
                where,
                f"the messages have a call of '{missing}' that 'calls' does not have",
                "leave out 'calls' to read the messages' own, or write given: how many messages came before the agent",
            )
    trajectory = _trajectory_of(line, messages, calls, derived.output if line.output is None else line.output)
    stop = stop_of_answer(line.messages) if line.stop_reason == "done" and line.messages else "done"
    return trajectory if stop == "done" else replace(trajectory, stop_reason=stop)


def _trajectory_of(
    line: TrajectoryLine, messages: tuple[Message, ...], calls: Sequence[ToolCall], output: str
) -> Trajectory:
    """The trajectory of a line, with the parts that may follow from its messages."""
    return _trajectory(  # field by field: this is made for every line
        messages, calls, output, line.usage, line.latency_ms, line.stop_reason, line.error, line.ledger,
        line.state_before, line.state, line.lag_ms, line.dialogue, line.served_model, line.approvals_seen,
        line.answers,
    )  # fmt: skip


def trajectory_line(recorded: RecordedTrajectory) -> TrajectoryLine:
    """The shortest line that decodes to the same trajectory."""
    trajectory = recorded.trajectory
    derived = trajectory_from_messages(trajectory.messages, trajectory.own_start)
    explicit_calls = not trajectory.own_messages or derived.calls != trajectory.calls
    return TrajectoryLine(
        recorded.golden_id,
        recorded.trial,
        trajectory.calls if explicit_calls else UNSET,
        native.write_messages(trajectory.messages) if trajectory.messages else UNSET,
        output=None if derived.output == trajectory.output else trajectory.output,
        given=_history_length(trajectory) if explicit_calls else None,
        **{name: getattr(trajectory, name) for name in REST},
    )


def _history_length(trajectory: Trajectory) -> int | None:
    """How many messages a line must call history, so that its calls cover those of the others; None for no more than
    the dialogue says. Traces record whole conversations, of which the last turn is theirs.
    """
    messages = trajectory.messages
    start = trajectory.own_start
    if not missing_call(calls_of(messages[start:]), trajectory.calls):
        return None
    turns = (at + 1 for at in range(len(messages) - 1, start - 1, -1) if messages[at].role == "user")
    last = next(turns, start)
    return len(messages) if missing_call(calls_of(messages[last:]), trajectory.calls) else last
