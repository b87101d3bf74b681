"""The text for a failing case: the reason, and actual calls next to expected ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rightcall.errors import CheckFailed
from rightcall.metrics import DIMENSIONS
from rightcall.metrics.matching import reason, shown
from rightcall.model.golden import AnyGolden, Golden
from rightcall.model.run import CaseResult
from rightcall.model.text import visible
from rightcall.model.tool import Tool
from rightcall.report import calls_difference


def require_passed(golden: AnyGolden, results: Sequence[CaseResult], tools: Mapping[str, Tool]) -> None:
    """Raises `CheckFailed` unless every trial passed, with every simulated user. A failure tells more than an error."""
    __tracebackhide__ = True
    failed = next((one for one in results if not one.passed and not one.error), None)
    if failed is not None:
        raise CheckFailed(failure_text(golden, results, tools), result=failed, results=tuple(results))
    broken = next((one for one in results if one.error), None)
    if broken is not None:
        text = error_text(golden, results)
        raise CheckFailed(text, infrastructure=True, result=broken, results=tuple(results))


def failure_text(golden: AnyGolden, results: Sequence[CaseResult], tools: Mapping[str, Tool]) -> str:
    """Why a golden failed: the first failing trial, and how many others failed too."""
    failed = [result for result in results if not result.passed and not result.error]
    first = failed[0]
    text = golden.input if isinstance(golden, Golden) else golden.scenario
    lines = [f"golden '{golden.id}': {shown(text, 200)}", *reasons(first)]
    if len(results) > 1:
        lines.append(f"({_which(first, results)}; {len(failed)} of {_counted(results)} failed)")
    if first.trajectory is not None and isinstance(golden, Golden):
        difference = calls_difference(golden, first.trajectory, tools)
        if difference:
            lines += ["", *difference, "", "  as expected   - expected, not called   + called, not expected"]
        if first.trajectory.output and not first.trajectory.calls:
            lines += ["", f"answer: {shown(first.trajectory.output, 300)}"]
    return visible("\n".join(lines))


def error_text(golden: AnyGolden, results: Sequence[CaseResult]) -> str:
    """Why the agent could not be scored."""
    broken = [result for result in results if result.error]
    among = f"no answer to {len(broken)} of {_counted(results)}: " if len(results) > 1 else ""
    return visible(f"golden '{golden.id}': {among}{broken[0].error}")


def _which(one: CaseResult, results: Sequence[CaseResult]) -> str:
    """A result's place among several: its trial, its simulated user, or both."""
    users = len({result.golden_id for result in results})
    trial = f"trial {one.trial}" if users < len(results) else ""
    return ", ".join(filter(None, [one.golden_id if users > 1 else "", trial]))


def _counted(results: Sequence[CaseResult]) -> str:
    users = len({result.golden_id for result in results})
    return f"{len(results)} {'trials' if users == 1 else 'conversations'}"


def reasons(result: CaseResult) -> list[str]:
    """What is wrong with a result, one line each; named metrics are prefixed with their name."""
    overall = result.metrics.get("overall")
    said = [overall.reason if overall and overall.reason else reason(result.codes)]
    for name, score in result.metrics.items():
        text = score.error or score.reason
        if not score.passed and text and text not in said and name not in DIMENSIONS:
            said.append(f"{name} {score.value:.2f}: {text}")
    return [line for line in said if line] or ["did not pass"]
