"""Doubts about goldens: a suspect, the reasons to doubt it, how much they mean, and what could be changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

import msgspec

from rightcall.core.codec import convert, describe_value, encode_as
from rightcall.core.errors import InputError
from rightcall.core.text import percent, shorten
from rightcall.improve.argument_kind import values_of_matcher
from rightcall.improve.call_difference import CallDifference, difference_from
from rightcall.improve.votes import Alternative, Votes
from rightcall.metrics.matching.base import MISSING
from rightcall.metrics.matching.compile import matcher_key
from rightcall.records.call import ToolCall
from rightcall.records.expected_call import literal
from rightcall.records.golden import AnyGolden, G, Golden
from rightcall.records.record import Record
from rightcall.run.rehearsal.known_good import OwnBehaviour
from rightcall.run.rehearsal.toolset import Toolset

LONGEST_VALUE = 4000


class GoldenEdit(Record, frozen=True):
    """One field of a golden changed: `path` as in the file, such as `expected_calls[0].args.order_id`."""

    path: str
    before: Any = None
    after: Any = None


def value_text(value: Any, longest: int = 80) -> str:
    """A value for a sentence."""
    return shorten(encode_as(value, describe_value).decode(), longest)


def limit_value(value: Any) -> Any:
    """A value for an output: one of more than 4 kB as its shortened text."""
    text = encode_as(value, describe_value).decode()
    return value if len(text) <= LONGEST_VALUE else shorten(text, LONGEST_VALUE)


def accept_too(path: str, spec: Any, value: Any) -> GoldenEdit:
    """Accept one more value."""
    choices = spec.get("one_of") if isinstance(spec, dict) and spec.keys() == {"one_of"} else None
    if isinstance(choices, list):
        return GoldenEdit(path, spec, {"one_of": [*choices, literal(value)]})
    key = "any_of" if isinstance(spec, dict) else "one_of"
    return GoldenEdit(path, spec, {key: [spec, literal(value)]})


def accept_absence(path: str, spec: Any) -> GoldenEdit:
    """Accept a call without the argument."""
    return GoldenEdit(path, spec, {"optional": spec})


def accept_alternative(golden: AnyGolden, calls: Sequence[ToolCall]) -> tuple[GoldenEdit, ...]:
    """Accept other calls too; nothing where a golden cannot say so."""
    if not isinstance(golden, Golden) or golden.expected_state is not None or not golden.expected_calls:
        return ()
    alternative = [
        {"tool": call.name, "args": {name: literal(value) for name, value in (call.arguments or {}).items()}}
        for call in calls
    ]
    try:
        before = to_plain(golden).get("any_of", [])
    except InputError:
        return ()
    return (GoldenEdit("any_of", before or None, [*before, alternative]),)


def apply_edits(golden: G, edits: Iterable[GoldenEdit]) -> G:
    """The golden with these fields changed; an `InputError` where it would be no golden any more."""
    plain = to_plain(golden)
    for edit in edits:
        _set(plain, edit.path, edit.after)
    return convert(plain, type(golden), f"golden '{golden.id}'")


def to_plain(golden: AnyGolden) -> dict[str, Any]:
    """The golden as its file has it; an `InputError` when it is checked by a function."""
    try:
        plain: dict[str, Any] = msgspec.to_builtins(golden)
    except TypeError:
        raise InputError(f"golden '{golden.id}'", "is checked by a function", "edit it in its file") from None
    return plain


def _set(plain: dict[str, Any], path: str, value: Any) -> None:
    place, has_argument, argument = path.partition(".args.")
    keys: list[str | int] = [int(number) if number else name for name, number in _STEP.findall(place)]
    if has_argument:
        keys += ["args", argument]  # an argument's name may hold dots
    inner: Any = plain
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value


_STEP = re.compile(r"([A-Za-z_]+)|\[(\d+)\]")


Band = Literal["certain", "likely"]
BANDS: tuple[Band, ...] = get_args(Band)

PRECISION: dict[Band, float] = {"certain": 1.0, "likely": 0.91}
"""The share of doubts of each band that are right: the lowest that `python -m benchmarks doubts` measures.

