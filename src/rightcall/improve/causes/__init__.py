"""Causes: a closed list, by what they are about (those determined by a code share `by_code`).

A cause is a function of `evidence`, named as in `improve.hypothesis.Cause`, which returns a `Hypothesis` for every
supported place. How likely each is, given all of them, is decided in `improve.rank`. To add one: its function in a
file here, and its name in `Cause`.

    cases         causes in the whole set of tools, in a golden, and those determined by the failure code
    choices       shared by tool selection causes: misses, their targets, and how well descriptions cover requests
    descriptions  causes in the name or the text of one tool or skill
    pairs         causes in two tools, skills or agents that are taken for each other
    parameters    causes in the definition of a parameter, and in what the request says about it
    sources       causes in where a value comes from: another call, an error of a tool, the agent that gave the work
    values        causes in the form of a value: what the schema does not list, convert, type or spell
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Literal, get_args

from rightcall.improve.hypothesis import Cause

if TYPE_CHECKING:
    from rightcall.improve.evidence import Evidence
    from rightcall.improve.hypothesis import Hypothesis


@cache
def causes() -> Mapping[Cause | Literal["by_code"], Callable[[Evidence], Iterator[Hypothesis]]]:
    """The causes that have a function, in the order of `Cause`; then those determined by a code."""
    functions: dict[str, Callable[[Evidence], Iterator[Hypothesis]]] = {}
    for file in iter_modules(__path__):
        functions |= vars(import_module(f"{__name__}.{file.name}"))
    names: tuple[Cause | Literal["by_code"], ...] = (*get_args(Cause), "by_code")
    return {name: functions[name] for name in names if name in functions}


def all_hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    """All hypotheses; those determined by a code name their cause themselves."""
    for name, hypotheses in causes().items():
        for hypothesis in hypotheses(evidence):
            yield hypothesis if name == "by_code" else replace(hypothesis, cause=name)
