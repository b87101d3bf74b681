"""Goldens from tools: a call plan first, then a request that implies exactly those calls, then verification.

From skills: requests that should load a skill, and adjacent ones that should not. Conversations: scripted turns of the
user, each planned and verified as a separate request.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import msgspec

from rightcall.core.codec import encode
from rightcall.core.words import name_tokens
from rightcall.limbs.generate.plans import CallPlan, PlanKind, PlannedCall, PlannedSlot, plan_of
from rightcall.limbs.generate.production import Job, Made
from rightcall.limbs.generate.scribe import Scribe, Unreadable
from rightcall.limbs.generate.setup import Kit
from rightcall.limbs.generate.statement import missing_values, states, surplus_numbers
from rightcall.records.golden import ConversationalGolden, Golden, Turn
from rightcall.records.score import Score
from rightcall.records.tool import Tool

MOST_TOOLS_SHOWN = 30


@dataclass(frozen=True)
class ToolJob:
    """One slot: plan, write, verify; retried with another plan on failure."""

    slot: PlannedSlot
    kit: Kit
    parents: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The slot's name."""
        return self.slot.id

    async def make(self) -> Made:
        """A verified golden, or why every attempt failed."""
        kit = self.kit
        reasons = list[str]()
        scribe = kit.scribe(self.id)
        scores: dict[str, Score] = {}
        for attempt in range(kit.setup.verification.attempts):
            plan = plan_of(self.slot, kit.planned, seed=kit.setup.seed, attempt=attempt)
            if plan is None:
                reasons.append("found no arguments that are valid for the schema")
                continue
            try:
                request = await self._request(plan, scribe, attempt)
            except Unreadable as problem:
                reasons.append(str(problem))
                continue
            golden = golden_of(plan, request, kit)
            scores = await self._verify(golden, plan, scribe)
            if all(score.passed for score in scores.values()):
                return Made(self._with_provenance(golden, plan, scribe, scores), scores, "", scribe)
            reasons.append(next(score.reason for score in scores.values() if not score.passed))
        return Made(None, scores, "; ".join(dict.fromkeys(reasons)), scribe)

    async def _request(self, plan: CallPlan, scribe: Scribe, attempt: int) -> str:
        kit = self.kit
        scribe.attempt = attempt
        style = kit.style(self.id)
        if plan.slot.kind == "none":
            names = plan.slot.tools or list(kit.tools)[:MOST_TOOLS_SHOWN]
            listed = "\n".join(f"- {kit.tools[name].description}" for name in names)
            prompt = "request_adjacent" if plan.slot.tools else "request_none"
            return await scribe.text("request", prompt, tools=listed, style=style)
        calls = calls_in_words(plan, kit)
        rules = _rules(plan, kit)
        return await scribe.text("request", "request", calls=calls, rules=rules, style=style)

    async def _verify(self, golden: Golden, plan: CallPlan, scribe: Scribe) -> dict[str, Score]:
        scores: dict[str, Score] = {}
        if plan.missing:
            problem = self._problem_of(golden.input, plan)
            scores["withheld"] = Score.passed_if(not problem, problem)
        if all(score.passed for score in scores.values()):
            checked, used = await self.kit.verifier.verify(golden)
            scores |= checked
            scribe.note(used)
        return scores

    def _problem_of(self, request: str, plan: CallPlan) -> str:
        values = [call.arguments[plan.missing] for call in plan.calls if plan.missing in call.arguments]
        if any(not isinstance(value, bool) and states(request, value) for value in values):
            return f"the request reveals the {plan.missing}"
        rest = [{n: v for n, v in call.arguments.items() if n != plan.missing} for call in plan.calls]
        lacking = missing_values(request, rest) or surplus_numbers(request, rest)
        is_wrong = lacking and self.kit.setup.verification.literal
        return f"the request does not match its plan: {lacking[0]}" if is_wrong else ""

    def _with_provenance(
        self, golden: Golden, plan: CallPlan, scribe: Scribe, scores: dict[str, Score]
    ) -> Golden:
        provenance = self.kit.provenance(
            "goldens" if self.parents else "tools",
            scribe,
            plan=plan.slot.kind,
            attempt=plan.attempt,
            missing=plan.missing,
            parents=list(self.parents),
            verified={name: round(score.value, 3) for name, score in scores.items()},
        )
        cluster = self.parents[0] if self.parents else None
        return msgspec.structs.replace(golden, cluster=cluster, metadata={"generated": provenance})


