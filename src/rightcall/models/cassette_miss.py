"""Why a replay found nothing: the nearest recorded request, and the first thing that differs."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from rightcall.core.text import one_line
from rightcall.models.base import Prompt

if TYPE_CHECKING:
    from rightcall.models.recorded import CassetteExchange

_COMPARED = 2000  # recorded requests: enough to be useful, few enough to be fast


def explain_miss(
    wanted: CassetteExchange, prompt: Prompt, recorded: Sequence[CassetteExchange], prompts: dict[str, Prompt]
) -> str:
    """One line: which request has no recorded answer, and how it differs from the nearest that has."""
    asked = wanted.messages[-1].content if wanted.messages else ""
    label = wanted.golden_id or f"'{one_line(asked, 60)}'"
    which = f"no recorded answer for {label}, trial {wanted.trial}"
    if not recorded:
        return f"{which}: the cassette is empty; record it again"
    nearest = max(recorded[:_COMPARED], key=lambda other: _likeness(wanted, other))
    change = _difference(wanted, nearest, prompt, prompts.get(nearest.prompt))
    near = nearest.golden_id or "the nearest recorded request"
    return f"{which}; {near}, trial {nearest.trial}, differs in {change}; record it again if that is intended"


def _likeness(wanted: CassetteExchange, other: CassetteExchange) -> tuple[int, float]:
    same = [
        wanted.messages == other.messages,
        wanted.golden_id == other.golden_id,
        wanted.prompt == other.prompt,
        wanted.trial == other.trial,
    ]
    return sum(same), _ratio(_text(wanted), _text(other))


def _difference(
    wanted: CassetteExchange, other: CassetteExchange, prompt: Prompt, recorded: Prompt | None
) -> str:
    if wanted.prompt != other.prompt:
        return _prompt_difference(prompt, recorded)
    if wanted.messages != other.messages:
        return _message_difference(wanted, other)
    if wanted.golden_id != other.golden_id:
        return f"the golden: '{other.golden_id}' was recorded"
    return f"the trial: {other.trial} was recorded, {wanted.trial} requested"


def _prompt_difference(asked: Prompt, recorded: Prompt | None) -> str:
    if recorded is None:
        return "the prompt"
    if asked.system != recorded.system:
        return f"the system prompt: {_change(recorded.system, asked.system)}"
    if asked.tools != recorded.tools:
        now, then = {t.name: t for t in asked.tools}, {t.name: t for t in recorded.tools}
        if gone := then.keys() - now.keys():
            return f"the tools: {', '.join(sorted(gone))} no longer offered"
        if new := now.keys() - then.keys():
            return f"the tools: {', '.join(sorted(new))} newly offered"
        changed = [name for name in now if now[name] != then[name]]
        return f"the tools: {', '.join(changed)} changed" if changed else "the order of the tools"
    now_set, then_set = msgspec.to_builtins(asked.settings), msgspec.to_builtins(recorded.settings)
    names = sorted(n for n in {*now_set, *then_set} if now_set.get(n) != then_set.get(n))
    return f"the settings: {', '.join(names)}"


def _message_difference(wanted: CassetteExchange, other: CassetteExchange) -> str:
    for i, (now, then) in enumerate(zip(wanted.messages, other.messages, strict=False)):
        if now.role != then.role:
            return f"messages[{i}]: recorded from {then.role}, now from {now.role}"
        if now.content != then.content:
            return f"messages[{i}] of the {now.role}: {_change(then.content, now.content)}"
        if now != then:
            return f"messages[{i}]: the calls or results of the {now.role}"
    return f"the number of messages: {len(other.messages)} recorded, {len(wanted.messages)} now"


def _change(then: str, now: str) -> str:
    """`…recorded…` and `…now…` around the first difference."""
    at = next(
        (i for i, (a, b) in enumerate(zip(then, now, strict=False)) if a != b), min(len(then), len(now))
    )
    start = max(0, at - 15)
    return f"recorded {one_line(then[start : at + 25], 40)!r}, now {one_line(now[start : at + 25], 40)!r}"


def _text(exchange: CassetteExchange) -> str:
    return " ".join(message.content for message in exchange.messages)[:500]


def _ratio(a: str, b: str) -> float:
    return difflib.SequenceMatcher(None, a, b, autojunk=False).quick_ratio()
