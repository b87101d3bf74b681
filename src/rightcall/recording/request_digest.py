"""A digest of each part of a request, short enough to be kept with every trial; no text can be read from it.

Secrets are removed first. A part with dates, times or ids in it has a second digest without them: parts that differ
between two trials of one version only in those vary by themselves, and are compared without them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import msgspec

from rightcall.core.digest import hex_digest
from rightcall.recording.canonical import Clean, Ignored, renumber_calls, scrub_value
from rightcall.recording.model_requests import SetupEar, json_body, request_parts, tool_name

PARTS = ("url", "model", "settings", "system", "tools", "messages")
VERSION = "3"
DIGITS = 12
TOOL_DIGITS = 6
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
    """The digests of a request. `tools` has a short one for each tool too, which only names those that changed."""

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
    parts = [PartDigest(exact, steady or exact) for exact, _, steady in pairs]
    short = (tools[at : at + TOOL_DIGITS] for at in range(0, len(tools), TOOL_DIGITS))
    return FirstRequest(dict(zip(PARTS, parts, strict=True)), tuple(short))


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
        self.lookups: set[str] = set()
        """The hosts that were looked up, whatever was sent there."""
        self.setup = SetupEar(clean)
        """What the agent's requests have in common: its instructions and its tools."""

    def services(self) -> list[str]:
        """The hosts, with their ports, that agents asked for something else than an answer of a model."""
        models = {host for host, is_model in self.hosts.items() if is_model}
        return sorted({*self.hosts, *self.lookups} - models)

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
        short = [self._part("tool", tool).exact[:TOOL_DIGITS] for tool in parts.tools]
        names = dict(zip(short, map(tool_name, parts.tools), strict=True))
        return CapturedRequest(FirstRequest(digests, tuple(short[:MOST_TOOLS])), names, parts.messages)

    def _part(self, name: str, value: Any) -> PartDigest:
        content = msgspec.json.encode([name, value], order="deterministic")
        if content not in self._cache:
            if len(self._cache) >= MOST_CACHED:
                self._cache.clear()
            plain = scrub_value(value, self._clean)
            plain = renumber_calls(plain) if name == "messages" else plain
            text = msgspec.json.encode([name, plain], order="deterministic").decode()
            steady = hex_digest(CHANGING.sub("…", text), DIGITS)
            self._cache[content] = PartDigest(hex_digest(text, DIGITS), steady)
        return self._cache[content]


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
        if len(earlier) > 1 and {other.steady for other in earlier} == {digest.steady}:  # varies by itself
            masked.append(name)
        else:
            words = {"url": "base URL", "tools": _tool_changes(before, now)}
            changed.append(words.get(name, name))
    return RequestComparison(tuple(changed), tuple(masked))


def _tool_changes(before: Sequence[FirstRequest], now: CapturedRequest) -> str:
    earlier = set(chain.from_iterable(first.tools for first in before))
    new = [now.tool_names[tool] for tool in now.digests.tools if tool not in earlier]
    gone = len(earlier - {*now.digests.tools}) - len(new)
    words = [*filter(None, new), *([f"{gone} removed"] if gone > 0 else [])]
    return f"tools ({', '.join(words)})" if words else "tools (their order)"
