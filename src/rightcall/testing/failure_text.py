"""A failing case in words: the reason, and what was called beside what should have been."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rightcall.metrics import DIMENSIONS
from rightcall.metrics.matching import reason, shown
from rightcall.model.golden import AnyGolden, Golden
from rightcall.model.run import CaseResult
from rightcall.model.text import visible
from rightcall.model.tool import Tool
from rightcall.report import calls_difference


def failure_text(golden: AnyGolden, results: Sequence[CaseResult], tools: Mapping[str, Tool]) -> str:
    """Why a golden failed: the first failing trial, and how many others failed too."""
    failed = [result for result in results if not result.passed and not result.error]
    first = failed[0]
    text = golden.input if isinstance(golden, Golden) else golden.scenario
    lines = [f"golden '{golden.id}': {shown(text, 200)}", *reasons(first)]
    if len(results) > 1:
        lines.append(f"(trial {first.trial}; {len(failed)} of {len(results)} trials failed)")
    if first.trajectory is not None and isinstance(golden, Golden):
        difference = calls_difference(golden, first.trajectory, tools)
        if difference:
            lines += ["", *difference, "", "  as expected   - expected, not called   + called, not expected"]
        if first.trajectory.output and not first.trajectory.calls:
            lines += ["", f"it answered: {shown(first.trajectory.output, 300)}"]
    return visible("\n".join(lines))


def error_text(golden: AnyGolden, results: Sequence[CaseResult]) -> str:
    """Why nothing can be said of the agent."""
    broken = [result for result in results if result.error]
    return visible(
        f"golden '{golden.id}': no answer to {len(broken)} of {len(results)} trials: {broken[0].error}"
    )


def reasons(result: CaseResult) -> list[str]:
    """What is wrong with a result, one line each; metrics that were asked for speak under their name."""
    overall = result.metrics.get("overall")
    said = [overall.reason if overall and overall.reason else reason(result.codes)]
    for name, score in result.metrics.items():
        text = score.error or score.reason
        if not score.passed and text and text not in said and name not in DIMENSIONS:
            said.append(f"{name} {score.value:.2f}: {text}")
    return [line for line in said if line] or ["did not pass"]
