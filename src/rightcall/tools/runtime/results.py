"""Converts tool results to plain JSON for the model."""

from __future__ import annotations

from typing import Any

import msgspec

from rightcall.core.codec import encode
from rightcall.core.depth import is_too_deep
from rightcall.model.tool import Tool
from rightcall.tools.definitions.validate import schema_problems
from rightcall.tools.runtime.errors import Effect, ErrorReply, Retry
from rightcall.tools.runtime.json_values import is_json, what_json_cannot_hold

NOTE = "this was already done under the same key and was not repeated"


class RawResult(msgspec.Struct, frozen=True):
    """A result as received: text that should be JSON."""

    text: str


def usable(tool: Tool, result: Any, *, most_bytes: int, effect: Effect) -> tuple[Any, ErrorReply | None]:
    """The result as plain JSON, or the error that says why it cannot be used.

    `effect` is what is known so far: an unreadable result does not undo it.
    """
    plain, fault = _plain(result)
    if not fault and tool.output_schema is not None:
        problems = schema_problems(tool.output_schema, plain, f"tool '{tool.name}', output schema")
        fault = f"it does not fit its schema: {problems[0].message}" if problems else ""
    if not fault and (size := len(encode(plain))) > most_bytes:
        fault = f"it has {size:,} bytes, more than the {most_bytes:,} allowed"
    return (plain, None) if not fault else (None, malformed_reply(tool.name, fault, effect))


def malformed_reply(tool: str, fault: str, effect: Effect) -> ErrorReply:
    """The error reply for a result that cannot be used, whatever was done."""
    done = effect != "none"
    hint = (
        f"{tool} has done its work: do not repeat it; read the state with another tool if you need the result"
        if done
        else f"do not rely on this result; call {tool} once more, or tell the user that it could not be read"
    )
    retry: Retry = "no" if done else "same_key"
    return ErrorReply(
        "result_malformed", f"the result of {tool} cannot be used: {fault}", hint, effect, retry
    )


def _plain(result: Any) -> tuple[Any, str]:
    if isinstance(result, RawResult):
        try:
            plain = msgspec.json.decode(result.text)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return None, "it is not JSON"
        return (None, "it is nested too deeply") if is_too_deep(plain) else (plain, "")
    if is_json(result):
        return result, ""
    try:
        plain = msgspec.to_builtins(result, enc_hook=_of_pydantic, str_keys=True)
    except (TypeError, ValueError, RecursionError, OverflowError):
        return None, f"a {type(result).__name__} is not JSON"
    problems = what_json_cannot_hold(plain)
    return (plain, "") if not problems else (None, " ".join(part for part in problems[0] if part))


def _of_pydantic(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    if dump is None:
        raise TypeError(f"{type(value).__name__} is not JSON")
    return dump(mode="json")


def as_replayed(output: Any) -> Any:
    """A stored output, marked as such, so that the model does not report the operation as done twice.

    An object gets `replayed: true`; a text gets a line; anything else is put into an object.
    """
    if isinstance(output, str):
        return f"{output}\n({NOTE})" if output else f"({NOTE})"
    if isinstance(output, dict):
        return {**output, "replayed": True}
    return {"result": output, "replayed": True}
