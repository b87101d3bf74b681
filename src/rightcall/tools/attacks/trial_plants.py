"""The plants of one trial: which are due at a read, and what the ledger says of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec

from rightcall.model.call import ToolCall
from rightcall.model.golden import ConversationalGolden, Golden, Turn
from rightcall.model.safety import Plant, Safety
from rightcall.model.skill_load import SkillIndex
from rightcall.model.trajectory import LedgerEntry, Trajectory
from rightcall.tools.attacks.placement import join_texts, planted_text

REFUSED = "refused"
"""The key of `change` in a line of the ledger about a text that could not be planted."""


class TrialPlants:
    """What is planted in a trial, and how far its sessions and reads have come."""

    def __init__(self, safety: Safety, session: int = 1, skills: SkillIndex | None = None) -> None:
        self.safety, self.session, self._skills = safety, session, skills
        texts = [index for index, plant in enumerate(safety.plants) if plant.canary is None]
        self._stages = dict(zip(texts, safety.stages, strict=False))
        self._reads: dict[int, int] = {}
        self.calls_begun = 0

    def label(self, index: int) -> str:
        """The name of a plant in the ledger."""
        plant = self.safety.plants[index]
        return f"{index}:{plant.carrier}{':' + plant.tool if plant.tool else ''}"

    def due(self, tool: str, carriers: frozenset[str]) -> Iterator[tuple[int, Plant]]:
        """The plants that this read of a tool meets; it is counted for each of them."""
        for index, plant in enumerate(self.safety.plants):
            if plant.tool != tool or plant.carrier not in carriers or plant.session != self.session:
                continue
            if self._takes_effect(index, plant):
                yield index, plant

    def due_in_skill(self, call: ToolCall) -> Iterator[tuple[int, Plant]]:
        """The plants in the skill that a call loads, or in the file of one that it reads."""
        skill_call = self._skills.skill_call(call) if self._skills is not None else None
        if skill_call is None:
            return
        for index, plant in enumerate(self.safety.plants):
            is_read = (plant.carrier, plant.tool, plant.path) == ("skill", skill_call.skill, skill_call.file)
            if is_read and plant.session == self.session and self._takes_effect(index, plant):
                yield index, plant

    def _takes_effect(self, index: int, plant: Plant) -> bool:
        """Count a read of what carries the plant; whether the plant is in it."""
        number = self._reads[index] = self._reads.get(index, 0) + 1
        first = self._stages.get(index, plant.nth)
        return number == first or (number > first and plant.carrier != "error")

    def line(self, index: int, refusal: str = "") -> dict[str, Any]:
        """The fields of a line of the ledger: the text was handed to the agent, or why it was not."""
        change = {REFUSED: refusal} if refusal else None
        return {"tool": self.safety.plants[index].tool, "detail": self.label(index), "change": change}


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


def note_documents(safety: Safety, trajectory: Trajectory) -> Trajectory:
    """The trajectory of an agent that was handed the golden itself, and with it the documents."""
    plants, ledger = TrialPlants(safety), list(trajectory.ledger)
    for index, plant in enumerate(safety.plants):
        if plant.carrier == "document":
            ledger.append(LedgerEntry(len(ledger) + 1, "attack", **plants.line(index)))
    return msgspec.structs.replace(trajectory, ledger=tuple(ledger))


def _in_documents(golden: G, plant: Plant, safety: Safety) -> G:
    """In the last document, of the retrieved ones if there are any."""
    field = "retrieval_context" if getattr(golden, "retrieval_context", None) else "context"
    documents = list(getattr(golden, field, None) or ())
    text = planted_text(plant, safety)
    if documents:
        documents[-1] = join_texts(documents[-1], text, plant.place)
    return msgspec.structs.replace(golden, **{field: tuple(documents or [text])})


def _in_words(golden: G, plant: Plant, safety: Safety) -> G:
    text = planted_text(plant, safety)
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
    earlier = (Turn("user", plant.path or EARLIER_REQUEST), Turn("assistant", planted_text(plant, safety)))
    return msgspec.structs.replace(golden, turns=(*earlier, *golden.turns))
