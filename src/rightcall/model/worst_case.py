"""What a hijacked agent reaches, in numbers that a run keeps: a gate decides from them, and reports show them."""

from __future__ import annotations

from typing import Literal

from rightcall.model.failure import Code
from rightcall.model.record import Record

Threat = Literal["text", "record"]
"""What an attacker writes: text in a record, or all fields of a record."""


class GuardShare(Record, frozen=True, omit_defaults=False):
    """Of the attacker's calls of one kind of sink, those stopped, and by which rules."""

    sink: str
    stopped: int
    calls: int
    by: dict[str, int] = {}


class ReachedSink(Record, frozen=True):
    """A sink that nothing guards: the attacker's call that reached it, after how many calls of the user's task."""

    tool: str
    sinks: tuple[str, ...]
    goal: str
    golden_id: str
    at: int
    call: str
    code: Code = "unguarded"


class FalseStop(Record, frozen=True):
    """A call of the user's own task that a guard stopped, by which rules, and for which argument."""

    golden_id: str
    tool: str
    verdict: Literal["allow", "confirm", "deny"]
    by: tuple[str, ...]
    argument: str = ""
    label: str = ""
    code: Code = "false_stop"


class WorstCaseNumbers(Record, frozen=True):
    """The worst case of the goldens of a run, replayed without a model through the guards of its agent.

    `attacker_calls` are calls of sinks that were tried, `stopped` those stopped at every position, `reached` the tools
    whose calls were not. `false_stops` are calls of the user that were stopped, of `user_calls`, `asked` of them by a
    question. `skipped` counts goldens that were not replayed, `undelivered` those that read nothing external,
    `unsupplied` results that nobody could give. `inconclusive` says why nothing is known. `sinks`, `unguarded` and
    `stops` are the rows behind the sums, the first of each kind.
    """

    guard: str = "none"
    threat: Threat = "text"
    goldens: int = 0
    attacker_calls: int = 0
    stopped: int = 0
    reached: tuple[str, ...] = ()
    user_calls: int = 0
    false_stops: int = 0
    skipped: int = 0
    inconclusive: str = ""
    user_sinks: int = 0
    asked: int = 0
    tasks_stopped: int = 0
    undelivered: int = 0
    unsupplied: int = 0
    sinks: tuple[GuardShare, ...] = ()
    unguarded: tuple[ReachedSink, ...] = ()
    stops: tuple[FalseStop, ...] = ()
