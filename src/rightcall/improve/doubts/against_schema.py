"""An expected tool, parameter or value that the definitions refuse: what `dataset check` calls an error."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.improve.suspect import Reason, SuspectGolden
from rightcall.run.golden_check import notes_of

CODES = ("unknown_tool", "unknown_argument", "required_argument", "invalid_value")


def reasons(suspect: SuspectGolden) -> Iterator[Reason]:
    if not suspect.toolset.tools:
        return
    for severity, code, message, hint in notes_of(suspect.golden, suspect.toolset.tools):
        if severity == "error" and code in CODES:
            yield Reason("certain", message, evidence=(hint,) if hint else ())
