"""One scenario played by several simulated users: the id and the tags that each conversation gets.

A conversation about `refund` with the user `unsure` is `refund@unsure`; when several models play users, the model's
name is added: `refund@unsure+openai:gpt-5-mini`.
"""

from __future__ import annotations

import msgspec

from rightcall.model.golden import AnyGolden, ConversationalGolden

PERSONA, USER = "persona:", "user:"
"""Tags that say who played the user of a conversation: its manner, and the model if there are several."""


def played(golden: ConversationalGolden, persona: str, model: str | None = None) -> ConversationalGolden:
    """The golden as the conversation with one simulated user; the scenario is its cluster."""
    tags = (f"{PERSONA}{persona}", *((f"{USER}{model}",) if model else ()))
    return msgspec.structs.replace(
        golden,
        id=f"{golden.id}@{persona}+{model}" if model else f"{golden.id}@{persona}",
        cluster=golden.cluster or golden.id,
        tags=(*golden.tags, *(tag for tag in tags if tag not in golden.tags)),
    )


def played_as(golden: AnyGolden, recorded_id: str) -> ConversationalGolden | None:
    """The conversation that was recorded under this id; None when it is none about this golden."""
    if not isinstance(golden, ConversationalGolden) or not golden.is_simulated:
        return None
    if not recorded_id.startswith(f"{golden.id}@"):
        return None
    persona, _, model = recorded_id[len(golden.id) + 1 :].partition("+")
    return played(golden, persona, model or None) if persona else None
