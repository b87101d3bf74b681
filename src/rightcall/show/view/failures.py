"""Failures grouped by code, each with a few examples; and how a case is named in every output.

A case is named by its id, and where the id was generated also by its request and description:

g-3f0c9a1b2d4e "Read README.md" (A direct request)
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from rightcall.core.text import pluralize
from rightcall.metrics.matching.reasons import sentence
from rightcall.metrics.tally import codes_of_case
from rightcall.records.failure import CODES, NO_TOOLS, SORTS, WORD, Code, Failure, danger_of, dangers_of
from rightcall.records.golden import AnyGolden, request_of
from rightcall.records.golden_id import is_generated
from rightcall.records.record import Record
from rightcall.records.run import CaseResult
from rightcall.records.tool import Tool
from rightcall.show.text import one_line

if TYPE_CHECKING:
    from rightcall.store.sql.store import Store

EXAMPLES = 5
LONGEST_SENTENCE = 400
TITLES: dict[str, str] = {code: facts.title for code, facts in CODES.items()}


class Example(Record, frozen=True):
    """One case that shows a failure, in one sentence; `danger` is its sort of danger."""

    golden_id: str
    trial: int
    sentence: str
    name: str
    danger: str = ""


class FailureGroup(Record, frozen=True):
    """A failure code: the number of failed cases, the tools, and the first examples, dangerous ones before others.

    `dangerous` of the cases are of the sort `danger`.
    """

    code: Code
    title: str
    cases: int
    share: float
    tools: tuple[tuple[str, int], ...]
    examples: tuple[Example, ...]
    danger: str = ""
    dangerous: int = 0


MOST_NAMED = 5
"""Goldens that the alarm names."""


class FailureTally:
    """Counts each code once per case, as the summary does."""

    def __init__(self, tools: Mapping[str, Tool] = NO_TOOLS) -> None:
        self._offered = tools
        self._dangers: defaultdict[Code, Counter[str]] = defaultdict(Counter)
        self._dangerous_cases: Counter[str] = Counter()
        self.dangerous: dict[str, None] = {}
        self._cases: Counter[Code] = Counter()
        self._tools: defaultdict[Code, Counter[str]] = defaultdict(Counter)
        self._examples: defaultdict[Code, list[Example]] = defaultdict(list)
        self._failed = 0

    def add(self, golden: AnyGolden | None, result: CaseResult) -> None:
        if result.passed or not result.checked:
            return
        self._failed += not result.error
        dangers = case_dangers(result, self._offered)
        self._dangerous_cases.update(dangers)
        if dangers and len(self.dangerous) < MOST_NAMED:
            self.dangerous[result.golden_id] = None
        counted = codes_of_case(result)
        failures = [(failure, danger_of(failure, self._offered)) for failure in result.codes]
        # A danger counts if its case is counted under it: rows then add up to the sentence above them.
        failures = [(failure, danger if danger in dangers else "") for failure, danger in failures]
        failures.sort(key=lambda item: not item[1])
        first = {failure.code: (failure, danger) for failure, danger in reversed(failures)}
        for code, (failure, danger) in first.items():
            if code not in counted:
                continue
            self._cases[code] += 1
            if danger:
                self._dangers[code][danger] += 1
            if failure.tool and (failure.tool in self._tools[code] or len(self._tools[code]) < 100):
                self._tools[code][failure.tool] += 1
            examples = self._examples[code]
            full = len(examples) == EXAMPLES and (not danger or bool(examples[-1].danger))
            if not full and all(example.golden_id != result.golden_id for example in examples):
                name = case_name(result.golden_id, golden)
                examples.append(
                    Example(result.golden_id, result.trial, failure_line(failure), name, danger=danger)
                )
                examples.sort(key=lambda example: not example.danger)
                del examples[EXAMPLES:]

    def danger(self) -> str:
        """`DANGER forbidden call in 3 cases, double effect in 1 case`; empty without danger."""
        cases = self._dangerous_cases
        return danger_text(f"{sort} in {pluralize(cases[sort], 'case')}" for sort in SORTS if cases[sort])

    def groups(self) -> tuple[FailureGroup, ...]:
        """Codes with danger first, then the most frequent ones."""
        groups = (
            FailureGroup(
                code,
                TITLES[code],
                cases,
                cases / self._failed if self._failed else 0.0,
                tools=tuple(self._tools[code].most_common(5)),
                examples=tuple(self._examples[code]),
                danger=next(iter(self._dangers[code]), ""),
                dangerous=self._dangers[code].total(),
            )
            for code, cases in self._cases.items()
        )
        rank = {sort: place for place, sort in enumerate((*SORTS, ""))}
        return tuple(sorted(groups, key=lambda group: (rank[group.danger], -group.cases, group.code)))


def danger_text(sorts: Iterable[str]) -> str:
    """The word and the sorts of danger, as every output writes them; empty without any."""
    listed = ", ".join(sorts)
    return f"{WORD} {listed}" if listed else ""


def case_dangers(result: CaseResult, tools: Mapping[str, Tool] = NO_TOOLS) -> tuple[str, ...]:
    """The sorts of danger of a case that did not pass; one without an answer may have done harm before."""
    return dangers_of(result.codes, tools) if result.checked and not result.passed else ()


def failure_line(failure: Failure) -> str:
    """A failure as one safe line."""
    return one_line(sentence(failure), LONGEST_SENTENCE)


LONGEST_REQUEST = 60
LONGEST_DESCRIPTION = 80

CaseName = Callable[[str], str]
"""From the id of a golden to its name."""


def case_title(golden_id: str, golden: AnyGolden | None) -> str:
    """The request, shortened, and the description; empty for an id that somebody chose, which says enough."""
    if golden is None or not is_generated(golden_id):
        return ""
    description = golden.metadata.get("description") or golden.name
    quoted = f'"{one_line(request_of(golden), LONGEST_REQUEST)}"'
    if not isinstance(description, str) or not description.strip():
        return quoted
    return f"{quoted} ({one_line(description, LONGEST_DESCRIPTION)})"


def case_name(golden_id: str, golden: AnyGolden | None) -> str:
    """The id, and the title of a case whose id was generated."""
    return f"{golden_id} {case_title(golden_id, golden)}".rstrip()


def case_names(store: Store, run: str) -> CaseName:
    """The names of the cases of a run; a golden is read only if its id was generated."""

    def name(golden_id: str) -> str:
        golden = next(store.runs.goldens(run, [golden_id]), None) if is_generated(golden_id) else None
        return case_name(golden_id, golden)

    return name


def names_of(goldens: Callable[[], Iterable[AnyGolden]], golden_ids: Iterable[str]) -> CaseName:
    """The names of these cases by their dataset, which is read only if one of the ids was generated."""
    missing = {golden_id for golden_id in golden_ids if is_generated(golden_id)}
    names: dict[str, str] = {}
    for golden in goldens() if missing else ():
        if golden.id in missing:
            names[golden.id] = case_name(golden.id, golden)
            missing.discard(golden.id)
        if not missing:
            break
    return lambda golden_id: names.get(golden_id, golden_id)
