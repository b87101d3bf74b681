"""The baseline file: what main did, golden by golden, small enough to be cached or committed. No texts, no answers; of
each result of a tool a digest and the beginning.

JSON Lines: a header, then a line for each golden, sorted by id. A trial is one character: 1 passed, 0 failed, e error.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from rightcall.core.codec import decode, encode
from rightcall.core.digest import hex_digest
from rightcall.core.errors import InputError
from rightcall.core.text import one_line
from rightcall.decide.check_settings import Scores
from rightcall.files.atomic import write_file
from rightcall.files.checked_read import require_file
from rightcall.recording.request_digest import CHANGING, distinct_first_requests
from rightcall.records.call import ToolCall
from rightcall.records.record import Record
from rightcall.run.inputs import Inputs
from rightcall.run.watched_inputs import WatchedInputs, join_watches, same_watch

FORMAT = "rightcall/baseline/1"
MOST_RUNS = 10
MOST_DAYS = 30
SAVE_AGAIN = "save it again: rightcall run SUITE --trials 3 --save-baseline FILE"
LARGEST = 256 * 1024 * 1024


class BaselineRun(Record, frozen=True):
    """A run that was pooled, or an older one that only chooses. `replayed` ones had recorded answers."""

    id: str
    at: str
    trials: int = 1
    inputs: str = ""
    replayed: bool = False


class BaselineHeader(Record, frozen=True, omit_defaults=False):
    """Where a baseline comes from. `runs` are compared with, newest first; `older` only show what was confused.

    `watched` is what the code of the agent read; None when there is no code, or the runs do not say. `keeps_state` says
    how the agent of the newest run carried one trial into another.
    """

    suite: str
    inputs: str
    given: Inputs
    runs: tuple[BaselineRun, ...]
    older: tuple[BaselineRun, ...] = ()
    branch: str = ""
    commit: str = ""
    served_model: tuple[str, ...] = ()
    versions: dict[str, str] = {}
    watched: WatchedInputs | None = None
    keeps_state: str = ""
    goldens: int = 0
    format: str = FORMAT

    @property
    def id(self) -> str:
        """A name for exactly these runs."""
        return hex_digest("/".join([self.inputs, *(run.id for run in self.runs)]), 16)

    def age_days(self, now: datetime | None = None) -> float:
        """Days since the newest run."""
        at = datetime.fromisoformat(self.runs[0].at) if self.runs else datetime.fromtimestamp(0, UTC)
        return ((now or datetime.now(UTC)) - at) / timedelta(days=1)


class BaselineLine(Record, frozen=True):
    """One golden. `t` has a string for each compared run.

    `old`, `codes` and `confused` come from older runs alone: what is compared must not choose. `hard` are the codes of
    all runs, for the rule about new damage. `s` has the scores of the compared trials when they are more than 1 for
    passed and 0 for failed; None is an error. `first` are the digests of the first requests of the compared trials,
    each once; `-` is a trial that did something else before it asked a model. `results` has what tools returned.
    """

    id: str
    golden: str
    ask: str
    t: tuple[str, ...]
    old: str = ""
    codes: dict[str, int] = {}
    hard: tuple[str, ...] = ()
    confused: dict[str, int] = {}
    s: tuple[tuple[float | None, ...], ...] = ()
    first: tuple[str, ...] = ()
    results: dict[str, str] = {}

    @property
    def scores(self) -> Scores:
        """The compared trials that were scored."""
        return tuple(float(mark) for mark in chain.from_iterable(self.t) if mark in "01")

    @property
    def grades(self) -> Scores:
        """The same trials by their score instead of their pass mark."""
        if not self.s:
            return self.scores
        return tuple(score for score in chain.from_iterable(self.s) if score is not None)

    @property
    def unanswered(self) -> int:
        """The compared trials without an answer."""
        return sum(marks.count("e") for marks in self.t)

    @property
    def history(self) -> Scores:
        """Older trials that were scored."""
        return tuple(float(mark) for mark in self.old if mark in "01")


class BaselinePool(Record, frozen=True):
    """A baseline: its header and its goldens."""

    header: BaselineHeader
    lines: tuple[BaselineLine, ...]

    @property
    def goldens(self) -> dict[str, BaselineLine]:
        return {line.id: line for line in self.lines}

    @property
    def trials(self) -> int:
        """Compared trials of all goldens."""
        return sum(len(line.scores) for line in self.lines)


def write_baseline(pool: BaselinePool, path: Path) -> None:
    """Write the file; a name that ends in .gz is compressed, the same bytes for the same baseline."""
    header = msgspec.structs.replace(pool.header, goldens=len(pool.lines))
    lines = [
        encode(header),
        *(encode(line) for line in sorted(pool.lines, key=lambda line_to_sort: line_to_sort.id)),
    ]
    data = b"\n".join(lines) + b"\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def require_baseline(path: Path) -> None:
    """Raise `InputError` with the reason when a file is not a baseline."""
    if b'"rightcall/baseline/' not in next(_lines(path), b"")[:100_000]:
        raise InputError(
            str(path), "is not a baseline", "`rightcall run SUITE --save-baseline FILE` writes one"
        )


def refuse_other_suite(path: Path, suite: str) -> None:
    """Raise `InputError` when a run of this suite cannot be added to the file."""
    if path.exists() and (other := load_baseline(path).header.suite) != suite:
        raise InputError(
            str(path), f"is a baseline of suite '{other}', not of '{suite}'", "name another file"
        )


def require_passed(pool: BaselinePool) -> None:
    """Raise `InputError` for a baseline in which nothing passed: nothing can be worse, unless scores are compared."""
    if not any(map(sum, (line.scores for line in pool.lines))):
        runs = ", ".join(run.id for run in pool.header.runs)
        hint = f"see why: rightcall analyze {pool.header.runs[0].id}"
        raise InputError(
            f"run {runs}",
            "not saved as a baseline: none of its trials passed, so nothing could be worse",
            hint,
        )


def load_baseline(path: Path) -> BaselinePool:
    """The contents of the file; `InputError` names the line of any problem."""
    path = require_file(path)
    lines = _lines(path)
    first = next(lines, b"")
    header = decode(first, BaselineHeader, f"{path}:1")
    if header.format != FORMAT:
        raise InputError(f"{path}:1", f"format must be '{FORMAT}', got '{header.format}'")
    goldens = tuple(
        decode(line, BaselineLine, f"{path}:{number}") for number, line in enumerate(lines, 2) if line.strip()
    )
    if not header.runs or not goldens:
        raise InputError(str(path), "contains no runs", SAVE_AGAIN)
    if header.goldens > len(goldens):
        raise InputError(
            str(path),
            f"is truncated: it has {len(goldens):,} of {header.goldens:,} goldens",
            SAVE_AGAIN,
        )
    return BaselinePool(msgspec.structs.replace(header, goldens=0), goldens)


def merge_baselines(pools: Iterable[BaselinePool]) -> BaselinePool:
    """One baseline of several of the same suite.

    Runs with the newest inputs are pooled, 10 at most and 30 days back at most; the others become history.
    """
    newest_first = sorted(pools, key=lambda pool: pool.header.runs[0].at, reverse=True)
    if not newest_first:
        raise InputError("baseline", "nothing to merge")
    if len(suites := {pool.header.suite for pool in newest_first}) > 1:
        raise InputError("baseline", f"the files are of different suites: {', '.join(sorted(suites))}")
    pool = newest_first[0]
    for other in newest_first[1:]:
        pool = _with(pool, other)
    return pool


def _with(newer: BaselinePool, older: BaselinePool) -> BaselinePool:
    oldest_kept = datetime.fromisoformat(newer.header.runs[0].at) - timedelta(days=MOST_DAYS)
    have = {run.id for run in newer.header.runs}
    same = newer.header.inputs == older.header.inputs and same_watch(
        newer.header.watched, older.header.watched
    )
    if same and all(run.replayed for run in newer.header.runs):
        return older  # the same recorded answers again are not new trials
    taken = [
        i
        for i, run in enumerate(older.header.runs)
        if same and run.id not in have and datetime.fromisoformat(run.at) >= oldest_kept
    ][: MOST_RUNS - len(newer.header.runs)]
    left = [
        i for i in range(len(older.header.runs)) if i not in taken and older.header.runs[i].id not in have
    ]
    runs = (*newer.header.runs, *(older.header.runs[i] for i in taken))
    passed_over = (*newer.header.older, *(older.header.runs[i] for i in left), *older.header.older)
    before = older.goldens
    lines = tuple(_line(line, before.get(line.id), taken, left) for line in newer.lines)
    watched = join_watches(newer.header.watched, older.header.watched) if taken else newer.header.watched
    header = msgspec.structs.replace(
        newer.header, runs=runs, older=tuple(dict.fromkeys(passed_over)), watched=watched
    )
    return BaselinePool(header, lines)


def _line(line: BaselineLine, before: BaselineLine | None, taken: list[int], left: list[int]) -> BaselineLine:
    if before is None:
        return line
    hard = tuple(sorted({*line.hard, *before.hard}))
    if before.golden != line.golden:
        return msgspec.structs.replace(line, hard=hard)
    confused = dict(line.confused)
    for tool, times in before.confused.items():
        confused[tool] = confused.get(tool, 0) + times
    marks = {i: before.t[i] for i in (*taken, *left) if i < len(before.t)}
    return msgspec.structs.replace(
        line,
        t=(*line.t, *(marks[i] for i in taken if i in marks)),
        s=_join_scores(line, before, [i for i in taken if i in marks]),
        old=line.old + "".join(marks[i] for i in left if i in marks) + before.old,
        hard=hard,
        confused=confused,
        first=distinct_first_requests([*line.first, *(before.first if taken else ())]),
        results=join_marks([line.results, *([before.results] if taken else [])]),
    )


def _join_scores(
    line: BaselineLine, before: BaselineLine, taken: list[int]
) -> tuple[tuple[float | None, ...], ...]:
    if not line.s and not before.s:
        return ()
    return (
        *(line.s or map(_scores_of_marks, line.t)),
        *(before.s[i] if before.s else _scores_of_marks(before.t[i]) for i in taken),
    )


def _scores_of_marks(marks: str) -> tuple[float | None, ...]:
    return tuple(None if mark == "e" else float(mark) for mark in marks)


def _lines(path: Path) -> Iterator[bytes]:
    try:
        if path.suffix == ".gz":
            with gzip.open(path) as file:
                data = file.read(LARGEST + 1)
        else:
            data = path.read_bytes()
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(str(path), f"cannot be read: {error}", SAVE_AGAIN) from None
    if len(data) > LARGEST:
        raise InputError(str(path), "is larger than any baseline")
    yield from data.splitlines()


LONGEST = 60
"""Characters of a result that are kept; of a longer one with a digest of all."""
MOST_CALLS = 20
VARIES = ""
"""In place of a result that differs between trials of one version."""

GENERATED_FIELD = re.compile(
    r"(?:^|_)(?:ids?|uuid|guid|key|token|nonce|etag|hash|reference|timestamp|date|time|at|on)$"
    r"|[a-z](?:Ids?|Uuid|Key|Token|At|On|Date|Time)$"
)
GENERATED_WORD = re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{6,}\b")
"""`TCK-48213`: a number of something new, unless the call named it."""

Marks = dict[str, str]
"""By tool, arguments and repetition: the mark of a result."""


def result_marks(calls: Iterable[ToolCall]) -> Marks:
    """The marks of the first results of a trial."""
    marks: Marks = {}
    times = Counter[str]()
    for call in calls:
        if call.status == "not_run" or len(marks) >= MOST_CALLS:
            continue
        named = call.raw or msgspec.json.encode(call.arguments, enc_hook=repr).decode()
        question = f"{call.name} {hex_digest(_plain(call.arguments, named), 8)}"
        times[question] += 1
        marks[f"{question}{times[question]}"] = _mark(call, named)
    return marks


def join_marks(trials: Iterable[Mapping[str, str]]) -> Marks:
    """The marks of several trials of one version; `VARIES` where they differ."""
    joined: Marks = {}
    for marks in trials:
        for key, mark in marks.items():
            joined[key] = mark if joined.get(key, mark) == mark else VARIES
    return joined


def tool_of(key: str) -> str:
    """The tool whose result a mark is."""
    return key.rpartition(" ")[0]


def mark_excerpts(before: str, now: str) -> tuple[str, str]:
    """Two marks for people: their digests only where nothing else differs."""
    texts = before.rpartition(" #")[0] or before, now.rpartition(" #")[0] or now
    return texts if texts[0] != texts[1] else (before, now)


def _mark(call: ToolCall, named: str) -> str:
    text = _plain(call.output, named)
    shown = one_line(text, LONGEST)
    failed = "error: " if call.status == "error" else ""
    return f"{failed}{shown}" if shown == text else f"{failed}{shown} #{hex_digest(text, 8)}"


def _plain(value: Any, named: str) -> str:
    """The value as text, its fields in one order; what was generated is `…`, unless the call `named` it."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        with suppress(msgspec.DecodeError, RecursionError):
            value = msgspec.json.decode(value)
    masked = _without_volatile(value, named)
    return masked if isinstance(masked, str) else msgspec.json.encode(masked, enc_hook=repr).decode()


def _without_volatile(value: Any, named: str) -> Any:
    if isinstance(value, str):
        steady = CHANGING.sub("…", value)
        return GENERATED_WORD.sub(lambda word: word[0] if word[0] in named else "…", steady)
    if isinstance(value, Mapping):
        fields = {str(name): part for name, part in value.items()}
        generated = sorted(name for name, part in fields.items() if _is_generated(name, part, named))
        steady_fields = {
            name: _without_volatile(fields[name], named) for name in sorted({*fields} - {*generated})
        }
        return steady_fields | dict.fromkeys(generated, "…")
    return [_without_volatile(part, named) for part in value] if isinstance(value, list | tuple) else value


def _is_generated(name: str, value: Any, named: str) -> bool:
    scalar = isinstance(value, str | int | float) and not isinstance(value, bool)
    return scalar and str(value) not in named and GENERATED_FIELD.search(name) is not None
