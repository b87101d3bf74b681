"""What was really done, regardless of what the agent saw."""

from __future__ import annotations

from typing import Any, Literal

from rightcall.model.record import Record

LedgerPhase = Literal[
    "effect",  # the tool changed the world
    "late_effect",  # … after its caller had stopped waiting or lost its claim
    "unknown",  # the effect may have happened
    "replayed",  # an earlier result was returned again, nothing was done
    "refused",  # rejected before anything was done
    "runtime_retry",  # the runtime retried by itself
    "key_expired_reuse",  # a key was used again after its time to live
    "fault",  # an injected fault fired
]


class LedgerEntry(Record, frozen=True):
    """One line of the ledger.

    `effect_id` numbers the entries of one trial; `fingerprint` is equal for two calls that mean the same
    (ignoring key and volatile fields), so two effects with one fingerprint are a double effect.
    """

    effect_id: int
    phase: LedgerPhase
    tool: str
    fingerprint: str = ""
    key: str = ""
    attempt: int = 1
    call_id: str = ""
    time: float = 0.0
    detail: str = ""
    change: Any = None
