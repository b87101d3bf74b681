"""Failures grouped by code, each with a few examples."""

from __future__ import annotations

from collections import Counter, defaultdict

from rightcall.metrics.matching.reasons import sentence
from rightcall.metrics.tally import codes_of_case
from rightcall.model.failure import CODES, Code, Failure
from rightcall.model.golden import AnyGolden
from rightcall.model.record import Record
from rightcall.model.run import CaseResult
from rightcall.show.text import one_line
from rightcall.show.view.case_names import case_name

EXAMPLES = 5
LONGEST_SENTENCE = 400
TITLES = {code: facts.title for code, facts in CODES.items()}


class Example(Record, frozen=True):
    """One case that shows a failure, in one sentence."""

    golden_id: str
    trial: int
    sentence: str
    name: str


class FailureGroup(Record, frozen=True):
    """A failure code: the number of failed cases, the tools, and the first examples."""

    code: Code
    title: str
    cases: int
    share: float
    tools: tuple[tuple[str, int], ...]
    examples: tuple[Example, ...]


class FailureTally:
    """Counts each code once per case, as the summary does."""

    def __init__(self) -> None:
        self._cases: Counter[Code] = Counter()
        self._tools: defaultdict[Code, Counter[str]] = defaultdict(Counter)
        self._examples: defaultdict[Code, list[Example]] = defaultdict(list)
        self._failed = 0

    def add(self, golden: AnyGolden | None, result: CaseResult) -> None:
        if result.passed or not result.checked:
            return
        self._failed += not result.error
        counted = codes_of_case(result)
        first = {failure.code: failure for failure in reversed(result.codes) if failure.code in counted}
        for code, failure in first.items():
            self._cases[code] += 1
            if failure.tool and (failure.tool in self._tools[code] or len(self._tools[code]) < 100):
                self._tools[code][failure.tool] += 1
            examples = self._examples[code]
            if len(examples) < EXAMPLES and all(
                example.golden_id != result.golden_id for example in examples
            ):
                name = case_name(result.golden_id, golden)
                examples.append(Example(result.golden_id, result.trial, failure_line(failure), name))

    def groups(self) -> tuple[FailureGroup, ...]:
        """The most frequent code first."""
        return tuple(
            FailureGroup(
                code,
                TITLES[code],
                cases,
                cases / self._failed if self._failed else 0.0,
                tuple(self._tools[code].most_common(5)),
                tuple(self._examples[code]),
            )
            for code, cases in sorted(self._cases.items(), key=lambda item: (-item[1], item[0]))
        )


def failure_line(failure: Failure) -> str:
    """A failure as one safe line."""
    return one_line(sentence(failure), LONGEST_SENTENCE)
