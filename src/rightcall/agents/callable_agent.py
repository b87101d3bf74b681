"""What a user's function returns as a trajectory, and how such a function is run."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, TypeVar, get_args

import msgspec

from rightcall.core.codec import convert
from rightcall.core.errors import InputError, contain_exits
from rightcall.core.event_loop.worker_threads import TrialThread, in_thread
from rightcall.records.call import ToolCall
from rightcall.records.dialects import as_plain, read_document, read_messages, trajectory_from_messages
from rightcall.records.dialects.endings import stop_of_answer
from rightcall.records.dialects.transcript import STATED, missing_call, require_answer
from rightcall.records.message import Message
from rightcall.records.trajectory import StopReason, Trajectory

CALL_FIELDS = frozenset(ToolCall.__struct_fields__)
TRAJECTORY_FIELDS = frozenset(Trajectory.__struct_fields__)
STOP_REASONS = get_args(StopReason)
MESSAGES = "the agent's messages"
RETURNED = "what the agent returned"
HINT = (
    "return a Trajectory, a list of messages, a list of calls or tool names ([] for no calls), "
    "a model's response, or the answer as text"
)


def as_trajectory(returned: Any) -> Trajectory:
    """The return value of a user-defined agent as a trajectory; `InputError` lists what it may return.

    That is a `Trajectory`, the answer as text, a list of `ToolCall`s or of tool names (then arguments are unknown), or
    messages, calls or a whole response in any provider's spelling, as dicts or as objects of its SDK. It shares nothing
    with what was returned, which the agent may use again.
    """
    return detached(_read_returned(returned))


def _read_returned(returned: Any) -> Trajectory:
    if isinstance(returned, Trajectory):
        return _with_calls(returned)
    if isinstance(returned, str):
        return Trajectory(output=returned)
    if isinstance(returned, Sequence) and not isinstance(returned, bytes | bytearray):
        if all(isinstance(item, ToolCall | str) for item in returned):
            calls = tuple(ToolCall(item, None) if isinstance(item, str) else item for item in returned)
            return Trajectory(calls=calls)
        if all(isinstance(item, Message) for item in returned):
            require_answer(returned, returned, RETURNED)
            return trajectory_from_messages(tuple(returned))
    plain = as_plain(returned, RETURNED)
    if isinstance(plain, dict):
        return _of_document(plain)
    if isinstance(plain, list) and all(isinstance(item, dict) for item in plain):
        is_one_message = plain and all(_is_own_call(item) for item in plain)
        return (
            convert({"calls": plain}, Trajectory, RETURNED)
            if is_one_message
            else _answer_of(read_messages(plain, MESSAGES), plain)
        )
    raise _unreadable(returned)


def _with_calls(trajectory: Trajectory) -> Trajectory:
    """A trajectory with the calls of its messages, if it has no other: they would be lost otherwise."""
    if trajectory.calls or not any(message.calls for message in trajectory.messages[trajectory.own_start :]):
        return _require_all_calls(trajectory)
    calls = trajectory_from_messages(trajectory.messages, trajectory.own_start).calls
    return msgspec.structs.replace(trajectory, calls=calls)


def _answer_of(messages: Sequence[Message], raw: Any) -> Trajectory:
    """A trajectory that ends as its last answer says: one that was cut off or refused is not done."""
    require_answer(messages, raw, RETURNED)
    trajectory = trajectory_from_messages(messages)
    stop = stop_of_answer(raw)
    return trajectory if stop == "done" else msgspec.structs.replace(trajectory, stop_reason=stop)


def _require_all_calls(trajectory: Trajectory) -> Trajectory:
    """Reject calls of the last turn's messages that are not among the calls; those before it are history."""
    turns = (
        at + 1 for at in range(len(trajectory.messages) - 1, -1, -1) if trajectory.messages[at].role == "user"
    )
    last = max(next(turns, 0), trajectory.own_start)
    of_messages = list(chain.from_iterable(message.calls for message in trajectory.messages[last:]))
    if missing := missing_call(of_messages, trajectory.calls):
        problem = f"the messages have a call of '{missing}' that the calls do not have"
        raise InputError(
            RETURNED, problem, "return all calls, or leave them out: they are read from the messages"
        )
    return trajectory


