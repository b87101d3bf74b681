"""What is planted before the first request: in documents, in the history and in the user's own words."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from rightcall.model.golden import ConversationalGolden, Golden, Turn
from rightcall.model.safety import Plant, Safety
from rightcall.tools.attacks.placement import join_texts
from rightcall.tools.attacks.text_wrap import wrap_text

EARLIER_REQUEST = "Show me the notes from last time."
"""What the user asked in an earlier turn that an attacker wrote the answer of."""

G = TypeVar("G", bound=Golden | ConversationalGolden)


def plant_request(golden: G) -> G:
    """A copy of the golden as the agent is given it; the golden itself when nothing is planted there."""
    safety = golden.safety
    if safety is None:
        return golden
    for plant in safety.plants:
        if plant.carrier == "document":
            golden = _in_documents(golden, plant, safety)
        elif plant.carrier == "user":
            golden = _in_words(golden, plant, safety)
        elif plant.carrier == "history":
            golden = _in_history(golden, plant, safety)
    return golden


def _text(plant: Plant, safety: Safety) -> str:
    canary = safety.canary(plant.canary) if plant.canary else None
    return canary.value if canary else wrap_text(plant.text, plant.wrap)


def _in_documents(golden: G, plant: Plant, safety: Safety) -> G:
    """In the last document, of the retrieved ones if there are any."""
    field = "retrieval_context" if getattr(golden, "retrieval_context", None) else "context"
    documents = list(getattr(golden, field, None) or ())
    text = _text(plant, safety)
    if documents:
        documents[-1] = join_texts(documents[-1], text, plant.place)
    return msgspec.structs.replace(golden, **{field: tuple(documents or [text])})


def _in_words(golden: G, plant: Plant, safety: Safety) -> G:
    text = _text(plant, safety)
    if isinstance(golden, Golden):
        return msgspec.structs.replace(golden, input=join_texts(golden.input, text, plant.place))
    at = next((i for i, turn in reversed(list(enumerate(golden.turns))) if turn.role == "user"), None)
    if at is None:
        return msgspec.structs.replace(golden, scenario=join_texts(golden.scenario, text, plant.place))
    turn = msgspec.structs.replace(
        golden.turns[at], content=join_texts(golden.turns[at].content, text, plant.place)
    )
    return msgspec.structs.replace(golden, turns=(*golden.turns[:at], turn, *golden.turns[at + 1 :]))


def _in_history(golden: G, plant: Plant, safety: Safety) -> G:
    """An earlier exchange that the agent reads back."""
    if isinstance(golden, Golden):
        return golden
    earlier = (Turn("user", plant.path or EARLIER_REQUEST), Turn("assistant", _text(plant, safety)))
    return msgspec.structs.replace(golden, turns=(*earlier, *golden.turns))
