"""DeepEval's configurations of `evaluate`. `AsyncConfig.max_concurrent` counts; the others are accepted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class AsyncConfig:
    """How many test cases are scored at once."""

    run_async: bool = True
    throttle_value: float = 0
    max_concurrent: int = 20


@dataclass
class DisplayConfig:
    """What DeepEval prints and writes. Nothing is printed here: use the returned run, or `rightcall runs report`."""

    show_indicator: bool = True
    print_results: bool = True
    verbose_mode: bool | None = None
    display_option: object = None
    results_folder: str | None = None
    results_subfolder: str | None = None
    truncate_passing_cases: bool = True
    inspect_after_run: bool = True
    file_type: str | None = None
    file_output_dir: str | None = None


@dataclass
class CacheConfig:
    """What DeepEval caches. Here the verdicts of judges are kept by content."""

    write_cache: bool = True
    use_cache: bool = False


@dataclass
class ErrorConfig:
    """What happens when a metric breaks: its case is always an error, and the other cases are scored.

    `skip_on_missing_params` is refused by `evaluate`: a metric without its data is an error, never skipped.
    """

    ignore_errors: bool = False
    skip_on_missing_params: bool = False
