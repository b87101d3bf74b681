"""The matcher that looks outside the value: ref."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

import msgspec

from rightcall.core.codec import DecodeErrors
from rightcall.core.errors import InputError
from rightcall.metrics.matching.base import MISSING, Kind, Matcher, Scope, Sources, equality_key, wrong
from rightcall.records.call import ToolCall

NOT_RECORDED = ", which was not recorded"
OF_ANOTHER_CALL = ", not of another call's"
LONGEST_TEXT = 10_000_000
"""Characters of a result beyond which it is not read as JSON."""


@dataclass(slots=True)
class Ref:
    """A value from an earlier call's result: `{"ref": {"call": "find", "path": "orders.0.id"}}`.

    The call is the id of an expected call, and its result that of the actual call aligned with it. While that is open,
    any earlier call of the tool may have brought the value: a bound no alignment can exceed, also under a `not`.
    """

    call: str
    path: str
    calls: Sequence[ToolCall]
    fits: Callable[[str], bool]
    sources: Sources
    negated: bool = False
    _read: dict[int, Set[Hashable]] = field(default_factory=dict)
    _given: dict[Hashable, tuple[list[int], list[float]]] | None = None

    def score(self, value: Any, at: int) -> float:
        if value is MISSING:
            return 0.0  # a missing argument is not the null found at the end of a path
        sources = self.sources.of.get(self.call)
        if sources is None and self.negated:
            return 0.0
        return 1.0 if self._was_given(value, at, sources) else 0.0

    def describe(self) -> str:
        source_calls = [call for call in self.calls if self.fits(call.name)]
        unknown = bool(source_calls) and all(call.output is None for call in source_calls)
        note = NOT_RECORDED if unknown else ""
        return f"the value {self.path or 'returned'} of {self.call}'s result{note}"

    def describe_beside(self, value: Any, at: int) -> str:
        """The same, and whether the value came from another call of that tool."""
        return self.describe() + (OF_ANOTHER_CALL if self._was_given(value, at, None) else "")

    def _was_given(self, value: Any, at: int, sources: frozenset[int] | None) -> bool:
        """Whether a source earlier than this call gave the value; `sources` are the sources once they are decided."""
        key = equality_key(value)
        step = self.calls[at].step if at < len(self.calls) else None
        if sources is not None:
            return any(
                place < at and (step is None or _step(self.calls[place]) < step) and key in self._gave(place)
                for place in sources
            )
        places, lowest = self._givers().get(key, ((), ()))
        before = bisect_left(places, at)
        return before > 0 and (step is None or lowest[before - 1] < step)

    def _gave(self, place: int) -> Set[Hashable]:
        if place not in self._read:
            values = values_at(self.calls[place].output, self.path)
            self._read[place] = {equality_key(value) for value in values}
        return self._read[place]

    def _givers(self) -> dict[Hashable, tuple[list[int], list[float]]]:
        """For each value the calls that gave it, and the lowest step among those up to each: one search finds both."""
        if self._given is None:
            self._given = {}
            for place, call in enumerate(self.calls):
                for key in self._gave(place) if self.fits(call.name) else ():
                    places, lowest = self._given.setdefault(key, ([], []))
                    places.append(place)
                    lowest.append(min(_step(call), lowest[-1] if lowest else math.inf))
        return self._given


def _step(call: ToolCall) -> float:
    return -math.inf if call.step is None else call.step


def values_at(output: Any, path: str) -> list[Any]:
    """What a dotted path such as `orders.0.id` leads to; one value for each way to read the result.

    A result may be the object itself, its JSON as text (OpenAI, Anthropic), or parts of text (MCP).
    """
    candidates = (value_at(document, path) for document in _readings(output))
    return [value for value in candidates if value is not MISSING]


def value_at(document: Any, path: str) -> Any:
    """Follow a path into a document, through texts that are JSON; MISSING when it leads nowhere."""
    here = document
    for step in path.replace("[", ".").replace("]", "").split(".") if path else ():
        if isinstance(here, str):
            here = _decode_json(here)
        if isinstance(here, list) and step.lstrip("-").isdecimal() and -len(here) <= int(step) < len(here):
            here = here[int(step)]
        elif isinstance(here, dict) and step in here:
            here = here[step]
        else:
            return MISSING
    return here


def _readings(output: Any) -> Iterator[Any]:
    yield output
    if isinstance(output, dict):  # a result of MCP as its server sent it
        if isinstance(output.get("structuredContent"), dict):
            yield output["structuredContent"]
        output = output.get("content")
    if isinstance(output, list) and output and all(_is_text_part(part) for part in output):
        output = "\n".join(part["text"] for part in output)
        yield output
    if isinstance(output, str):
        decoded = _decode_json(output)
        if decoded is not MISSING:
            yield decoded


def _is_text_part(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("text"), str)


def _decode_json(text: str) -> Any:
    if len(text) > LONGEST_TEXT:
        return MISSING
    try:
        return msgspec.json.decode(text)
    except (*DecodeErrors, UnicodeEncodeError):
        return MISSING


def _ref(spec: Any, options: dict[str, Any], scope: Scope) -> Matcher:
    settings = {**spec, **options} if isinstance(spec, dict) else {"call": spec, **options}
    call = settings.get("call")
    path = settings.get("path", "")
    if not isinstance(call, str) or not isinstance(path, str):
        raise wrong("ref", 'an object {"call": id, "path": where}', spec)
    if call not in scope.tool_of:
        raise InputError("", f"matcher 'ref' names the expected call '{call}', which does not exist",
                         f"ids here: {', '.join(scope.tool_of) or 'none'}")  # fmt: skip
    scope.sources.named.add(call)
    return Ref(call, path, scope.calls, scope.tool_of[call], sources=scope.sources, negated=scope.negated)


KINDS = {"ref": Kind(_ref, frozenset(("path",)))}
