"""Fast paths: cases with exactly the expected calls, and cases with one expected and one actual call.

Half of all cases have one call; they are decided without the solver.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rightcall.metrics.matching.base import identical_arguments, same
from rightcall.metrics.matching.expectation import NO_DEFAULTS, PLAIN
from rightcall.metrics.matching.explain import kind_of, schema_violations
from rightcall.metrics.matching.verdict import CaseVerdict, Numbers, ScoringRules
from rightcall.records.call import ToolCall
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.failure import Code, Failure
from rightcall.records.golden import Golden, names_agents
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Trajectory

_VERDICTS: dict[int, CaseVerdict] = {}


def flawless(calls: int) -> CaseVerdict:
    """The verdict of a case in which exactly the expected calls were made; one object for all such cases."""
    verdict = _VERDICTS.get(calls)
    if verdict is None:
        pairs = tuple((at, at) for at in range(calls))
        verdict = CaseVerdict(True, 1.0, Numbers(calls, 0, 0, 0), pairs=pairs)
        verdict = _VERDICTS.setdefault(calls, verdict)
    return verdict


def is_flawless(golden: Golden, trajectory: Trajectory) -> bool:
    """Whether the calls equal the expected ones, one to one, as written. False means "undecided"."""
    expected = golden.expected_calls
    calls = trajectory.calls
    if len(expected) != len(calls):
        return False
    for expected_call, call in zip(expected, calls):  # noqa: B905  of one length; `strict` takes time for every case
        args = expected_call.args
        arguments = call.arguments
        if (
            expected_call.tool != call.name
            or args is None
            or arguments is None
            or not identical_arguments(args, arguments)
            or not is_ordinary(expected_call)
            or expected_call.forbidden_args
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
        or golden.agents
        or golden.max_depth is not None
        or golden.max_handoffs is not None
        or golden.answered_by is not None
        or golden.judge != "all"
        or trajectory.stop_reason != "done"
        or trajectory.error
        or golden.count_failed != "all"
    )


def fails_by_names(golden: Golden, names: Sequence[str], rules: ScoringRules) -> bool:
    """Whether names of calls alone show that a case fails: a required one is missing, or one is too many.

    False means "undecided". Equivalent to the general solver, as a property test checks.
    """
    unusual = golden.any_of or golden.count_failed != "all" or golden.confirm or golden.as_ is not None
    unusual = unusual or golden.judge != "all"
    if unusual or rules.pass_rule != "strict" or names_agents(golden):  # noqa: S105
        return False
    expected = golden.expected_calls
    if not expected and not golden.forbidden_calls and (golden.no_calls or golden.category == "negative"):
        return bool(names)
    plain = all(isinstance(call.tool, str) and call.weight and is_ordinary(call) for call in expected)
    if golden.no_calls or golden.category in ("negative", "secondary") or not plain:
        return False
    if len(names) < len(expected) or (golden.extra_calls == "forbid" and len(names) > len(expected)):
        return True
    left = list(names)
    for call in expected:
        if call.tool not in left:
            return True
        left.remove(str(call.tool))
    return False


def is_ordinary(expected_call: ExpectedCall) -> bool:
    """Whether a call is expected exactly once, in any order."""
    return (
        expected_call.required
        and expected_call.min == 1
        and expected_call.max is None
        and not expected_call.after
        and expected_call.by is None
    )


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
    expected_call = golden.expected_calls[0]
    call = trajectory.calls[0]
    if (
        not expected_call.tool
        or not isinstance(expected_call.tool, str)
        or not is_ordinary(expected_call)
        or golden.argument_matching != "exact"
        or (call.arguments is None and not (call.raw and call.raw.strip()))
    ):
        return None
    if expected_call.forbidden_args or not expected_call.weight or not _is_plain(expected_call):
        return None
    has_tool = call.name in tools
    if expected_call.tool != call.name:
        code: Code = "wrong_tool" if has_tool or not tools else "unknown_tool"
        code = code if call.name else "unnamed_call"
        failures = [
            Failure(
                code,
                expected_call.tool,
                "",
                expected_call.tool,
                actual=call.name,
                detail="",
                call=0,
                expected_call=0,
            )
        ]
        return ANOTHER_TOOL, failures + (
            schema_violations(trajectory.calls, NOTHING, tools) if has_tool else []
        )
    defaults = tools[call.name].defaults() if has_tool and golden.defaults != "strict" else NO_DEFAULTS
    score, failures = _compare_arguments(expected_call, call, defaults)
    if score == 1.0:
        return Numbers(1, 0, 0, 0), []
    if has_tool:
        failures += schema_violations(trajectory.calls, NOTHING, tools)
    return Numbers(
        0,
        1,
        1,
        0,
        call_precision=0.0,
        call_recall=0.0,
        call_f1=0.0,
        call_soft_f1=score,
        tool_precision=1.0,
        tool_recall=1.0,
        tool_f1=1.0,
        parameter_accuracy=score,
    ), failures


def _compare_arguments(
    expected_call: ExpectedCall, call: ToolCall, defaults: dict[str, Any]
) -> tuple[float, list[Failure]]:
    """The argument score of a call of the right tool and what is wrong with it, in one pass over plain values."""
    tool = call.name
    arguments = call.arguments
    expected = expected_call.args
    if arguments is None:
        return 0.0, [Failure("bad_json", tool, "", None, actual=call.raw, detail="", call=0, expected_call=0)]
    failures: list[Failure] = []
    if expected is None:
        return 1.0, failures
    met = 0
    size = len(expected) + len(arguments)
    common = 0
    for name, spec in expected.items():
        if name in arguments:
            common += 1
            value = arguments[name]
            if same(spec, value):
                met += 1
            else:
                code: Code = "wrong_value" if kind_of(spec) is kind_of(value) else "wrong_type"
                failures.append(
                    Failure(code, tool, name, spec, actual=value, detail="", call=0, expected_call=0)
                )
        elif name in defaults and same(spec, defaults[name]):
            met += 1
            size += 1  # satisfied while absent
        else:
            failures.append(
                Failure("missing_arg", tool, name, spec, actual=None, detail="", call=0, expected_call=0)
            )
    if common < len(arguments):
        extra = [
            Failure("extra_arg", tool, name, None, actual=value, detail="", call=0, expected_call=0)
            for name, value in arguments.items()
            if name not in expected
            and expected_call.extra_args == "forbid"
            and not (name in defaults and same(defaults[name], value))
        ]
        size -= len(arguments) - common - len(extra)  # those that do not count
        failures += extra
    return (2 * met / size if size else 1.0), failures


def _is_plain(expected_call: ExpectedCall) -> bool:
    """Whether no argument needs a matcher."""
    if expected_call.args:
        for spec in expected_call.args.values():
            if type(spec) not in PLAIN:
                return False
    return True
