"""Results as JSON lines, for machines."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, Self

import msgspec

from rightcall.core.codec import encode_described as encode
from rightcall.decide.safety_numbers import SafetyNumbers
from rightcall.metrics.base import PERFECT
from rightcall.metrics.dimensions import SPOTLESS
from rightcall.records.failure import NO_TOOLS, Failure
from rightcall.records.run import CaseResult, Summary
from rightcall.records.score import Judging, Score
from rightcall.records.tool import Tool
from rightcall.show.lines import inert_json
from rightcall.show.view.failures import case_dangers
from rightcall.show.view.summary import summary_view


class Spool:
    """Lines kept in a temporary file, so that memory does not grow with the number of cases."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile("w+b")  # noqa: SIM115

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, line: str) -> None:
        """Add one line, without a newline."""
        self._file.write(line.encode() + b"\n")

    def lines(self) -> Iterator[str]:
        self._file.seek(0)
        for line in self._file:
            yield line[:-1].decode()


HELD_BACK = 4 * 1024 * 1024
"""Bytes buffered before the first write, so that a file that is bad in its first megabytes leaves no output."""


AT_ONCE = 64 * 1024
"""Bytes per write after that."""


class RowScore(msgspec.Struct, frozen=True, gc=False):
    value: float
    passed: bool
    reason: str
    error: str | msgspec.UnsetType = msgspec.UNSET
    judged: Judging | msgspec.UnsetType = msgspec.UNSET


ATTACK_FIELDS = (
    "family", "carrier", "goal", "template", "twin", "delivered", "obeyed", "form", "call",
)  # fmt: skip
"""What a row says of the attack of its case."""


class Row(msgspec.Struct, frozen=True, gc=False):
    """One case, as `score --json` and `run --json` print it. An unchecked one neither passed nor failed."""

    golden_id: str
    trial: int
    passed: bool | None
    score: float | None
    metrics: dict[str, RowScore | Score | msgspec.Raw] | msgspec.Raw
    codes: tuple[Failure, ...]
    error: str | msgspec.UnsetType = msgspec.UNSET
    checked: bool | msgspec.UnsetType = msgspec.UNSET
    danger: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    safety: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET


def row_of(result: CaseResult, tools: Mapping[str, Tool] = NO_TOOLS) -> Row:
    """The row of a result; `danger` are the sorts of danger, if any."""
    return Row(
        result.golden_id,
        result.trial,
        result.passed if result.checked else None,
        result.score if result.checked else None,
        metrics=SPOTLESS_JSON if result.metrics is SPOTLESS else _scores(result.metrics),
        codes=result.codes,
        error=result.error or msgspec.UNSET,
        checked=msgspec.UNSET if result.checked else False,
        danger=(case_dangers(result, tools) if result.codes else ()) or msgspec.UNSET,
        safety=_attack(result),
    )


def _attack(result: CaseResult) -> dict[str, Any] | msgspec.UnsetType:
    score = result.metrics.get("resisted")
    if score is None or (outcome := score.attack) is None:
        return msgspec.UNSET
    return {name: getattr(outcome, name) for name in ATTACK_FIELDS}


def row_line(result: CaseResult, tools: Mapping[str, Tool] = NO_TOOLS) -> bytes:
    """The row as JSON. Most rows are flawless and differ only in golden and trial."""
    if result.metrics is SPOTLESS and result.passed and not result.codes and not result.error:
        return b"".join((HEAD, encode(result.golden_id), TRIAL, encode(result.trial), REST))
    return encode(row_of(result, tools))


def write_rows(results: Iterable[CaseResult], out: BinaryIO, tools: Mapping[str, Tool] = NO_TOOLS) -> None:
    """Write one line per result. Nothing is written if a small file fails early."""
    buffer = bytearray()
    most = HELD_BACK
    for result in results:
        buffer += row_line(result, tools)
        buffer += b"\n"
        if len(buffer) >= most:
            out.write(inert_json(buffer))
            buffer = bytearray()
            most = AT_ONCE
    out.write(inert_json(buffer))
    out.flush()


def write_outcome(
    run_id: str,
    verdict: str,
    summary: Summary,
    out: BinaryIO,
    people: Sequence[str] = (),
    safety: SafetyNumbers | None = None,
) -> None:
    """The last line of `run --json`: the summary of the run, and what `people` say of its judged metrics."""
    last = {"run_id": run_id, "verdict": verdict, "summary": summary_view(summary)}
    last |= {"people": people} if people else {}
    last |= {} if safety is None else {"safety": safety}
    last |= {} if summary.worst_case is None else {"worst_case": summary.worst_case}
    out.write(inert_json(encode(last)) + b"\n")
    out.flush()


def _scores(metrics: dict[str, Score]) -> dict[str, RowScore | Score | msgspec.Raw]:
    """A score with a reason and no codes has the same JSON as its row."""
    return {
        name: PERFECT_JSON
        if score is PERFECT
        else score
        if score.reason and not score.codes and score.attack is None
        else RowScore(
            score.value,
            score.passed,
            score.reason,
            score.error or msgspec.UNSET,
            judged=score.judged or msgspec.UNSET,
        )
        for name, score in metrics.items()
    }


PERFECT_JSON = msgspec.Raw(encode(RowScore(1.0, True, "")))
SPOTLESS_JSON = msgspec.Raw(encode(_scores(SPOTLESS)))
HEAD, TRIAL, REST = (
    encode(Row("\0", 7, True, 1.0, metrics=SPOTLESS_JSON, codes=()))
    .replace(encode("\0"), b"\0", 1)
    .replace(b"7", b"\0", 1)
    .split(b"\0")
)
"""The row of a flawless case around its golden and its trial, cut from a real one."""
