"""What the badge of a run says."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal, NamedTuple

from rightcall.store.base import StoredRun

Tone = Literal["good", "bad", "warn", "live", "quiet"]
SILENCE = 120.0
"""Seconds without a write after which an unfinished run counts as stopped."""

VERDICTS: dict[str, Tone] = {"PASS": "good", "FAIL": "bad", "INCONCLUSIVE": "warn", "ERROR": "warn"}


class Badge(NamedTuple):
    """The word of the badge and its tone."""

    word: str
    tone: Tone

    @property
    def live(self) -> bool:
        """Whether the run is being written right now."""
        return self.tone == "live"


def state_of(run: StoredRun, now: datetime | None = None) -> Badge:
    """The verdict of a finished run; otherwise whether it is still being written."""
    if run.finished:
        return Badge(run.verdict.lower() or "finished", VERDICTS.get(run.verdict, "quiet"))
    try:
        silent = ((now or datetime.now(UTC)) - datetime.fromisoformat(run.updated_at)).total_seconds()
    except (ValueError, TypeError):
        silent = SILENCE + 1
    return Badge("running", "live") if silent < SILENCE else Badge("stopped", "warn")
