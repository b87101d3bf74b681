"""What a request asks a model, in any wire format, and what the requests of an agent have in common.

Requests for embeddings, moderation or a count of tokens ask no model in this sense: what they say does not show how
an agent will be answered. A format that is not recognised is no model request either, so that its agent is run.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec

from rightcall.core.errors import InputError
from rightcall.recording.canonical import COMPARED_HEADERS, VOLATILE, Clean, plain_url, scrub_value
from rightcall.records.dialects import read_tool
from rightcall.records.record import Record
from rightcall.records.tool import Tool

Json = dict[str, Any]

SYSTEM_ROLES = ("system", "developer")
SYSTEM_FIELDS = ("system", "instructions", "systemInstruction", "system_instruction", "preamble")
TOOL_FIELDS = ("tools", "functions", "toolConfig")
COUNTING = ("count_tokens", "counttokens", "embed", "moderation", "rerank", "batches")
MOST_LINES = 2_000
LONGEST_LINE = 2_000
FEW = 3
"""Goldens below which a line counts that was sent for one of them alone."""


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
    field = question_field(urlsplit(url).path.lower(), body)
    if not field:
        return None
    asked, system = _without_system(body[field])
    system += [body[name] for name in SYSTEM_FIELDS if body.get(name)]
    part_names = {field, "model", *SYSTEM_FIELDS, *TOOL_FIELDS, *VOLATILE}
    settings = {name: value for name, value in body.items() if name not in part_names}
    settings |= {name: value for name in COMPARED_HEADERS if (value := headers.get(name))}
    settings["request"] = [field, *(name for name in (*SYSTEM_FIELDS, *TOOL_FIELDS) if body.get(name))]
    return RequestParts(
        plain_url(url),
        str(body.get("model", "")),
        settings,
        system,
        tools=offered_tools(body),
        messages=asked,
    )


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
    fields = tool_fields(tool)
    return str(fields.get("name") or fields.get("type", ""))


def tool_fields(tool: Any) -> Json:
    """The fields of a tool's definition where its name is, in any wire format."""
    for _ in range(2):
        if not isinstance(tool, dict):
            return {}
        if isinstance(tool.get("name"), str):
            return tool
        tool = tool.get("function") or tool.get("toolSpec") or tool
    return tool if isinstance(tool, dict) else {}


def question_field(path: str, body: Json) -> str:
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


def offered_tools(body: Json) -> list[Any]:
    """The definitions of tools in a request, in any wire format."""
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


class HeardSetup(Record, frozen=True):
    """Instructions line by line, and definitions by name, as they were first sent. `texts` are the files of the agent.

    Lines that were sent for one golden alone are no instructions: they are what was looked up for it.
    """

    system: tuple[str, ...] = ()
    tools: tuple[Tool, ...] = ()
    texts: dict[str, str] = {}

    def merge(self, other: HeardSetup) -> HeardSetup:
        """What two parts of a run heard."""
        tools = {tool.name: tool for tool in (*other.tools, *self.tools)}
        lines = tuple(dict.fromkeys((*self.system, *other.system)))
        return HeardSetup(lines, tuple(tools.values()), {**other.texts, **self.texts})


class SetupEar:
    """Collects the setup from requests, whatever thread they come from; equal requests are read once."""

    def __init__(self, clean: Clean) -> None:
        self._clean = clean
        self._lock = threading.Lock()
        self._lines: dict[str, set[str]] = {}
        self._tools: dict[str, Tool] = {}
        self._goldens: set[str] = set()
        self._known: set[tuple[str, str]] = set()

    def hear(self, golden: str, system: Sequence[Any], tools: Sequence[Any]) -> None:
        """A request for a golden."""
        texts = list(chain.from_iterable(map(_texts, system)))
        with self._lock:
            self._goldens.add(golden)
            for text in texts:
                if (golden, text) not in self._known:
                    self._known.add((golden, text))
                    self._add_lines(golden, text)
            offered = msgspec.json.encode(tools).decode() if tools else ""
            if offered and ("", offered) not in self._known:
                self._known.add(("", offered))
                read = map(_tool, scrub_value(list(tools), self._clean))
                self._tools |= {tool.name: tool for tool in read if tool and tool.name not in self._tools}

    def _add_lines(self, golden: str, text: str) -> None:
        for line in (line[:LONGEST_LINE] for line in text.splitlines() if line.strip()):
            if line in self._lines or len(self._lines) < MOST_LINES:
                self._lines.setdefault(line, set()).add(golden)

    def setup(self) -> HeardSetup:
        """What was heard so far."""
        with self._lock:
            least = 2 if len(self._goldens) >= FEW else 1
            lines = [line for line, goldens in self._lines.items() if len(goldens) >= least]
            return HeardSetup(tuple(map(self._clean, lines)), tuple(self._tools.values()))


def _texts(part: Any) -> list[str]:
    """The texts of a message or a field of instructions, in any wire format."""
    if isinstance(part, str):
        return [part]
    if isinstance(part, list):
        return list(chain.from_iterable(map(_texts, part)))
    if isinstance(part, dict):
        inside = [part[name] for name in ("content", "text", "parts") if name in part]
        return list(chain.from_iterable(map(_texts, inside)))
    return []


def _tool(raw: Any) -> Tool | None:
    """A definition; None for a tool that the provider runs, which has no schema."""
    try:
        return read_tool(raw, "tools")
    except InputError:
        return None
