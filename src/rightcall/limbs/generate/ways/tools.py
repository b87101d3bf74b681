"""From tools: a call plan first, then a request that implies exactly those calls, then verification."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from rightcall.core.codec import encode
from rightcall.core.words import name_tokens
from rightcall.limbs.generate.config import Evolution, draw
from rightcall.limbs.generate.kit import Kit
from rightcall.limbs.generate.plans import CallPlan, PlannedCall, PlannedSlot, plan_of
from rightcall.limbs.generate.production import Made
from rightcall.limbs.generate.scribe import Scribe, Unreadable
from rightcall.limbs.generate.statement import missing_values, states, surplus_numbers
from rightcall.records.golden import Golden
from rightcall.records.score import Score

MOST_TOOLS_SHOWN = 30


@dataclass(frozen=True)
class ToolJob:
    """One slot: plan, write, verify, evolve; retried with another plan on failure."""

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
                golden = await self._evolve(golden, plan, scribe)
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
            problem = self._withheld_problem(golden.input, plan)
            scores["withheld"] = Score.passed_if(not problem, problem)
        if all(score.passed for score in scores.values()):
            checked, used = await self.kit.verifier.verify(golden)
            scores |= checked
            scribe.note(used)
        return scores

    def _withheld_problem(self, request: str, plan: CallPlan) -> str:
        values = [call.arguments[plan.missing] for call in plan.calls if plan.missing in call.arguments]
        if any(not isinstance(value, bool) and states(request, value) for value in values):
            return f"the request reveals the {plan.missing}"
        rest = [{n: v for n, v in call.arguments.items() if n != plan.missing} for call in plan.calls]
        lacking = missing_values(request, rest) or surplus_numbers(request, rest)
        is_wrong = lacking and self.kit.setup.verification.literal
        return f"the request does not match its plan: {lacking[0]}" if is_wrong else ""

    async def _evolve(self, golden: Golden, plan: CallPlan, scribe: Scribe) -> Golden:
        """The golden after its evolutions; one that no longer implies the same calls is reverted."""
        config = self.kit.setup.evolution_config
        tried = list[str]()
        if config is None or not plan.has_calls:
            return golden
        rng = self.kit.chance(self.id, "evolutions")
        for number, evolution in enumerate(
            draw(config.evolutions, config.num_evolutions, rng, with_context=False)
        ):
            better = await self._rewrite(golden, plan, scribe, evolution, number=number)
            tried.append(evolution.value if better is not None else f"{evolution.value}: not kept")
            golden = better or golden
        return msgspec.structs.replace(golden, metadata={**golden.metadata, "evolutions": tried})

    async def _rewrite(
        self, golden: Golden, plan: CallPlan, scribe: Scribe, evolution: Evolution, number: int
    ) -> Golden | None:
        call_lines = calls_in_words(plan, self.kit)
        keep = f"It must still make the assistant do exactly this, with every value literally:\n{call_lines}"
        try:
            text = await scribe.text(f"evolve-{number}", evolution.prompt, input=golden.input, keep=keep)
        except Unreadable:
            return None
        candidate = msgspec.structs.replace(golden, input=text)
        scores = await self._verify(candidate, plan, scribe)
        return candidate if all(score.passed for score in scores.values()) else None

    def _with_provenance(
        self, golden: Golden, plan: CallPlan, scribe: Scribe, scores: dict[str, Score]
    ) -> Golden:
        evolutions = golden.metadata.get("evolutions")
        provenance = self.kit.provenance(
            "goldens" if self.parents else "tools",
            scribe,
            plan=plan.slot.kind,
            attempt=plan.attempt,
            missing=plan.missing,
            evolutions=evolutions,
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