def golden_of(plan: CallPlan, request: str, kit: Kit) -> Golden:
    """The golden of a plan and its request."""
    kind = plan.slot.kind
    return Golden(
        request,
        id=plan.slot.id,
        category="golden" if plan.has_calls else "negative",
        expected_calls=plan.expected_calls(kit.tools),
        no_calls=not plan.has_calls,
        forbidden_calls=(plan.distractor,) if plan.distractor else (),
        tags=("generated", kind.replace("_", "-")),
    )


def calls_in_words(plan: CallPlan, kit: Kit) -> str:
    """The calls of a plan described as tasks, with their values."""
    return "\n".join(f"- {call_in_words(call, kit, missing=plan.missing)}" for call in plan.calls)


def call_in_words(call: PlannedCall, kit: Kit, *, missing: str = "") -> str:
    """One call described as a task."""
    first_line = kit.tools[call.tool].description.strip().partition("\n")[0]
    what = first_line.rstrip(".") or call.tool.replace("_", " ")
    details = [
        f"{label(name)}: {'the one found before' if name in call.bound else value_in_words(value)}"
        for name, value in call.arguments.items()
        if name != missing
    ]
    return f"{what} ({'; '.join(details)})" if details else what


def _rules(plan: CallPlan, kit: Kit) -> str:
    rules = []
    if plan.missing:
        rules.append(f"- Say nothing about the {label(plan.missing)}: leave it out.")
    if plan.distractor:
        rules.append(
            f"- It must be clear that the user does not want this: {kit.tools[plan.distractor].description}"
        )
    return "\n".join(rules)


def label(name: str) -> str:
    """A parameter's name as a person would say it."""
    return " ".join(name_tokens(name)) or name


def value_in_words(value: Any) -> str:
    """A value in words that identify it exactly."""
    match value:
        case bool():
            return "yes" if value else "no"
        case str():
            return f"“{value}”"
        case list():
            return ", ".join(map(value_in_words, value))
        case dict():
            return (
                f"({'; '.join(f'{label(name)}: {value_in_words(inner)}' for name, inner in value.items())})"
            )
        case _:
            return encode(value).decode()


def job_stream(job: Callable[[int], Job], most: int | None = None) -> Callable[[int, int], Sequence[Job]]:
    """A stream of jobs, read in portions by number; `most` of them, or without end."""

    def jobs(start: int, count: int) -> Sequence[Job]:
        last = start + count if most is None else min(start + count, most)
        return [job(place) for place in range(start, last)]

    return jobs


PER_SKILL = 8
"""Half of them need the skill."""


@dataclass(frozen=True)
class SkillJob(ToolJob):
    """A golden that is judged by the skills that the agent loads."""

    async def make(self) -> Made:
        made = await super().make()
        if made.golden is None:
            return made
        fields = {
            "judge": "skills",
            "no_calls": False,
            "cluster": self.slot.tools[0],
            "tags": ("generated", "trigger"),
        }
        return replace(made, golden=msgspec.structs.replace(made.golden, **fields))


def skill_jobs(skills: Sequence[Tool], kit: Kit) -> Callable[[int, int], Sequence[Job]]:
    """Four requests for each skill, and four about its subject that do not need it."""

    def job(place: int) -> Job:
        number, which = divmod(place, len(skills))
        kind: PlanKind = "one" if number < PER_SKILL // 2 else "none"
        return SkillJob(PlannedSlot(place, kind, (skills[which].name,), number), kit)

    return job_stream(job, len(skills) * PER_SKILL)


TURN_KINDS: dict[PlanKind, int] = {"one": 5, "parallel": 1, "enum": 1, "none": 1}
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
