"""A trace: what an agent did, reconstructed from spans."""

from __future__ import annotations

from rightcall.model.golden import Golden
from rightcall.wings.traces.trace_facts import TraceFacts


class Trace(TraceFacts, frozen=True):
    """One trace, and the golden that it could become."""

    def golden(self) -> Golden:
        """A golden to review: the same input, expecting the observed calls. Observed behaviour may be wrong."""
        from rightcall.wings.traces.golden_candidate import candidate  # with what reads and writes datasets

        return candidate(self)
