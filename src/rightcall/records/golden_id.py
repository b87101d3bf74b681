"""Ids of goldens: generated ones, and those of conversations with simulated users.

A conversation about `refund` with the simulated user `unsure` is `refund@unsure`.
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from rightcall.records.golden import AnyGolden, ConversationalGolden

GENERATED = re.compile(r"g-[0-9a-f]{12}(?:-\d+)?(?:@.*)?", re.DOTALL)
"""A generated id, the number of a repeated row, and the simulated user of a conversation."""


def is_generated(golden_id: str) -> bool:
    """Whether the id was derived from the content of a golden, so that it tells a reader nothing."""
    return golden_id.startswith("g-") and GENERATED.fullmatch(golden_id) is not None


PERSONA = "persona:"
"""Begins the tag that says which persona the user of a conversation was."""


def with_persona(golden: ConversationalGolden, persona: str) -> ConversationalGolden:
    """The golden as the conversation with one simulated user; the scenario is its cluster."""
    return replace(
        golden,
        id=f"{golden.id}@{persona}",
        cluster=golden.cluster or golden.id,
        tags=tuple(dict.fromkeys((*golden.tags, f"{PERSONA}{persona}"))),
    )


def conversation_recorded_as(golden: AnyGolden, recorded_id: str) -> ConversationalGolden | None:
    """The conversation that was recorded under this id; None when it is not about this golden."""
    if not isinstance(golden, ConversationalGolden) or not golden.is_simulated:
        return None
    if not recorded_id.startswith(f"{golden.id}@"):
        return None
    persona = recorded_id[len(golden.id) + 1 :]
    return with_persona(golden, persona) if persona else None
