"""What a golden expects does not pass it, or a call that should have an effect fails in the suite's world."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.improve.doubt import Band
from rightcall.improve.suspect import Reason, SuspectGolden, value_text
from rightcall.run.rehearsal.own_behaviour import cannot_be_met


def reasons(suspect: SuspectGolden) -> Iterator[Reason]:
    own = suspect.own
    if own is None or suspect.votes.passing:
        return  # somebody met it
    if own.why:
        band: Band = "certain" if cannot_be_met(suspect.golden, own) else "likely"
        yield Reason(band, f"what it expects does not pass it: {own.why}")
        return
    for call in own.trajectory.calls:
        if call.status == "error" and suspect.toolset.changes_world(call.name):
            error = value_text(call.output)
            yield Reason("likely", f"the expected {call.name} fails in the suite's world: {error}")
