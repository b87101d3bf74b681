"""One expected call, one actual call: half of all cases, decided without a solver."""

from __future__ import annotations

from collections.abc import Mapping

from rightcall.metrics.matching.expectation import NO_MATCHERS, PLAIN, Slot
from rightcall.metrics.matching.explain import argument_failures, schema_violations
from rightcall.metrics.matching.verdict import Numbers
from rightcall.model.failure import Code, Failure
from rightcall.model.golden import ExpectedCall, Golden
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Trajectory

NOTHING: frozenset[int] = frozenset()
ANOTHER_TOOL = Numbers(
    tp=0, fp=1, fn=1, absorbed=0, call_precision=0.0, call_recall=0.0, call_f1=0.0, call_soft_f1=0.0,
    tool_precision=0.0, tool_recall=0.0, tool_f1=0.0, parameter_accuracy=0.0,
)  # fmt: skip


def judge_single(
    golden: Golden, trajectory: Trajectory, tools: Mapping[str, Tool]
) -> tuple[Numbers, list[Failure]] | None:
    """Numbers and failures when plain arguments or another tool are all there is to see; None otherwise.

    Gives what the general solver gives, which a property test says.
    """
    if len(golden.expected_calls) != 1 or len(trajectory.calls) != 1:
        return None
    wanted, call = golden.expected_calls[0], trajectory.calls[0]
    if not isinstance(wanted.tool, str) or not is_ordinary(wanted) or golden.argument_matching != "exact":
        return None
    if not _is_plain(wanted):
        return None
    known = call.name in tools
    if wanted.tool != call.name:
        code: Code = "unknown_tool" if tools and not known else "wrong_tool"
        failures = [Failure(code, wanted.tool, "", wanted.tool, call.name, "", 0, 0)]
        return ANOTHER_TOOL, failures + (schema_violations(trajectory.calls, NOTHING, tools) if known else [])
    slot = Slot(wanted, 0, True, NO_MATCHERS, {} if golden.defaults == "strict" else tools)
    score = slot.argument_score(call, 0)
    if slot.is_strict(call, score):
        return Numbers(1, 0, 0, 0), []
    failures = argument_failures(slot, call, 0)
    if known:
        failures += schema_violations(trajectory.calls, NOTHING, tools)
    return _right_tool(score), failures


def is_ordinary(wanted: ExpectedCall) -> bool:
    """Wanted once, in no particular order."""
    return wanted.required and wanted.min == 1 and wanted.max is None and not wanted.after


def _is_plain(wanted: ExpectedCall) -> bool:
    """Whether no argument needs a matcher."""
    if wanted.args:
        for spec in wanted.args.values():
            if type(spec) not in PLAIN:
                return False
    return True


def _right_tool(score: float) -> Numbers:
    return Numbers(0, 1, 1, 0, 0.0, 0.0, 0.0, score, 1.0, 1.0, 1.0, score)
