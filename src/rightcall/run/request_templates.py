"""Goldens whose requests are one template filled with other values, or ask for the same thing twice.

They pass or fail together, so they are one observation, not several. Three signs, strongest first, each for goldens of
one category that expect the same tools:

1. the same words once values are masked: those of the expected arguments, quoted texts, and words with digits;
2. the same expected calls with the same identifier, however the request is worded;
3. nearly the same masked words (`NearTexts`), for at most `MOST_COMPARED` different texts.

The work grows with the number of goldens, and the result does not depend on their order. Templates that nobody declared
are named in a decision.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from rightcall.core.codec import describe_value
from rightcall.core.text import pluralize, shorten, visible
from rightcall.datasets.near_duplicates import NearTexts, normalize
from rightcall.decide.config import Gate
from rightcall.decide.verdict import Verdict
from rightcall.metrics.matching.expectation import pattern_text
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.golden import AnyGolden, category_of, expectations_of, request_of
from rightcall.records.record import Record
from rightcall.records.score import Note

if TYPE_CHECKING:
    pass

MOST_COMPARED = 2_000
"""Different texts among which near-equal ones are searched, so that the work stays small for any dataset."""
SHOWN = 3
_BLANK = "\x00"
_WORD = re.compile(r"\"[^\"]{1,200}\"|“[^”]{1,200}”|«[^»]{1,200}»|`[^`]{1,200}`|\x00|[\w@][\w@./:+#-]*")
_LONGEST = 4_000
"""Characters of a request that are looked at."""
_MOST_VALUES = 40


_Key = tuple[tuple[Any, ...], str]
"""What goldens of one group share: category and expected tools, and the masked words."""


class TemplateGroup(Record, frozen=True):
    """Goldens of one template. `text` is the request with … for what differs."""

    text: str
    goldens: tuple[str, ...]


def template_groups(goldens: Iterable[AnyGolden]) -> list[TemplateGroup]:
    """Groups of two and more goldens without a declared cluster, sorted by id, whatever the order of the goldens."""
    groups: dict[_Key, list[str]] = {}
    tasks: dict[_Key, bytes] = {}
    for golden in goldens:
        if golden.cluster is not None:
            continue
        masked = mask_values(golden)
        key = _kind(golden), masked if _is_template(golden, masked) else normalize(_request(golden))
        groups.setdefault(key, []).append(golden.id)
        if (task := _task(golden)) is not None:
            tasks.setdefault(key, task)
    groups = dict(sorted(((key, sorted(ids)) for key, ids in groups.items()), key=lambda group: group[1][0]))
    for key, leader in _join_single_goldens(groups, tasks).items():
        groups[leader] += groups.pop(key)
    return [
        TemplateGroup(shorten(key[1].replace(_BLANK, "…"), 60), tuple(sorted(ids)))
        for key, ids in groups.items()
        if len(set(ids)) > 1
    ]


def template_notice(groups: Sequence[TemplateGroup]) -> str:
    """What the groups mean for statistics, and what to do; empty when there is none."""
    if not groups:
        return ""
    number = sum(len(group.goldens) for group in groups)
    largest = sorted(groups, key=lambda group: -len(group.goldens))
    shown = "; ".join(
        f"“{group.text}”: {', '.join(group.goldens[:SHOWN])}"
        + (f" and {len(group.goldens) - SHOWN:,} more" if len(group.goldens) > SHOWN else "")
        for group in largest[:SHOWN]
    )
    more = f"; {len(groups) - SHOWN:,} more" if len(groups) > SHOWN else ""
    return (
        f"{pluralize(number, 'golden')} look like {pluralize(len(groups), 'template')} ({visible(shown)}{more}); "
        "goldens that share a template pass or fail together, so they are not independent evidence: "
        "declare `cluster`"
    )


def template_line(groups: Sequence[TemplateGroup]) -> str:
    """The same in one line, for screens; empty when there is none."""
    if not groups:
        return ""
    number = sum(len(group.goldens) for group in groups)
    patterns = pluralize(len(groups), "pattern")
    return f"{pluralize(number, 'golden')} follow {patterns}: rightcall dataset check GOLDENS"


def mask_values(golden: AnyGolden) -> str:
    """The request in lower case with one mark for each value in it."""
    text = _request(golden).lower()
    for value in sorted(_values(golden), key=lambda value: (-len(value), value))[:_MOST_VALUES]:
        text = _without(text, value.lower())
    words: list[str] = []
    for word in _WORD.findall(text):
        blank = word == _BLANK or word[0] in '"“«`' or any(map(str.isdigit, word))
        if not blank:
            words.append(word.strip("./:+#-"))
        elif not words or words[-1] != _BLANK:
            words.append(_BLANK)
    return " ".join(words)


def _without(text: str, value: str) -> str:
    """The text with a mark for a value, where it is not a part of a longer word."""
    at = text.find(value)
    while at >= 0:
        end = at + len(value)
        inside = _same_word(text[at - 1 : at], value[0]) or _same_word(text[end : end + 1], value[-1])
        if inside:
            at = text.find(value, end)
        else:
            text = f"{text[:at]} {_BLANK} {text[end:]}"
            at = text.find(value, at + 3)
    return text


def _same_word(neighbour: str, edge: str) -> bool:
    """Whether two neighbouring characters are of one word; scripts without spaces have no such words."""
    return neighbour.isascii() and neighbour.isalnum() and edge.isalnum()


def _join_single_goldens(groups: Mapping[_Key, list[str]], tasks: Mapping[_Key, bytes]) -> dict[_Key, _Key]:
    """Single goldens that belong to an earlier group: the key of that group by their own."""
    by_task: dict[bytes, _Key] = {}
    near: dict[tuple[Any, ...], NearTexts] = {}
    leaders: dict[str, _Key] = {}
    group_by_key: dict[_Key, _Key] = {}
    for place, key in enumerate(groups):
        single = len(groups[key]) == 1
        task = tasks.get(key) if single else None
        if task is not None and (leader := by_task.setdefault(task, key)) != key:
            group_by_key[key] = group_by_key.get(leader, leader)
            continue
        if place >= MOST_COMPARED:
            continue
        texts = near.setdefault(key[0], NearTexts(most_in_band=4))
        similar = texts.earlier(str(place), key[1], keep_similar=not single)
        leaders[str(place)] = key
        if single and similar is not None:
            group_by_key[key] = leaders[similar[0]]
    return group_by_key


def _request(golden: AnyGolden) -> str:
    turns = [turn.content for turn in golden.turns if turn.role == "user"]
    return " ".join([request_of(golden), *turns])[:_LONGEST]


def _kind(golden: AnyGolden) -> tuple[Any, ...]:
    tools = sorted({pattern_text(call.tool) for call in _calls(golden)})
    return category_of(golden), golden.no_calls, *tools


def _calls(golden: AnyGolden) -> list[ExpectedCall]:
    return list(expectations_of(golden))


def _is_template(golden: AnyGolden, masked: str) -> bool:
    """Whether masked words say enough: one word where the same tools are expected, three where none is."""
    literal = sum(word != _BLANK for word in masked.split())
    return literal >= (1 if _calls(golden) else 3)


def _task(golden: AnyGolden) -> bytes | None:
    """The expected calls, when an identifier in them makes it unlikely that two goldens share them by chance."""
    calls = _calls(golden)
    if not any(len(value) >= 4 and any(map(str.isdigit, value)) for value in _values(golden)):
        return None
    return msgspec.json.encode([calls, _kind(golden)], enc_hook=describe_value, order="deterministic")


def _values(golden: AnyGolden) -> set[str]:
    """Texts and numbers in the expected arguments."""
    texts: set[str] = set()
    waiting: list[Any] = [call.args for call in _calls(golden)]
    while waiting and len(texts) < _MOST_VALUES:
        value = waiting.pop()
        if isinstance(value, Mapping):
            waiting.extend(value.values())
        elif isinstance(value, list | tuple):
            waiting.extend(value)
        elif isinstance(value, str):
            if len(value) > 1 and value.strip():
                texts.add(value.strip())
        elif isinstance(value, int | float) and not isinstance(value, bool):
            texts.add(f"{value:g}")
    return texts


MOST_SEARCHED = 100_000
"""Goldens among which templates are searched."""


def undeclared_templates(gate: Gate, goldens: Iterable[AnyGolden]) -> list[TemplateGroup]:
    """Goldens that look like templates; none when the gate does not count on their independence."""
    if not gate.generalizes:
        return []
    return template_groups(islice(goldens, MOST_SEARCHED))


def with_template_notice(verdict: Verdict, groups: Sequence[TemplateGroup]) -> Verdict:
    """The verdict with a note about templates that nobody declared."""
    notice = template_line(groups)
    if not notice:
        return verdict
    return msgspec.structs.replace(verdict, notes=(*verdict.notes, Note("templates", notice)))
