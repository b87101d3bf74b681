"""DeepEval's configurations of `evaluate`. `AsyncConfig.max_concurrent` counts; the others are accepted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class AsyncConfig:
    """How many test cases are scored at once."""

    run_async: bool = True
    throttle_value: float = 0
    max_concurrent: int = 20


class IgnoredSettings:
    """Settings of DeepEval that change nothing here."""

    def __init__(self, **settings: object) -> None:
        pass


class DisplayConfig(IgnoredSettings):
    """What DeepEval prints and writes: the returned run and `rightcall runs report` show results."""


class CacheConfig(IgnoredSettings):
    """What DeepEval caches: the verdicts of judges are kept by content."""


@dataclass
class ErrorConfig:
    """What happens when a metric breaks: its case is always an error, and the other cases are scored.

    `skip_on_missing_params` is refused by `evaluate`: a metric without its data is an error, never skipped.
    """

    ignore_errors: bool = False
    skip_on_missing_params: bool = False
