"""Forms of `evaluate` that are another library's: they work here for one minor version, with a warning."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

from rightcall.core.deprecation import FORMS, warn_deprecated

P = ParamSpec("P")
T = TypeVar("T")


def old_forms(evaluate: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
    """`aevaluate` that hands the forms of `deprecation.FORMS` to the module that has them."""

    @wraps(evaluate)
    def call(*args: P.args, **keywords: P.kwargs) -> Coroutine[Any, Any, T]:
        word = next((word for word in keywords if word in FORMS), "")
        if not word and args and isinstance(args[0], list | tuple):
            word = "test_cases"
        if not word:
            return evaluate(*args, **keywords)
        warn_deprecated(f"rightcall.evaluate({word}=…)", f"{FORMS[word]}.evaluate")
        work: Coroutine[Any, Any, T] = import_module(FORMS[word]).aevaluate(*args, **keywords)
        return work

    return call