def _of_document(document: dict[str, Any]) -> Trajectory:
    """A model's response, one message, or a trajectory as files spell it."""
    if not _is_own(document):
        if (messages := read_document(document, RETURNED)) is None:
            raise _unreadable(document)
        return _answer_of(messages, document)
    raw_messages = document.get("messages")
    if not isinstance(raw_messages, list):
        return _require_all_calls(convert(document, Trajectory, RETURNED))
    others = {name: value for name, value in document.items() if name != "messages"}
    if not others.pop("calls", None):
        messages = read_messages(raw_messages, MESSAGES)
        if not document.keys() & STATED:
            require_answer(messages, raw_messages, RETURNED)
        read = trajectory_from_messages(messages)
        fields = {"messages": read.messages, "calls": read.calls, "output": read.output, **others}
        return convert(fields, Trajectory, RETURNED)
    trajectory = convert({**others, "calls": document["calls"]}, Trajectory, RETURNED)
    trajectory = msgspec.structs.replace(trajectory, messages=read_messages(raw_messages, MESSAGES))
    return _require_all_calls(trajectory)


def _is_own(document: dict[str, Any]) -> bool:
    """Whether it is a trajectory: frameworks use some of its fields with other values."""
    is_known = document and document.keys() <= TRAJECTORY_FIELDS
    if not is_known or not isinstance(document.get("output", ""), str):
        return False
    return "messages" not in document or document.get("stop_reason", "done") in STOP_REASONS


def _is_own_call(item: dict[str, Any]) -> bool:
    own = "name" in item and item.keys() <= CALL_FIELDS
    return own and isinstance(item.get("arguments", {}), dict | None)


def _unreadable(returned: Any) -> InputError:
    description = type(returned).__name__
    if isinstance(returned, Mapping):
        description = f"a dict with {', '.join(repr(key) for key in list(returned)[:5]) or 'no keys'}"
    elif isinstance(returned, list | tuple):
        odd = next(item for item in returned if not isinstance(item, dict))
        description = f"a list with {type(odd).__name__} in it"
    return InputError("the agent", f"returned {description}, which cannot be read", HINT)


T = TypeVar("T")


def detached(value: T) -> T:
    """A copy for code of users, or of what it returned: what it changes later changes no expectation and no result.

    What cannot be copied, such as a golden with an open file among its metadata, is shared.
    """
    try:
        return copy.deepcopy(value)
    except Exception:  # objects of users
        return value


async def call_function(function: Callable[..., Any], /, *args: Any, **words: Any) -> Any:
    """What a user's function returns: awaited when it is async, in a thread with this context when it is not.

    Of a generator, what it yields: pieces of text are one text.
    """
    return await call_in(None, function, *args, **words)


async def call_in(
    thread: TrialThread | None, function: Callable[..., Any], /, *args: Any, **words: Any
) -> Any:
    """The same, with what blocks in the thread of a trial."""
    if _is(inspect.iscoroutinefunction, function):
        with contain_exits():
            return await function(*args, **words)
    call = partial(_run_to_its_end, function, *args, **words)
    returned = await (in_thread(call, cancel=True) if thread is None else thread.run(call))
    with contain_exits():
        if inspect.isasyncgen(returned):
            return _join_items([item async for item in returned])
        return await returned if inspect.isawaitable(returned) else returned


def is_async(function: Callable[..., Any]) -> bool:
    """Whether a function runs in the event loop; of an object or a class, whether its `__call__` does."""
    return _is(inspect.iscoroutinefunction, function) or _is(inspect.isasyncgenfunction, function)


def _is(kind: Callable[[Any], bool], function: Callable[..., Any]) -> bool:
    return kind(function) or kind(getattr(function, "__call__", None))  # noqa: B004  `async def __call__`


def _run_to_its_end(function: Callable[..., Any], /, *args: Any, **words: Any) -> Any:
    returned = function(*args, **words)
    return _join_items(list(returned)) if inspect.isgenerator(returned) else returned


def _join_items(items: list[Any]) -> Any:
    """What a generator yielded: one text, one value, or a list whose texts are pieces of the answer."""
    texts = [item for item in items if isinstance(item, str)]
    if len(texts) == len(items):
        return "".join(texts)
    others = [item for item in items if not isinstance(item, str)]
    if not texts:
        return others[0] if len(others) == 1 else others
    trajectory = as_trajectory(others)
    return msgspec.structs.replace(trajectory, output="".join(texts) or trajectory.output)
