"""What an MCP server answers to a call, as a plain result, and a plain result as such an answer."""

from __future__ import annotations

from typing import Any

import msgspec

from rightcall.core.codec import encode
from rightcall.tools.mcp.sdk import field
from rightcall.tools.runtime.call_outcome import Invocation
from rightcall.tools.runtime.errors import ToolError

INVALID_PARAMS, METHOD_NOT_FOUND = -32602, -32601


def result_of(answer: Any, name: str) -> Any:
    """The result in an answer: its structured content, its one text, or all its parts.

    Raises `ToolError` when the server says that the call failed, which means that nothing was done.
    """
    content = [block.model_dump(by_alias=True, exclude_none=True, mode="json") for block in answer.content]
    facts = {word: field(answer, word) for word in ("isError", "structuredContent")}
    return plain_result({"content": content, **facts}, name)


def plain_result(answer: dict[str, Any], name: str) -> Any:
    """The same for an answer as it was sent, or recorded."""
    content = answer.get("content")
    parts = [_part(part) for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    texts = [str(part.get("text", "")) for part in parts if part.get("type") == "text"]
    if answer.get("isError"):
        reason = " ".join(" ".join(texts).split())[:500] or "it gave no reason"
        hint = f"correct the arguments of {name} by what it says, or tell the user"
        raise ToolError("upstream_error", f"{name} says: {reason}", hint, retry="fix_args")
    if (structured := answer.get("structuredContent")) is not None:
        return structured
    return texts[0] if len(parts) == len(texts) == 1 else parts


def protocol_failure(code: int, text: str, name: str) -> ToolError:
    """An error of the protocol as one of the contract."""
    if code in (INVALID_PARAMS, METHOD_NOT_FOUND):
        return ToolError("invalid_args", f"{name}: {text}", retry="fix_args")
    return ToolError("upstream_error", f"{name}: {text}")


def answer_of(invocation: Invocation) -> dict[str, Any]:
    """An invocation as the fields of an MCP answer: always as text, and structured when it is an object."""
    output = invocation.call.output
    text = output if isinstance(output, str) else encode(output).decode()
    answer: dict[str, Any] = {
        "content": [{"type": "text", "text": text}],
        "isError": invocation.error is not None,
    }
    if isinstance(output, dict) and invocation.error is None:
        answer["structuredContent"] = msgspec.to_builtins(output)
    return answer


def _part(part: dict[str, Any]) -> dict[str, Any]:
    """One content block; pictures and sounds by kind and size, since a model is not shown their bytes here."""
    data = part.get("data")
    if isinstance(data, str):
        return {"type": part.get("type"), "mimeType": part.get("mimeType"), "size": len(data) * 3 // 4}
    return part
