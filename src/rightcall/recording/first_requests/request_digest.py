"""A digest of each part of a request, short enough to be kept with every trial; no text can be read from it.

Secrets are removed first. A part with dates, times or ids in it has a second digest without them: parts that differ
between two trials of one version only in those vary by themselves, and are compared without them.

Requests for embeddings, moderation or a count of tokens ask no model in this sense: what they say does not show how
an agent will be answered. A format that is not recognised is no model request either, so that its agent is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec

from rightcall.core.digest import hex_digest
from rightcall.recording.canonical import (
    COMPARED_HEADERS,
    VOLATILE,
    Clean,
    Ignored,
    plain_url,
    renumber_calls,
    scrub_value,
)
from rightcall.recording.first_requests.heard_setup import SetupEar

PARTS = ("url", "model", "settings", "system", "tools", "messages")
VERSION = "2"
DIGITS = 12
TOOL_DIGITS = 9
MOST_CACHED = 512
MOST_TOOLS = 200

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
CHANGING = re.compile(
    rf"""
      \b[0-9a-fA-F]{{8}}-(?:[0-9a-fA-F]{{4}}-){{3}}[0-9a-fA-F]{{12}}\b          # UUIDs
    | \b\d{{4}}-\d\d-\d\d(?:[T\ ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?  # ISO dates and times
    | \b\d{{1,2}}:\d\d(?::\d\d(?:\.\d+)?)?\b                                      # times
    | \b(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,?\ )?
      (?:{_MONTH}\ \d{{1,2}}(?:st|nd|rd|th)?|\d{{1,2}}(?:st|nd|rd|th)?\ {_MONTH})(?:,?\ \d{{4}})?\b
    | \b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b
    | \b\d{{1,2}}[./]\d{{1,2}}[./]\d{{4}}\b
    | \b1\d{{9}}(?:\d{{3}}|\.\d+)?\b                                              # seconds and milliseconds since 1970
    | \b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{{12,64}}\b                     # hexadecimal ids
    """,
    re.VERBOSE,
)
"""Dates, times and ids as agents write them into prompts."""


class PartDigest(NamedTuple):
    """`steady` is the digest without dates, times and ids; equal to `exact` when there are none."""

    exact: str
    steady: str

    def __str__(self) -> str:
        return self.exact if self.exact == self.steady else f"{self.exact}~{self.steady}"


class FirstRequest(NamedTuple):
    """The digests of a request. `tools` has a short one for each tool too, which only names those that changed: a third
    of it each for the name, the description and the rest.
    """

    parts: dict[str, PartDigest]
    tools: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{VERSION}:{'.'.join(str(self.parts[name]) for name in PARTS)}:{''.join(self.tools)}"


def read_first_request(text: str) -> FirstRequest | None:
    """What `str(first_request)` wrote; None when another version of RightCall wrote it differently."""
    version, _, rest = text.partition(":")
    digests, _, tools = rest.partition(":")
    pairs = [digest.partition("~") for digest in digests.split(".")]
    if version != VERSION or len(pairs) != len(PARTS):
        return None
    parts = {
        name: PartDigest(exact, steady or exact)
        for name, (exact, _, steady) in zip(PARTS, pairs, strict=True)
    }
    return FirstRequest(
        parts, tuple(tools[at : at + TOOL_DIGITS] for at in range(0, len(tools), TOOL_DIGITS))
    )


def distinct_first_requests(digests: Iterable[str]) -> tuple[str, ...]:
    """Digests of first requests as a baseline keeps them: each once; of those that differ only in dates, times and
    ids two, which show it. None when no trial had one.
    """
    kept: dict[tuple[str, ...], list[str]] = {}
    for text in sorted({*digests}):
        request = read_first_request(text)
        steady = tuple(part.steady for part in request.parts.values()) if request else ()
        kept.setdefault(steady, []).append(text)
    texts = list(chain.from_iterable(group[:2] for group in list(kept.values())[:3]))
    return tuple(texts) if any(texts) else ()


class CapturedRequest(NamedTuple):
    """A request's digests with the names of its tools, by their short digests, and its messages, which nobody keeps."""

    digests: FirstRequest
    tool_names: dict[str, str]
    messages: Any


class RequestDigester:
    """Digests requests. Parts that all trials share (system, tools) are digested once."""

    def __init__(self, clean: Clean, ignored: Sequence[Ignored] = ()) -> None:
        self._clean = clean
        self._ignored = ignored
        self._cache: dict[bytes, PartDigest] = {}
        self.hosts: dict[str, bool] = {}
        """The hosts of requests, and whether one asked a model there: those are compared by what they are asked."""
        self.setup = SetupEar(clean)
        """What the agent's requests have in common: its instructions and its tools."""
        self.lookups: set[str] = set()
        """The hosts that were looked up, whatever was sent there."""

    def services(self) -> list[str]:
        """The hosts, with their ports, that agents asked for something else than an answer of a model."""
        models = {host for host, is_model in self.hosts.items() if is_model}
        return sorted({*self.hosts, *self.lookups} - models)

    def hear(self, golden: str, method: str, url: str, body: bytes) -> None:
        """Note instructions and tools of a request of a golden, the first or a later one."""
        parts = request_parts(method, url, {}, json_body(body))
        if parts is not None:
            self.setup.hear(golden, parts.system, parts.tools)

    def digest(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> CapturedRequest | None:
        """The digests of a request that asks a model; None for any other request."""
        document = json_body(body)
        for ignored in self._ignored if document is not None else ():
            document = ignored.mask(document)
        plain = {name.lower(): value for name, value in headers.items()}
        parts = request_parts(method, url, plain, document)
        if parts is None:
            return None
        digests = {name: self._part(name, getattr(parts, name)) for name in PARTS}
        short = [self._tool(tool) for tool in parts.tools]
        names = dict(zip(short, map(tool_name, parts.tools), strict=True))
        return CapturedRequest(FirstRequest(digests, tuple(short[:MOST_TOOLS])), names, parts.messages)

    def _tool(self, tool: Any) -> str:
        fields = tool_fields(tool)
        rest = {name: value for name, value in fields.items() if name not in ("name", "description")}
        around = [part for part in tool.items() if part[1] is not fields] if isinstance(tool, dict) else tool
        parts = (fields.get("name"), fields.get("description"), rest if fields is tool else [rest, around])
        return "".join(self._part("tool", part).exact[: TOOL_DIGITS // 3] for part in parts)

    def _part(self, name: str, value: Any) -> PartDigest:
        content = msgspec.json.encode([name, value], order="deterministic")
        digest = self._cache.get(content)
        if digest is None:
            digest = self._digest(name, value)
            if len(self._cache) >= MOST_CACHED:
                self._cache.clear()
            self._cache[content] = digest
        return digest

    def _digest(self, name: str, value: Any) -> PartDigest:
        plain = scrub_value(value, self._clean)
        if name == "messages":
            plain = renumber_calls(plain)
        text = msgspec.json.encode([name, plain], order="deterministic").decode()
        return PartDigest(hex_digest(text, DIGITS), hex_digest(CHANGING.sub("…", text), DIGITS))


class RequestComparison(NamedTuple):
    """`changed` names the parts that differ, `masked` those that were compared without dates, times and ids."""

    changed: tuple[str, ...]
    masked: tuple[str, ...]


def compare_requests(before: Sequence[FirstRequest], now: CapturedRequest) -> RequestComparison:
    """What differs between the first requests of earlier trials and one now."""
    changed = []
    masked = []
    for name in PARTS:
        earlier = {first.parts[name] for first in before}
        digest = now.digests.parts[name]
        if earlier == {digest}:
            continue
        varies_by_itself = len(earlier) > 1
        if varies_by_itself and {earlier_digest.steady for earlier_digest in earlier} == {digest.steady}:
            masked.append(name)
        else:
            changed.append(_part_change(name, before, now))
    return RequestComparison(tuple(changed), tuple(masked))


def _part_change(name: str, before: Sequence[FirstRequest], now: CapturedRequest) -> str:
    if name != "tools":
        return "base URL" if name == "url" else name
    earlier = set(chain.from_iterable(first.tools for first in before)) - {*now.digests.tools}
    others = [tool for tool in now.digests.tools if not any(tool in first.tools for first in before)]
    words = [_tool_change(tool, earlier, others, now.tool_names) for tool in others]
    gone = len(earlier) - len(others)
    words = [*filter(None, words), *([f"{gone} removed"] if gone > 0 else [])]
    return f"tools ({', '.join(words)})" if words else "tools (their order)"


def _tool_change(tool: str, earlier: set[str], others: Sequence[str], names: Mapping[str, str]) -> str:
    """The name of a tool that changed; of a renamed one, or one with another's description, also that."""
    third = TOOL_DIGITS // 3
    name = tool[:third]
    text = tool[third : 2 * third]
    if all(before[:third] != name for before in earlier):
        known = {other[:third] for other in others if other != tool}
        is_renamed = any(before[third:] == tool[third:] and before[:third] not in known for before in earlier)
        return f"{names.get(tool, '')} renamed" if is_renamed else names.get(tool, "")
    own = {before[third : 2 * third] for before in earlier if before[:third] == name}
    for other in others:
        given = {before[third : 2 * third] for before in earlier if before[:third] == other[:third]}
        if other != tool and text in given and other[third : 2 * third] in own and text not in own:
            return f"{names.get(tool, '')} with the description of {names.get(other, '')}"
    return names.get(tool, "")


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
