"""Conversations from tools: scripted user turns, each planned and verified as a separate request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import msgspec

from rightcall.limbs.generate.kit import Kit
from rightcall.limbs.generate.plans import CallPlan, PlanKind, PlannedSlot, plan_of
from rightcall.limbs.generate.production import Made
from rightcall.limbs.generate.scribe import Scribe, Unreadable
from rightcall.limbs.generate.ways.tools import calls_in_words, golden_of
from rightcall.records.golden import ConversationalGolden, Turn
from rightcall.records.score import Score

TURN_KINDS: dict[PlanKind, int] = {"one": 5, "parallel": 1, "enum": 1, "boundary": 1, "unicode": 1, "none": 1}
"""Kinds of plans for turns. Turns that need the result of another are left to simulated users."""


@dataclass(frozen=True)
class ConversationJob:
    """One conversation; a failed turn is planned again; after too many failures the conversation is dropped."""

    id: str
    slots: tuple[PlannedSlot, ...]
    kit: Kit

    async def make(self) -> Made:
        """A verified conversation, or why a turn of it failed."""
        kit = self.kit
        scribe = kit.scribe(self.id)
        turns: list[Turn] = []
        scores: dict[str, Score] = {}
        for number, slot in enumerate(self.slots):
            turn, checked = await self._turn(slot, number, turns, scribe)
            scores |= {f"{name} {number + 1}": score for name, score in checked.items()}
            if turn is None:
                failed = next(
                    (s.reason for s in checked.values() if not s.passed), "no turn could be written"
                )
                return Made(None, scores, f"turn {number + 1}: {failed}", scribe)
            turns.append(turn)
        provenance = kit.provenance("tools", scribe, plan=[slot.kind for slot in self.slots])
        calls = tuple(chain.from_iterable(turn.expected_calls or () for turn in turns))
        names = dict.fromkeys(str(call.tool) for call in calls)
        golden = ConversationalGolden(
            f"A user asks for {len(turns)} things one after the other: {', '.join(names) or 'small talk'}.",
            id=self.id,
            turns=tuple(turns),
            no_calls=not calls,
            category="golden" if calls else "negative",
            tags=("generated",),
            metadata={"generated": provenance},
        )
        return Made(golden, scores, "", scribe)

    async def _turn(
        self, slot: PlannedSlot, number: int, before: Sequence[Turn], scribe: Scribe
    ) -> tuple[Turn | None, dict[str, Score]]:
        kit = self.kit
        scores = dict[str, Score]()
        for attempt in range(kit.setup.verification.attempts):
            plan = plan_of(slot, kit.planned, seed=kit.setup.seed, attempt=attempt)
            if plan is None:
                scores = {
                    "schema": Score.passed_if(False, "found no arguments that are valid for the schema")
                }
                continue
            try:
                request = await self._request(plan, number, before, scribe, attempt=attempt)
            except Unreadable as problem:
                scores = {"written": Score.passed_if(False, str(problem))}
                continue
            golden = msgspec.structs.replace(golden_of(plan, request, kit), id=f"{self.id}/turn-{number + 1}")
            scores, used = await kit.verifier.verify(golden)
            scribe.note(used)
            if all(score.passed for score in scores.values()):
                return Turn("user", request, expected_calls=golden.expected_calls), scores
        return None, scores

    async def _request(
        self, plan: CallPlan, number: int, before: Sequence[Turn], scribe: Scribe, attempt: int
    ) -> str:
        scribe.attempt = attempt
        if plan.has_calls:
            call_lines = calls_in_words(plan, self.kit)
        else:
            call_lines = "- Nothing: the user only says something about the conversation"
        return await scribe.text(
            f"turn-{number + 1}",
            "conversation",
            number=number + 1,
            history="\n".join(f"- {turn.content}" for turn in before) or "(nothing)",
            calls=call_lines,
            style=self.kit.style(self.id),
        )
