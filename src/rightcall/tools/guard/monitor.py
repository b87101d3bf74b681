"""The guard of a toolset.

    guard = rc.guard(tools, base="auto")
    guard.check(call, ledger)      # ledger: a trajectory, messages, calls with results, or the state of a trial

It reads calls, results and user turns, never what the model says. A stopped call changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rightcall.model.call import ToolCall
from rightcall.tools.guard.binding import BoundPolicy
from rightcall.tools.guard.replay import replay
from rightcall.tools.guard.state import GuardState, GuardVerdict


class Guard(BoundPolicy):
    """A policy bound to tools. `confirmed` are tools that ask for a confirmation themselves."""

    def begin(self, *texts: str, caller: Sequence[str] | None = None) -> GuardState:
        """The state of a fresh trial: what the user and the suite's system text say, and the caller's roles."""
        state = GuardState(self, caller=None if caller is None else tuple(caller))
        for text in filter(None, texts):
            state.hear(text)
        return state

    def check(self, call: ToolCall | Mapping[str, Any], ledger: Any = ()) -> GuardVerdict:
        """The verdict on a call after what a ledger has: a trajectory, messages, or the state of a trial."""
        asked = call if isinstance(call, ToolCall) else ToolCall(**call)
        state = ledger if isinstance(ledger, GuardState) else self.after(ledger)
        return state.check(asked.name, asked.arguments or {})

    def after(self, ledger: Any, *, system: str = "", caller: Sequence[str] | None = None) -> GuardState:
        """The state after a trajectory, messages, or calls with their results."""
        state = self.begin(system, caller=caller)
        for _ in replay(state, ledger):
            pass
        return state