Certain is by construction. `likely` with 5 or 10 simulated agents.
"""
BAND_LINES: dict[Band, str] = {
    "certain": "certainly wrong: shown by running it",
    "likely": f"likely wrong: about {percent(PRECISION['likely'], 0)} of such doubts were right, "
    "measured with simulated agents",
}

DoubtCode = Literal[
    "cannot_be_met", "against_schema", "default_demanded", "stray_mark", "agents_agree", "nobody_passes",
    "too_strict",
]  # fmt: skip
DOUBT_CODES: tuple[DoubtCode, ...] = get_args(DoubtCode)

DOUBT_TITLES: dict[DoubtCode, str] = {
    "cannot_be_met": "cannot be met",
    "against_schema": "against the schema",
    "default_demanded": "default demanded",
    "stray_mark": "stray quotation mark",
    "agents_agree": "agents agree on another call",
    "nobody_passes": "nobody passes",
    "too_strict": "too strict",
}


class AlternativeCall(Record, frozen=True):
    """A call that agents make where the golden expects another."""

    tool: str
    arguments: dict[str, Any] = {}


class Doubt(Record, frozen=True):
    """Why a golden may be wrong. `certain` was shown by running it; `precision` is the measured share of its band.

    `n` agents voted: the share `agree` makes the `alternative`, the share `passing` (`pass` in JSON) passes the golden;
    `families` are the makers of the models that agree. `change` is proposed, never made: it adds to what the golden
    accepts.
    """

    golden_id: str
    code: DoubtCode
    band: Band
    sentence: str
    precision: float | None = None
    where: str = ""
    n: int = 0
    agree: float = 0.0
    passing: float = msgspec.field(default=0.0, name="pass")
    families: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    alternative: tuple[AlternativeCall, ...] = ()
    change: tuple[GoldenEdit, ...] = ()

    @property
    def title(self) -> str:
        """The reason in words."""
        return DOUBT_TITLES[self.code]


def in_order(doubts: Iterable[Doubt]) -> tuple[Doubt, ...]:
    """The most certain first, then by how far agents agree; the same order every time."""
    return tuple(
        sorted(
            doubts,
            key=lambda d: (
                BANDS.index(d.band), d.passing - d.agree, d.golden_id, DOUBT_CODES.index(d.code), d.sentence
            ),
        )
    )  # fmt: skip


def certain_goldens(doubts: Iterable[Doubt]) -> tuple[str, ...]:
    """Ids of the goldens that are certainly wrong."""
    return tuple(sorted({doubt.golden_id for doubt in doubts if doubt.band == "certain"}))


@dataclass(frozen=True)
class SuspectGolden:
    """A golden with its tools, the words that its agent reads, the votes on it, and how its own calls go."""

    golden: AnyGolden
    toolset: Toolset
    words: str
    votes: Votes
    own: OwnBehaviour | None = None

    @cached_property
    def difference(self) -> CallDifference:
        """How the alternative that agents agree on differs from the golden."""
        agreement = self.votes.agreement
        if agreement is None:
            return CallDifference()
        return difference_from(self.golden, agreement.calls, self.toolset)


class Reason(NamedTuple):
    """One reason to doubt a golden."""

    band: Band
    sentence: str
    alternative: Alternative | None = None
    change: tuple[GoldenEdit, ...] = ()
    evidence: tuple[str, ...] = ()


def values_of(spec: Any) -> list[Any]:
    """The values that an expectation states, alone or in a list; empty where it only describes them."""
    if isinstance(spec, dict) and (key := matcher_key(spec)) is not None:
        inner = spec[key]
        if key == "optional":
            return values_of(inner)
        if key == "bfcl":
            return (
                [value for value in inner.get("values", ()) if value != ""] if isinstance(inner, dict) else []
            )
    return list(values_of_matcher(spec))


def difference_lines(difference: CallDifference) -> Iterator[str]:
    """The difference in words, one line for each place."""
    for name in difference.missing:
        yield f"the golden expects {name}"
    for name in difference.extra:
        yield f"they call {name}"
    for argument in difference.arguments:
        where = f"{argument.tool}.{argument.parameter}"
        if argument.actual is MISSING:
            yield f"{where}: the golden expects {value_text(argument.expected)}, they leave it out"
        elif argument.expected is MISSING:
            yield f"{where}: they pass {value_text(argument.actual)}, which the golden does not expect"
        else:
            expected = value_text(argument.expected)
            actual = value_text(argument.actual)
            yield f"{where}: the golden expects {expected}, they pass {actual}"
