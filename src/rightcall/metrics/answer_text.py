"""Metrics of the answer's text that DeepEval has too: equal to the expected one, a pattern, JSON of a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from rightcall.core.errors import ConfigError, InputError
from rightcall.metrics.base import Metric, require_threshold
from rightcall.model.case import TestCase
from rightcall.model.score import Score
from rightcall.tools.definitions.validate import fullmatch


@dataclass(frozen=True)
class AnswerText(Metric):
    """A metric of the answer, which must not be empty."""

    threshold: float = 1.0

    def __post_init__(self) -> None:
        require_threshold(self.name, self.threshold)

    def nothing_to_check(self, case: TestCase) -> str:
        return "" if case.trajectory.output else "there is no answer"


@dataclass(frozen=True)
class ExactMatch(AnswerText):
    """Whether the answer is the expected one, apart from spaces around it."""

    reads_expected_output: ClassVar[bool] = True

    def nothing_to_check(self, case: TestCase) -> str:
        if case.golden.expected_output is None:
            return "the golden has no expected_output"
        return super().nothing_to_check(case)

    def measure(self, case: TestCase) -> Score:
        equal = case.trajectory.output.strip() == (case.golden.expected_output or "").strip()
        why = "the answer is the expected one" if equal else "the answer differs from the expected one"
        return Score(float(equal), equal, why)


@dataclass(frozen=True)
class PatternMatch(AnswerText):
    """Whether a regular expression matches the whole answer, apart from spaces around it.

    It cannot hang, whatever a model answers: the syntax is that of the matcher `regex`.
    """

    pattern: str = ""
    ignore_case: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            self._matches("")
        except InputError as error:
            raise ConfigError(f"pattern_match: {error}") from None

    def measure(self, case: TestCase) -> Score:
        matches = self._matches(case.trajectory.output.strip())
        verb = "matches" if matches else "does not match"
        return Score(float(matches), matches, f"the answer {verb} {self.pattern}")

    def _matches(self, text: str) -> bool:
        return fullmatch(f"(?i){self.pattern}" if self.ignore_case else self.pattern)(text)


@dataclass(frozen=True)
class JsonCorrectness(AnswerText):
    """Whether the answer is JSON that a Pydantic model accepts."""

    expected_schema: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not hasattr(self.expected_schema, "model_validate_json"):
            raise ConfigError("json_correctness: expected_schema must be a Pydantic model")

    def measure(self, case: TestCase) -> Score:
        try:
            self.expected_schema.model_validate_json(case.trajectory.output)
        except ValueError as error:  # Pydantic's errors are
            return Score(0.0, False, str(error))
        return Score(1.0, True, "the answer is JSON of the expected form")
