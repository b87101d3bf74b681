"""What an MCP server answers to a call, as a plain result, and a plain result as such an answer."""

from __future__ import annotations

from typing import Any

import msgspec

from rightcall.core.codec import encode
from rightcall.tools.mcp.sdk import field
from rightcall.tools.runtime.call_outcome import Invocation
from rightcall.tools.runtime.errors import ToolError


def result_of(answer: Any, name: str) -> Any:
    """The result in an answer: its structured content, its one text, or all its parts.

    Raises `ToolError` when the server says that the call failed, which means that nothing was done.
    """
    parts = [_part(block) for block in answer.content]
    texts = [part["text"] for part in parts if part.get("type") == "text"]
    if field(answer, "isError"):
        reason = " ".join(" ".join(texts).split())[:500] or "it gave no reason"
        hint = f"correct the arguments of {name} by what it says, or tell the user"
        raise ToolError("upstream_error", f"{name} says: {reason}", hint, retry="fix_args")
    if (structured := field(answer, "structuredContent")) is not None:
        return structured
    return texts[0] if len(parts) == len(texts) == 1 else parts


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


def _part(block: Any) -> dict[str, Any]:
    """One content block; pictures and sounds by kind and size, since a model is not shown their bytes here."""
    part: dict[str, Any] = block.model_dump(by_alias=True, exclude_none=True, mode="json")
    data = part.get("data")
    if isinstance(data, str):
        return {"type": part.get("type"), "mimeType": part.get("mimeType"), "size": len(data) * 3 // 4}
    return part
