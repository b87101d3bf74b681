"""What stored runs show about tools: which were confused, which parameters were wrong, and how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from rightcall.lint.report import Confusion, Misfilled
from rightcall.model.failure import ARGUMENT_CODES, Failure
from rightcall.model.golden import AnyGolden, Golden
from rightcall.model.run import CaseResult
from rightcall.store.sql.store import Store


def confusions(failures: Iterable[Failure]) -> Counter[tuple[str, str]]:
    """Calls of one case that went to the wrong tool, counted by (expected, called).

    A call counts once, even if a conversation reports it both for its turn and overall. Calls to tools that do not
    exist are not confusions.
    """
    pairs = {
        (failure.call, failure.tool, failure.actual)
        for failure in failures
        if failure.code == "wrong_tool" and isinstance(failure.actual, str)
    }
    return Counter((expected, called) for _, expected, called in pairs)


@dataclass
class RunEvidence:
    """Evidence from one run."""

    run: str
    expected: Counter[str] = field(default_factory=Counter)
    """Trials by the tool they expected."""
    confused: Counter[tuple[str, str]] = field(default_factory=Counter)
    parameters: Counter[tuple[str, str]] = field(default_factory=Counter)

    def confusions(self) -> list[Confusion]:
        """How often one tool was called where another was expected, most frequent first."""
        return [
            Confusion(expected, called, count, self.expected[expected], self.run)
            for (expected, called), count in self.confused.most_common()
        ]

    def misfilled(self) -> list[Misfilled]:
        """How often a parameter was wrong, most frequent first."""
        return [
            Misfilled(tool, parameter, count, max(self.expected[tool], count), self.run)
            for (tool, parameter), count in self.parameters.most_common()
        ]


def read_evidence(store: Store, run: str) -> RunEvidence:
    """Read a run. Trials without an answer from the provider, or without a check, are ignored."""
    stored = store.runs.get(run)
    wanted_by = {golden.id: _tools_expected(golden) for golden in store.runs.goldens(stored.id)}
    seen = RunEvidence(stored.id)
    for result in store.runs.results(stored.id):
        if result.judged:
            _add(seen, result, wanted_by.get(result.golden_id, frozenset()))
    return seen


def _add(seen: RunEvidence, result: CaseResult, expected: frozenset[str]) -> None:
    seen.expected.update(expected)
    seen.confused.update(confusions(result.codes))
    seen.parameters.update(
        {
            (failure.tool, _top(failure))
            for failure in result.codes
            if failure.code in ARGUMENT_CODES and failure.parameter
        }
    )


def queries_of(goldens: list[AnyGolden]) -> list[tuple[str, str]]:
    """User requests with the one tool that answers each, to find tools that are easily confused."""
    return [
        (golden.input, golden.expected_calls[0].tool)
        for golden in goldens
        if isinstance(golden, Golden)
        and len(golden.expected_calls) == 1
        and isinstance(golden.expected_calls[0].tool, str)
    ]


def _top(failure: Failure) -> str:
    """The name of the parameter when the failure concerns part of its value."""
    return failure.parameter.lstrip("/").split("/")[0].split(".")[0].split("[")[0]


def _tools_expected(golden: AnyGolden) -> frozenset[str]:
    turns = () if isinstance(golden, Golden) else golden.turns
    calls = [*golden.expected_calls, *(call for turn in turns for call in turn.expected_calls or ())]
    return frozenset(call.tool for call in calls if isinstance(call.tool, str))
