"""What a hijacked agent reaches, in numbers that a run keeps: a gate decides from them."""

from __future__ import annotations

from typing import Literal

from rightcall.model.record import Record

Threat = Literal["text", "record"]
"""What an attacker writes: text in a record, or all fields of a record."""


class WorstCaseNumbers(Record, frozen=True):
    """The worst case of the goldens of a run, replayed without a model through the guards of its agent.

    `attacker_calls` are calls of sinks that were tried, `stopped` those stopped at every position, `reached` the tools
    whose calls were not. `false_stops` are calls of the user that were stopped, of `user_calls`. `skipped` counts
    goldens that were not replayed. `depth` is that of the certificate, 0 without one; `chain` is the shortest chain of
    calls to a harm, of `chain_calls` calls, and empty when there is none. `inconclusive` says why nothing is known.
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
    depth: int = 0
    chain: str = ""
    chain_calls: int = 0
    inconclusive: str = ""
