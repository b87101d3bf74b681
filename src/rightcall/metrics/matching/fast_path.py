"""Fast paths: cases with exactly the expected calls, and cases with one expected and one actual call.

Half of all cases have one call; they are decided without the solver.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rightcall.metrics.matching.equality import identical_arguments, same
from rightcall.metrics.matching.expectation import NO_DEFAULTS, PLAIN
from rightcall.metrics.matching.explain import kind_of, schema_violations
from rightcall.metrics.matching.verdict import CaseVerdict, Numbers
from rightcall.model.call import ToolCall
from rightcall.model.failure import Code, Failure
from rightcall.model.golden import ExpectedCall, Golden
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Trajectory

_VERDICTS: dict[int, CaseVerdict] = {}


def flawless(calls: int) -> CaseVerdict:
    """The verdict of a case in which exactly the expected calls were made; one object for all such cases."""
    known = _VERDICTS.get(calls)
    if known is None:
        known = _VERDICTS.setdefault(calls, CaseVerdict(True, 1.0, Numbers(calls, 0, 0, 0)))
    return known


def is_flawless(golden: Golden, trajectory: Trajectory) -> bool:
    """Whether the calls equal the expected ones, one to one, as written. False means "undecided"."""
    expected, calls = golden.expected_calls, trajectory.calls
    if len(expected) != len(calls):
        return False
    for wanted, call in zip(expected, calls):  # noqa: B905  of one length; `strict` takes time for every case
        args, arguments = wanted.args, call.arguments
        if (
            wanted.tool != call.name
            or args is None
            or arguments is None
            or not identical_arguments(args, arguments)
            or not is_ordinary(wanted)
            or wanted.forbidden_args
        ):
            return False
    return nothing_unusual(golden, trajectory)


def nothing_unusual(golden: Golden, trajectory: Trajectory) -> bool:
    """Whether the golden checks only its expected calls, so that equal calls mean a flawless case."""
    return not (
        golden.any_of
        or golden.forbidden_calls
        or golden.no_calls
        or golden.output_contains
        or golden.max_calls is not None
        or golden.max_latency_ms is not None
        or golden.expected_state is not None
        or golden.category == "negative"
        or golden.confirm
        or golden.as_ is not None
        or trajectory.stop_reason != "done"
        or trajectory.error
        or golden.count_failed != "all"
    )


def is_ordinary(wanted: ExpectedCall) -> bool:
    """Whether a call is expected exactly once, in any order."""
    return wanted.required and wanted.min == 1 and wanted.max is None and not wanted.after


NOTHING: frozenset[int] = frozenset()
ANOTHER_TOOL = Numbers(
    tp=0, fp=1, fn=1, absorbed=0, call_precision=0.0, call_recall=0.0, call_f1=0.0, call_soft_f1=0.0,
    tool_precision=0.0, tool_recall=0.0, tool_f1=0.0, parameter_accuracy=0.0,
)  # fmt: skip


def score_single(
    golden: Golden, trajectory: Trajectory, tools: Mapping[str, Tool]
) -> tuple[Numbers, list[Failure]] | None:
    """Numbers and failures when only plain arguments or another tool are involved; None otherwise.

    Equivalent to the general solver, as a property test checks.
    """
    if len(golden.expected_calls) != 1 or len(trajectory.calls) != 1:
        return None
    wanted, call = golden.expected_calls[0], trajectory.calls[0]
    if (
        not wanted.tool
        or not isinstance(wanted.tool, str)
        or not is_ordinary(wanted)
        or golden.argument_matching != "exact"
        or (call.arguments is None and not (call.raw and call.raw.strip()))
    ):
        return None
    if wanted.forbidden_args or not wanted.weight or not _is_plain(wanted):
        return None
    known = call.name in tools
    if wanted.tool != call.name:
        code: Code = "unknown_tool" if tools and not known else "wrong_tool"
        failures = [Failure(code, wanted.tool, "", wanted.tool, call.name, "", 0, 0)]
        return ANOTHER_TOOL, failures + (schema_violations(trajectory.calls, NOTHING, tools) if known else [])
    defaults = tools[call.name].defaults() if known and golden.defaults != "strict" else NO_DEFAULTS
    score, failures = _compared(wanted, call, defaults)
    if score == 1.0:
        return Numbers(1, 0, 0, 0), []
    if known:
        failures += schema_violations(trajectory.calls, NOTHING, tools)
    return _right_tool(score), failures


def _compared(wanted: ExpectedCall, call: ToolCall, defaults: dict[str, Any]) -> tuple[float, list[Failure]]:
    """The argument score of a call of the right tool and what is wrong with it, in one pass over plain values."""
    tool, arguments, expected = call.name, call.arguments, wanted.args
    if arguments is None:
        return 0.0, [Failure("bad_json", tool, "", None, call.raw, "", 0, 0)]
    failures: list[Failure] = []
    if expected is None:
        return 1.0, failures
    met, size, common = 0, len(expected) + len(arguments), 0
    for name, spec in expected.items():
        if name in arguments:
            common += 1
            value = arguments[name]
            if same(spec, value):
                met += 1
            else:
                code: Code = "wrong_value" if kind_of(spec) is kind_of(value) else "wrong_type"
                failures.append(Failure(code, tool, name, spec, value, "", 0, 0))
        elif name in defaults and same(spec, defaults[name]):
            met += 1
            size += 1  # satisfied while absent
        else:
            failures.append(Failure("missing_arg", tool, name, spec, None, "", 0, 0))
    if common < len(arguments):
        extra = [
            Failure("extra_arg", tool, name, None, value, "", 0, 0)
            for name, value in arguments.items()
            if name not in expected
            and wanted.extra_args == "forbid"
            and not (name in defaults and same(defaults[name], value))
        ]
        size -= len(arguments) - common - len(extra)  # those that do not count
        failures += extra
    return (2 * met / size if size else 1.0), failures


def _is_plain(wanted: ExpectedCall) -> bool:
    """Whether no argument needs a matcher."""
    if wanted.args:
        for spec in wanted.args.values():
            if type(spec) not in PLAIN:
                return False
    return True


def _right_tool(score: float) -> Numbers:
    return Numbers(0, 1, 1, 0, 0.0, 0.0, 0.0, score, 1.0, 1.0, 1.0, score)
