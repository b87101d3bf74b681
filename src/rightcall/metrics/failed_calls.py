"""Tools that failed in every call of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from rightcall.core.text import one_line
from rightcall.records.call import RAISED, ToolCall
from rightcall.records.run import CaseResult, FailedTool
from rightcall.records.skill_load import text_leaves

MOST_TEXTS = 20
"""Different errors that are counted of a tool: the first in alphabetical order, so that no order of results matters."""
LONGEST_ERROR = 160

REFUSALS = frozenset(
    (
        "unknown_tool", "invalid_json", "invalid_args", "confirmation_required", "confirmation_invalid",
        "confirmation_rejected", "permission_denied", "idempotency_key_reused", "in_progress",
    )
)  # fmt: skip
"""Errors of the contract that a call gets instead of being run."""

ALL = ""
"""In place of an error: all of them together."""


class FailedCalls:
    """Counts the failed calls of each tool until one of its calls works.

    Injected faults and attacks, refusals, and calls of tools that do not exist are no failures of a tool. Neither are
    errors of the `expected` tools, whose mocks answer with one.
    """

    def __init__(self, expected: Iterable[str] = ()) -> None:
        self._tools: dict[str, Counter[str] | None] = dict.fromkeys(expected)

    def add(self, result: CaseResult) -> None:
        """Count the calls of a trial."""
        for call in () if result.trajectory is None else result.trajectory.calls:
            if call.status == "ok":
                self._tools[call.name] = None
            elif call.status == "error" and not _is_refusal(call, result):
                self._count(call.name, error_text(call.notes.get(RAISED) or call.output))

    def tools(self) -> tuple[FailedTool, ...]:
        """The tools of which no call worked, by name, each with its most common error."""
        return tuple(
            FailedTool(tool, errors[ALL], min(errors.keys() - {ALL}, key=lambda text: (-errors[text], text)))
            for tool, errors in sorted(self._tools.items())
            if errors
        )

    def _count(self, tool: str, error: str) -> None:
        errors = self._tools.setdefault(tool, Counter())
        if errors is None:
            return
        errors.update((ALL, error))
        for text in sorted(errors)[MOST_TEXTS + 1 :]:
            del errors[text]


def _is_refusal(call: ToolCall, result: CaseResult) -> bool:
    """Whether the tool was not run, or was made to fail."""
    if isinstance(call.output, dict) and call.output.get("error") in REFUSALS:
        return True
    if any(failure.code == "unknown_tool" and failure.actual == call.name for failure in result.codes):
        return True
    ledger = result.trajectory.ledger if result.trajectory is not None else ()
    return any(entry.phase in ("fault", "attack") and entry.call_id == call.id for entry in ledger)


def error_text(output: Any) -> str:
    """What a failed call says, on one line: its own sentence, of a traceback the last line."""
    if isinstance(output, dict):
        named = (output.get(name) for name in ("detail", "message", "error"))
        output = next((text for text in named if text and isinstance(text, str)), output)
    elif isinstance(output, list):
        output = [part.get("text", part) if isinstance(part, dict) else part for part in output]
    text = output if isinstance(output, str) else " ".join(text_leaves(output))
    if text.startswith("Traceback"):
        text = text.rstrip().rpartition("\n")[2]
    return one_line(text, LONGEST_ERROR) or "without a reason"
