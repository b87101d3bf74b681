"""Fast path for flawless cases: exactly the expected calls and nothing else to check."""

from __future__ import annotations

from rightcall.metrics.matching.equality import identical_arguments
from rightcall.metrics.matching.verdict import CaseVerdict, Numbers
from rightcall.model.golden import ExpectedCall, Golden
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
    """No check beyond the expected calls themselves, so that equal calls mean a flawless case."""
    return not (
        golden.any_of
        or golden.forbidden_calls
        or golden.no_calls
        or golden.output_contains
        or golden.max_calls is not None
        or golden.max_latency_ms is not None
        or golden.expected_state is not None
        or golden.category == "negative"
        or trajectory.stop_reason != "done"
        or golden.count_failed != "all"
    )


def is_ordinary(wanted: ExpectedCall) -> bool:
    """Wanted once, in no particular order."""
    return wanted.required and wanted.min == 1 and wanted.max is None and not wanted.after
