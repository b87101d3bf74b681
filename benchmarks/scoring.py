"""Cases per second that one process scores, with every number and code.

    python -m benchmarks scoring [--cases 20000]

Processor time, best of five. The goal is 300,000 cases of one call a second on an idle 2-core machine, on which
the bare comparison does three million or more.
"""

from __future__ import annotations

import argparse
from typing import Any

from benchmarks.bare_loop import EXPECTED, bare_comparison, cpu_seconds, line
from rightcall.metrics.case_result import result_of, score_trajectory
from rightcall.records import ExpectedCall, Golden, ToolCall, Trajectory

Case = tuple[Golden, Trajectory]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks scoring")
    parser.add_argument("--cases", type=int, default=20_000)
    count = parser.parse_args().cases
    bare = bare_comparison()
    print(line("bare dict comparison", bare, bare))
    for label, kinds, share in (
        ("one call, all right", [one_call(True)], 1.0),
        ("one call, 2 of 10 wrong", [one_call(n not in (0, 5), tool=n == 5) for n in range(10)], 1.0),
        ("one call, all wrong", [one_call(False)], 0.5),
        ("five calls in any order, one wrong", [five_calls()], 0.1),
        ("five calls in a strict order", [five_calls(order="strict")], 0.1),
        ("six duplicates of one call", [duplicates()], 0.1),
        ("a graph of eight calls", [graph()], 0.05),
    ):
        cases = kinds * max(1, int(count * share) // len(kinds))
        print(line(label, judged(cases), bare))
        if label.startswith("one call, 2"):
            print(line("  the same with its result of 12 scores", with_result(cases), bare))


def judged(cases: list[Case]) -> float:
    def loop() -> None:
        for golden, trajectory in cases:
            score_trajectory(golden, trajectory)

    return cpu_seconds(loop) / len(cases)


def with_result(cases: list[Case]) -> float:
    def loop() -> None:
        for golden, trajectory in cases:
            result_of(golden, 0, trajectory, {})

    return cpu_seconds(loop) / len(cases)


def one_call(right: bool, tool: bool = False) -> Case:
    arguments = dict(EXPECTED) if right or tool else {**EXPECTED, "city": "Hue"}
    name = "get_forecast" if tool else "get_weather"
    return golden(ExpectedCall("get_weather", dict(EXPECTED))), done(ToolCall(name, arguments))


def five_calls(**fields: Any) -> Case:
    expected = [ExpectedCall("get_weather", {**EXPECTED, "days": n}) for n in range(5)]
    calls = [ToolCall("get_weather", {**EXPECTED, "days": n}, step=n) for n in (0, 1, 2, 3, 9)]
    return golden(*expected, **fields), done(*calls if fields else reversed(calls))


def duplicates() -> Case:
    return golden(*[ExpectedCall("ping", {})] * 6), done(*[ToolCall("ping", {})] * 7)


def graph() -> Case:
    after: list[tuple[str, ...]] = [(), ("0",), ("0",), ("1", "2"), ("3",), ("3",), ("4", "5"), ("6",)]
    expected = [ExpectedCall("work", {"n": n}, id=str(n), after=edges) for n, edges in enumerate(after)]
    calls = [ToolCall("work", {"n": n}, step=at) for at, n in enumerate((0, 2, 1, 3, 5, 4, 6, 7))]
    return golden(*expected), done(*calls)


def golden(*expected: ExpectedCall, **fields: Any) -> Golden:
    return Golden("Weather?", id="g", expected_calls=expected, **fields)


def done(*calls: ToolCall) -> Trajectory:
    return Trajectory(calls=calls)


if __name__ == "__main__":
    main()
