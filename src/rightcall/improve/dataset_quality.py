"""What a dataset contains, and its quality as a test: coverage, near-duplicates, leaked tool names, easy goldens."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rightcall.core.errors import InputError
from rightcall.core.text import percent
from rightcall.datasets.near_duplicates import NearTexts
from rightcall.metrics.matching.expectation import pattern_text
from rightcall.metrics.matching.judge_case import score_calls
from rightcall.providers.base import ModelRequest, Prompt
from rightcall.providers.keyword import KeywordProvider
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.golden import AnyGolden, Golden, counted_category, expectations_of, request_of
from rightcall.records.message import Message
from rightcall.records.record import Record
from rightcall.records.run import CaseResult
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Trajectory
from rightcall.run.golden_check import DatasetFinding
from rightcall.tools.definitions.offer import tools_for

MOST_COMPARED = 100_000
"""Maximum number of goldens searched for near-duplicates; the trigrams of each are kept."""

FEW_NEGATIVES = 0.1
LOPSIDED = 0.5
EASY = 0.5


class Coverage(Record, frozen=True):
    """Tools, parameters and enum values that are never expected."""

    tools: int
    parameters: int
    values: int
    missing_tools: tuple[str, ...] = ()
    missing_parameters: tuple[str, ...] = ()
    missing_values: tuple[str, ...] = ()


class Quality(Record, frozen=True):
    """Counts over a dataset. `easy` are the goldens that the `keyword:` baseline passes without a model.

    `difficulty` counts goldens by how often they passed in the runs that were looked at: always, sometimes, never.
    """

    goldens: int
    categories: dict[str, int]
    coverage: Coverage
    duplicates: int
    leaks: int
    easy: int
    compared: int
    advice: tuple[str, ...] = ()
    difficulty: dict[str, int] = {}


class QualityCheck:
    """Examines goldens one at a time; `quality` returns the totals."""

    def __init__(self, tools: Mapping[str, Tool]) -> None:
        self._tools = tools
        self._count = self._duplicates = self._leaks = self._easy = self._judged = 0
        self._categories: Counter[str] = Counter()
        self._expected: Counter[str] = Counter()
        self._parameters: set[tuple[str, str]] = set()
        self._values: set[tuple[str, str, str]] = set()
        self._near = NearTexts()

    def findings(self, goldens: Iterable[tuple[str, AnyGolden]]) -> Iterator[DatasetFinding]:
        """Findings about single goldens: near-duplicates, leaked tool names, goldens that are too easy."""
        baseline = KeywordProvider()
        with asyncio.Runner() as loop:
            for where, golden in goldens:
                self._count += 1
                self._categories[counted_category(golden)] += 1
                for call in expectations_of(golden):
                    self._cover(call)
                for code, message, hint in (*self._repeats(golden, where), *self._find_leaks(golden)):
                    yield DatasetFinding(where, golden.id, "warning", code, message=message, hint=hint)
                if self._tools and isinstance(golden, Golden) and _asks_something(golden):
                    self._judged += 1
                    if loop.run(_passes(baseline, golden, tools_for(golden, self._tools))):
                        self._easy += 1
                        message = "the keyword baseline passes it, so it needs no understanding"
                        yield DatasetFinding(
                            where,
                            golden.id,
                            "warning",
                            "too_easy",
                            message=message,
                            hint="rephrase it less literally",
                        )

    def quality(self, past: Iterable[CaseResult] = ()) -> Quality:
        """The totals over all goldens; `past` are results of earlier runs on them."""
        coverage = self._coverage()
        return Quality(
            goldens=self._count,
            categories=dict(self._categories.most_common()),
            coverage=coverage,
            duplicates=self._duplicates,
            leaks=self._leaks,
            easy=self._easy,
            compared=min(self._count, MOST_COMPARED),
            advice=tuple(self._advice(coverage)),
            difficulty=difficulty(past),
        )

    def _cover(self, call: ExpectedCall) -> None:
        names = (
            [call.tool] if isinstance(call.tool, str) else [] if isinstance(call.tool, dict) else call.tool
        )
        for name in names:
            self._expected[name] += 1
            for parameter, spec in (call.args or {}).items():
                self._parameters.add((name, parameter))
                self._values.update((name, parameter, str(value)) for value in _plain_values(spec))

    def _repeats(self, golden: AnyGolden, where: str) -> Iterator[tuple[str, str, str]]:
        if self._count > MOST_COMPARED:
            return
        earlier = self._near.earlier(f"'{golden.id}' ({where})", request_of(golden))
        if earlier is not None:
            self._duplicates += 1
            yield (
                "near_duplicate",
                f"{percent(earlier[1], 0)} the same words as {earlier[0]}",
                "remove one, or give both the same cluster",
            )

    def _find_leaks(self, golden: AnyGolden) -> Iterator[tuple[str, str, str]]:
        text = request_of(golden)
        for call in expectations_of(golden):
            if isinstance(call.tool, str) and names_tool(text, call.tool):
                self._leaks += 1
                yield (
                    "leaks_tool_name",
                    f"the input names the tool {call.tool}, so choosing it proves little",
                    "use a user's words",
                )
                return

    def _coverage(self) -> Coverage:
        parameters = [(tool.name, name) for tool in self._tools.values() for name in tool.parameters]
        values = [
            (tool.name, name, str(value))
            for tool in self._tools.values()
            for name, schema in tool.parameters.items()
            for value in _enum(schema)
        ]
        return Coverage(
            tools=len(self._tools),
            parameters=len(parameters),
            values=len(values),
            missing_tools=tuple(name for name in self._tools if not self._expected[name]),
            missing_parameters=tuple(".".join(p) for p in parameters if p not in self._parameters),
            missing_values=tuple(f"{t}.{p}={v}" for t, p, v in values if (t, p, v) not in self._values),
        )

    def _advice(self, coverage: Coverage) -> Iterator[str]:
        if self._count and self._categories["negative"] < FEW_NEGATIVES * self._count:
            negative = self._categories["negative"] / self._count
            yield f"{percent(negative, 0)} of the goldens are negative: add requests for which no tool should be called"
        total = self._expected.total()
        for name, times in self._expected.most_common(1):
            if len(self._tools) > 2 and times > LOPSIDED * total:
                share = percent(times / total, 0)
                yield f"{share} of all expected calls are to {name}; the other tools are hardly tested"
        if self._judged and self._easy > EASY * self._judged:
            yield f"the keyword baseline passes {self._easy:,} of {self._judged:,} goldens: make them harder"
        if coverage.missing_tools:
            yield f"{len(coverage.missing_tools):,} of {coverage.tools:,} tools are never expected"


def difficulty(past: Iterable[CaseResult]) -> dict[str, int]:
    """Goldens that always, sometimes or never passed; errors do not count."""
    trials: dict[str, list[bool]] = {}
    for result in past:
        if result.judged:
            trials.setdefault(result.golden_id, []).append(result.passed)
    words = Counter("always" if all(t) else "sometimes" if any(t) else "never" for t in trials.values())
    return {word: words[word] for word in ("always", "sometimes", "never") if trials}


def names_tool(text: str, tool: str) -> bool:
    """Whether a text contains a tool's name: verbatim, or as its two or more words in a row."""
    if re.search(rf"(?<!\w){re.escape(tool)}(?!\w)", text) and re.search(r"[_\-A-Z.]", tool):
        return True
    words = re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", tool)
    if len(words) < 2:
        return False
    in_a_row = r"[\s_-]+".join(map(re.escape, words))
    return re.search(rf"(?<!\w){in_a_row}(?!\w)", text, re.IGNORECASE) is not None


