"""`log_hyperparameters` of DeepEval, which decorates a function of a test file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Logged = Callable[[], Mapping[str, Any]]


def log_hyperparameters(function: Logged | None = None, **fields: Any) -> Any:
    """The function as it is, with or without arguments of the decorator.

    Nothing is stored: DeepEval adds them to its test run. `evaluate(hyperparameters={…})` stores them with a run here.
    """
    return (lambda decorated: decorated) if function is None else function
