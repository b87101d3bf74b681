"""GitHub Actions output: a step summary, and annotations for the first failures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rightcall.core.text import percent, workflow_command
from rightcall.show.markdown import MOST_CASES, markdown
from rightcall.show.numbers import count
from rightcall.show.text import one_line
from rightcall.show.view.floor import short_floor
from rightcall.show.view.grouped_trials import GoldenRow, failed_goldens
from rightcall.show.view.run import RunView, run_view

if TYPE_CHECKING:
    from rightcall.store.sql.store import Store

SUMMARY = "GITHUB_STEP_SUMMARY"
MOST_ANNOTATIONS = 10
"""GitHub's limit of annotations of each kind per step."""
LARGEST_SUMMARY = 1024 * 1024


def in_actions(environment: Mapping[str, str]) -> bool:
    """Whether this process runs in GitHub Actions."""
    return environment.get("GITHUB_ACTIONS") == "true"


def publish(store: Store, run: str, environment: Mapping[str, str]) -> list[str]:
    """Add the run to the step summary; returns the annotations, which the caller prints."""
    view = run_view(store, run)
    failed, left_out = failed_goldens(store, run, MOST_CASES)
    if path := environment.get(SUMMARY):
        text = markdown(view, failed, left_out).encode()[:LARGEST_SUMMARY].decode(errors="ignore")
        with Path(path).open("a", encoding="utf-8") as summary:
            summary.write(text + "\n")
    return list(annotation_lines(view, failed, left_out))


def annotation_lines(view: RunView, failed: Sequence[GoldenRow], left_out: int) -> Iterator[str]:
    """Workflow commands: an error for each golden that failed, danger first, a warning without an answer."""
    room = MOST_ANNOTATIONS - 1 if len(failed) + left_out > MOST_ANNOTATIONS else MOST_ANNOTATIONS
    for row in failed[:room]:
        level = "warning" if row.outcome == "error" and not row.danger else "error"
        yield command(level, one_line(f"{row.danger_text} {row.name}".strip(), 160), row.why)
    more = len(failed) - room + left_out
    if more > 0:
        total = view.summary.total
        rate = "none" if total.pass_rate is None else percent(total.pass_rate, 1)
        floor = f"; {words}" if (words := short_floor(view.summary.floor)) else ""
        yield command(
            "error",
            f"{count(more)} more goldens did not pass",
            f"{rate} of {count(total.cases)} passed{floor}",
        )


def command(level: str, title: str, message: str) -> str:
    """One workflow command."""
    return workflow_command(level, message, {"title": title})


def annotation(level: str, title: str, message: str, *, file: str = "", line: int = 0) -> str:
    """A workflow command at a line of a file."""
    place = {"file": one_line(file, 300)} if file else {}
    if file and line > 0:
        place["line"] = str(line)
    return workflow_command(level, one_line(message, 1000), {**place, "title": one_line(title, 150)})
