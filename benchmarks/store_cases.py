"""Results of the size real ones have, made from a number: a system prompt, one call, its result, an answer."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.records import (
    CaseResult,
    Failure,
    Golden,
    Message,
    Run,
    Score,
    ToolCall,
    ToolResult,
    Trajectory,
    Usage,
)

METRICS = (
    *("call_precision", "call_recall", "call_f1", "call_soft_f1", "tool_precision", "tool_recall", "tool_f1"),
    *("parameter_accuracy", "order", "content", "latency", "overall"),
)
SYSTEM = (
    "You are a weather assistant. Answer with the tools you have; ask when a city is not clear; never guess a "
    "temperature. Give forecasts in the unit the user speaks in, name the hours, and keep to three sentences. "
)


def run(number: int) -> Run:
    """A run of a suite that is repeated every night."""
    day = f"20{10 + number // 336:02}-{1 + number // 28 % 12:02}-{1 + number % 28:02}"
    return Run(
        f"run-{number:05}",
        f"suite-{number % 7}",
        f"{day}T02:00:00.000000Z",
        agent="openai:gpt",
        group="nightly",
    )


def golden(number: int) -> Golden:
    """A golden with an id of its own."""
    return Golden(f"Give me the 5-day forecast for city {number}", id=f"forecast-{number:06}")


def results(count: int) -> Iterator[CaseResult]:
    """As many results, every ninth of them a failure."""
    return (result(number) for number in range(count))


def result(number: int) -> CaseResult:
    """One result with twelve scores and a transcript of about 1.5 KB."""
    passed = number % 9 != 0
    failures = () if passed else (Failure("wrong_value", "get_forecast", "days", 5, 3, "expected 5, got 3"),)
    scores = {
        name: Score(1.0, True) if passed else Score(0.5, False, "days: expected 5, got 3") for name in METRICS
    }
    return CaseResult(
        golden(number).id, 0, passed, 1.0 if passed else 0.5, scores, failures,
        latency_ms=812.25, usage=Usage(812, 44, 0.00125), trajectory=trajectory(number),
    )  # fmt: skip


def trajectory(number: int) -> Trajectory:
    """What the agent did: one call and an answer."""
    forecast = {
        "days": [{"day": day, "celsius": (number * 7 + day) % 40, "sky": "clear"} for day in range(5)]
    }
    arguments = {"city": f"city {number}", "days": 5}
    call = ToolCall("get_forecast", arguments, id=f"call_{number:08x}", step=0)
    done = ToolCall(
        "get_forecast", arguments, id=call.id, step=0, status="ok", output=forecast, latency_ms=3.5
    )
    return Trajectory(
        messages=(
            Message("system", SYSTEM * 2),
            Message("user", golden(number).input),
            Message("assistant", calls=(call,)),
            Message("tool", results=(ToolResult(call.id, forecast),)),
            Message("assistant", f"City {number} stays clear for five days."),
        ),
        calls=(done,),
        output=f"City {number} stays clear for five days.",
        usage=Usage(812, 44, 0.00125),
        latency_ms=812.25,
    )
