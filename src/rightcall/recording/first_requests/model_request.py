"""Which HTTP requests ask a model for an answer, and their parts, whatever the wire format.

Requests for embeddings, moderation or a count of tokens ask no model in this sense: what they say does not show how
an agent will be answered. A format that is not recognised is no model request either, so that its agent is run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec

from rightcall.recording.canonical import COMPARED_HEADERS, VOLATILE, plain_url

Json = dict[str, Any]

SYSTEM_ROLES = ("system", "developer")
SYSTEM_FIELDS = ("system", "instructions", "systemInstruction", "system_instruction", "preamble")
TOOL_FIELDS = ("tools", "functions", "toolConfig")
COUNTING = ("count_tokens", "counttokens", "embed", "moderation", "rerank", "batches")


class RequestParts(NamedTuple):
    """A request in parts that are compared one by one; together they hold all of it."""

    url: str
    model: str
    settings: Json
    system: list[Any]
    tools: list[Any]
    messages: Any


def request_parts(
    method: str, url: str, headers: Mapping[str, str], body: Json | None
) -> RequestParts | None:
    """The parts of a request that asks a model; None for any other request."""
    if body is None or method.upper() != "POST":
        return None
    field = _question_field(urlsplit(url).path.lower(), body)
    if not field:
        return None
    asked, system = _without_system(body[field])
    system += [body[name] for name in SYSTEM_FIELDS if body.get(name)]
    part_names = {field, "model", *SYSTEM_FIELDS, *TOOL_FIELDS, *VOLATILE}
    settings = {name: value for name, value in body.items() if name not in part_names}
    settings |= {name: value for name in COMPARED_HEADERS if (value := headers.get(name))}
    settings["request"] = [field, *(name for name in (*SYSTEM_FIELDS, *TOOL_FIELDS) if body.get(name))]
    return RequestParts(plain_url(url), str(body.get("model", "")), settings, system, _tools(body), asked)


def json_body(body: bytes) -> Json | None:
    if body[:1] != b"{":
        return None
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def tool_name(tool: Any) -> str:
    """The name in a tool's definition, in any wire format."""
    for _ in range(2):
        if not isinstance(tool, dict):
            return ""
        if isinstance(name := tool.get("name"), str):
            return name
        tool = tool.get("function") or tool.get("toolSpec") or tool
    return str(tool.get("type", "")) if isinstance(tool, dict) else ""


def _question_field(path: str, body: Json) -> str:
    """The field that holds what the model is asked; "" when no model is."""
    if any(word in path for word in COUNTING):
        return ""
    messages = body.get("messages")
    asked = messages if isinstance(messages, list) else []
    roles = [message.get("role") if isinstance(message, dict) else None for message in asked]
    if roles and all(isinstance(role, str) for role in roles):
        return "messages"
    if "input" in body and path.rstrip("/").endswith("/responses"):
        return "input"
    if isinstance(body.get("contents"), list) and "generatecontent" in path:
        return "contents"
    if "prompt" in body and path.rstrip("/").endswith(("/completions", "/generate", "/complete")):
        return "prompt"
    return ""


def _without_system(asked: Any) -> tuple[Any, list[Any]]:
    """The messages with only the role of those of the system, whose place matters too, and those messages."""
    if not isinstance(asked, list):
        return asked, []
    system = [m for m in asked if isinstance(m, dict) and m.get("role") in SYSTEM_ROLES]
    if not system:
        return asked, []
    return [{"role": m["role"]} if m in system else m for m in asked], system


def _tools(body: Json) -> list[Any]:
    offered: list[Any] = []
    for name in TOOL_FIELDS:
        field = body.get(name)
        if name == "toolConfig" and isinstance(field, dict) and isinstance(field.get("tools"), list):
            offered += [*field["tools"], {key: value for key, value in field.items() if key != "tools"}]
        elif field:
            offered += field if isinstance(field, list) else [field]
    tools: list[Any] = []
    for tool in offered:
        declared = tool.get("functionDeclarations") if isinstance(tool, dict) else None
        tools += declared if isinstance(declared, list) else [tool]
    return tools