def _asks_something(golden: Golden) -> bool:
    return bool(golden.expected_calls or golden.any_of or golden.no_calls or golden.category == "negative")


async def _passes(baseline: KeywordProvider, golden: Golden, tools: Mapping[str, Tool]) -> bool:
    request = ModelRequest(Prompt(tools=tuple(tools.values())), (Message("user", golden.input),), golden.id)
    reply = await baseline.complete(request)
    trajectory = Trajectory(calls=reply.message.calls, output=reply.message.content)
    try:
        return score_calls(golden, trajectory, tools).passed
    except InputError:  # a golden that cannot be scored is not easy; `dataset check` reports it
        return False


def _plain_values(spec: Any) -> list[Any]:
    if isinstance(spec, dict):
        inner = spec.get("exact", spec.get("one_of", spec.get("any_of", ())))
        return list(inner) if isinstance(inner, list | tuple) else [inner]
    return list(spec) if isinstance(spec, list) else [spec]


def _enum(schema: Any) -> list[Any]:
    values = schema.get("enum") if isinstance(schema, dict) else None
    return values if isinstance(values, list) else []


class DatasetStatistics(Record, frozen=True):
    """Counts over goldens. `tools` counts expected calls by tool; `calls_per_golden` how many goldens expect n."""

    goldens: int
    kind: str
    categories: dict[str, int]
    calls_per_golden: dict[int, int]
    tools: dict[str, int]
    forbidden: dict[str, int]
    tags: dict[str, int]
    clusters: int
    without_expectation: int
    mean_input_characters: float


class DatasetCounts:
    """Counts goldens as they are read."""

    def __init__(self) -> None:
        self._categories: Counter[str] = Counter()
        self._sizes: Counter[int] = Counter()
        self._tools: Counter[str] = Counter()
        self._forbidden: Counter[str] = Counter()
        self._tags: Counter[str] = Counter()
        self._clusters: set[str] = set()
        self._characters = self._bare = self._goldens = 0
        self._kind = "empty"

    def watch(self, goldens: Iterable[tuple[str, AnyGolden]]) -> Iterator[tuple[str, AnyGolden]]:
        """The same goldens, each counted before it is handed on."""
        for where, golden in goldens:
            self.add(golden)
            yield where, golden

    def add(self, golden: AnyGolden) -> None:
        """Count a golden."""
        self._goldens += 1
        self._kind = "single turn" if isinstance(golden, Golden) else "conversations"
        self._characters += len(request_of(golden))
        self._categories[counted_category(golden)] += 1
        self._sizes[len(golden.expected_calls)] += 1
        self._tools.update(pattern_text(call.tool) for call in golden.expected_calls)
        self._forbidden.update(map(pattern_text, golden.forbidden_calls))
        self._tags.update(golden.tags)
        self._bare += not (golden.expected_calls or golden.forbidden_calls or golden.no_calls)
        if golden.cluster is not None:
            self._clusters.add(golden.cluster)

    def statistics(self) -> DatasetStatistics:
        """What was counted so far."""
        return DatasetStatistics(
            goldens=self._goldens,
            kind=self._kind,
            categories=dict(self._categories.most_common()),
            calls_per_golden=dict(sorted(self._sizes.items())),
            tools=dict(self._tools.most_common()),
            forbidden=dict(self._forbidden.most_common()),
            tags=dict(self._tags.most_common()),
            clusters=len(self._clusters),
            without_expectation=self._bare,
            mean_input_characters=self._characters / self._goldens if self._goldens else 0.0,
        )
