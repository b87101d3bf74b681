"""Runs and results to store."""

from __future__ import annotations

import itertools
import os

from rightcall.records import CaseResult, Failure, Message, Run, Score, ToolCall, Trajectory, Usage

_counter = itertools.count()


def a_run(run_id: str = "", **fields) -> Run:
    """A run with a unique id."""
    run_id = run_id or f"run-{os.getpid()}-{next(_counter):06}"
    return Run(run_id, **({"name": "weather", "started_at": "2026-01-02T03:04:05.000000Z"} | fields))


def a_result(golden_id: str = "hue", trial: int = 0, *, passed: bool = True, **fields) -> CaseResult:
    """A result with two scores, a failure when it did not pass, and a transcript."""
    value = 1.0 if passed else 0.25
    failures = () if passed else (Failure("wrong_value", "get_weather", "city", "Hue", "Hanoi", call=0),)
    call = ToolCall("get_weather", {"city": "Huế", "n": 10**30}, id="c1", step=0, status="ok", latency_ms=3.5)
    known = {
        "metrics": {
            "overall": Score(value, passed, "" if passed else "city"),
            "call_f1": Score(value, passed),
        },
        "codes": failures,
        "latency_ms": 12.5,
        "usage": Usage(100, 20, 0.25),
        "trajectory": Trajectory(
            (Message("user", "weather? " * 40), Message("assistant", calls=(call,))), (call,)
        ),
    }
    return CaseResult(golden_id, trial, passed, value, **(known | fields))
