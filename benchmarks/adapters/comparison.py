"""A recorded trajectory against the truth, aspect by aspect; and two logs of requests against each other."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from benchmarks.adapters.framework import Framework
from benchmarks.adapters.scripted_server import Exchange
from benchmarks.adapters.truth import TrueCall, Truth
from rightcall.records import ToolCall, Trajectory
from rightcall.records.call import depth_of


@dataclass(frozen=True)
class Difference:
    """One aspect in which the record is not what happened."""

    aspect: str
    happened: Any
    recorded: Any


def differences(framework: Framework, truth: Truth, trajectory: Trajectory) -> list[Difference]:
    """Everything in which a trajectory with `calls="all"` differs from the truth."""
    aspects = [
        *_of_calls(framework, truth.calls, trajectory.calls, truth.told),
        *_of_the_end(truth, trajectory),
    ]
    return [
        Difference(name, happened, recorded) for name, happened, recorded in aspects if happened != recorded
    ]


def _of_calls(
    framework: Framework, happened: Sequence[TrueCall], recorded: Sequence[ToolCall], told: str
) -> Iterator[tuple[str, Any, Any]]:
    names = [framework.recorded_name(call.name) for call in happened]
    yield "calls", names, [call.name for call in recorded]
    if names != [call.name for call in recorded]:
        return  # the rest would compare different calls
    yield (
        "arguments",
        [call.arguments for call in happened],
        [call.arguments if call.raw is None else call.raw for call in recorded],
    )
    yield "step", [call.step for call in happened], [call.step for call in recorded]
    yield "status", [call.status for call in happened], [call.status for call in recorded]
    pairs = list(zip(happened, recorded, strict=True))
    yield (
        "result",
        [call.output for call in happened],
        [true.output if _same_result(true, call.output, told) else call.output for true, call in pairs],
    )
    ids = [call.id for call in recorded]
    yield (
        "parent and depth",
        [(call.depth, call.parent) for call in happened],
        [(depth_of(call), _position(ids, call.notes.get("parent"))) for call in recorded],
    )


def _position(ids: Sequence[str], parent: str | None) -> int | str | None:
    if not parent:
        return None
    return ids.index(parent) if parent in ids else parent


def _same_result(true: TrueCall, recorded: Any, told: str) -> bool:
    """Whether a record has what a tool returned, as a value or as text; of an exception its words or the model's."""
    happened = true.output
    if happened is None or happened == recorded:
        return True
    if not isinstance(recorded, str):
        recorded = json.dumps(recorded, ensure_ascii=False)
    if true.raised and recorded and json.dumps(recorded, ensure_ascii=False)[1:-1] in told:
        return True
    return (isinstance(happened, str) and happened in recorded) or happened in _values(recorded)


def _values(text: str) -> Iterator[Any]:
    for read in (json.loads, ast.literal_eval):
        try:
            yield read(text)
        except (ValueError, SyntaxError):
            continue


def _of_the_end(truth: Truth, trajectory: Trajectory) -> Iterator[tuple[str, Any, Any]]:
    yield "stop reason", truth.stop, trajectory.stop_reason
    usage = trajectory.usage
    if truth.stop == "infra_error":  # how many tokens a lost stream reports depends on where it breaks
        return
    yield "tokens", (truth.input_tokens, truth.output_tokens), (usage.input_tokens, usage.output_tokens)
    yield "cached tokens", truth.cached_tokens, usage.cached_tokens
    if truth.answer is not None:
        answer: Any = trajectory.output
        if not isinstance(truth.answer, str):
            answer = next(_values(answer), answer)
        yield "answer", truth.answer, answer


def request_differences(plain: Sequence[Exchange], observed: Sequence[Exchange]) -> list[Difference]:
    """What observing changed in the requests: their number, bodies, headers."""
    if len(plain) != len(observed):
        return [Difference("number of requests", len(plain), len(observed))]
    for one, other in zip(plain, observed, strict=True):
        for aspect in ("path", "body", "headers"):
            before = _without_ids(getattr(one, aspect))
            after = _without_ids(getattr(other, aspect))
            if before != after:
                return [Difference(f"{aspect} of a request", before, after)]
    return []


_CHANGES_BY_ITSELF = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\ba?[0-9a-f]{16,64}\b|0x[0-9a-f]{6,}"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\d]*Z?|(?<=duration_ms: )\d+|(?<=run_)\w{8,}"
    r"|(?<=_)[0-9a-f]{24}|(?<=adk-)[\w-]{8,}"
)
"""Identifiers and times that a framework makes afresh for every run."""


def _without_ids(value: Any) -> str:
    return _CHANGES_BY_ITSELF.sub("…", json.dumps(_ordered(value), sort_keys=True, ensure_ascii=False))


def _ordered(value: Any) -> Any:
    """The same with results of concurrent calls in one order: which tool ends first is chance."""
    if isinstance(value, dict):
        return {name: _ordered(item) for name, item in value.items()}
    if not isinstance(value, list):
        return value
    runs = groupby(value, key=lambda item: isinstance(item, dict) and item.get("role") == "tool")
    return [
        item
        for results, run in runs
        for item in (
            sorted(run, key=lambda one: str(one.get("tool_call_id"))) if results else map(_ordered, run)
        )
    ]
