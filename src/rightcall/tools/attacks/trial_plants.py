"""The plants of one trial: which are due at a read, and what the ledger says of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rightcall.model.safety import Plant, Safety
from rightcall.tools.attacks.text_wrap import wrap_text

REFUSED = "refused"
"""The key of `change` in a line of the ledger about a text that could not be planted."""


class TrialPlants:
    """What is planted in a trial, and how far its sessions and reads have come."""

    def __init__(self, safety: Safety, session: int = 1) -> None:
        self.safety, self.session = safety, session
        self._stages = _stages(safety)
        self._reads: dict[tuple[int, str], int] = {}
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
            number = self._reads[index, tool] = self._reads.get((index, tool), 0) + 1
            first = self._stages.get(index, plant.nth)
            if number == first or (number > first and plant.carrier != "error"):
                yield index, plant

    def value_of(self, plant: Plant) -> str:
        canary = self.safety.canary(plant.canary) if plant.canary else None
        return canary.value if canary else wrap_text(plant.text, plant.wrap)

    def line(self, index: int, refusal: str = "") -> dict[str, Any]:
        """The fields of a line of the ledger: the text was handed to the agent, or why it was not."""
        change = {REFUSED: refusal} if refusal else None
        return {"tool": self.safety.plants[index].tool, "detail": self.label(index), "change": change}


def _stages(safety: Safety) -> dict[int, int]:
    texts = [index for index, plant in enumerate(safety.plants) if plant.canary is None]
    return dict(zip(texts, safety.stages, strict=False))
