"""What happened, from the log of the model server and the tools' own notes."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.limbs.adapters.script import Call

from benchmarks.adapters.scenarios import ASK_EXPERT, EXPERT, HAND_OVER, STEPS, TRAVEL, TRIP, Scenario
from benchmarks.adapters.scripted_server import Exchange
from benchmarks.adapters.toolbox import ToolRun


@dataclass(frozen=True)
class TrueCall:
    """A call that the model wrote; `parent` is the position of the call inside which it was made."""

    name: str
    arguments: Any
    step: int
    status: str
    output: Any = None
    raised: bool = False
    depth: int = 0
    parent: int | None = None


@dataclass(frozen=True)
class Truth:
    """`answer` is None where the agent gave none; tokens are None where the model reported none."""

    calls: tuple[TrueCall, ...]
    stop: str
    answer: Any
    told: str
    """Everything the model was sent, as text."""
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None


def truth_of(
    scenario: Scenario,
    log: Sequence[Exchange],
    runs: Sequence[ToolRun],
    raised: BaseException | None,
    spelled: Callable[[Call], Call],
) -> Truth:
    """`raised` is what the same agent raised when nothing observed it."""
    usages = [exchange.answer.usage for exchange in log if not exchange.answer.lost]
    no_answer = (
        raised is not None or scenario.shape in ("limited", "asking") or bool(log and log[-1].answer.lost)
    )
    known = None not in usages
    return Truth(
        _calls(scenario, log, list(runs), spelled),
        _stop(scenario, log, raised),
        None if no_answer else _answer(scenario, log),
        json.dumps([exchange.body for exchange in log], ensure_ascii=False),
        sum(usage[0] for usage in usages if usage) if known else None,
        sum(usage[1] for usage in usages if usage) if known else None,
        sum(exchange.answer.cached for exchange in log) if known else None,
    )


def _calls(
    scenario: Scenario, log: Sequence[Exchange], runs: list[ToolRun], spelled: Callable[[Call], Call]
) -> tuple[TrueCall, ...]:
    calls: list[TrueCall] = []
    asked_expert: int | None = None
    for step, exchange in enumerate(log):
        inside = scenario.shape == "sub_agent" and exchange.agent == EXPERT
        answered = any(later.agent == exchange.agent for later in log[step + 1 :])
        for call in exchange.answer.calls:
            run = _run_of(call, runs)
            if call.name in (ASK_EXPERT, HAND_OVER):
                status = "ok" if any(later.agent == EXPERT for later in log[step + 1 :]) else "error"
            elif run is None:
                status = "error" if answered else "not_run"
            else:
                status = "error" if run.raised else "ok"
            if call.name == ASK_EXPERT:
                asked_expert = len(calls)
            wire = spelled(call)
            output = None if run is None else run.raised or run.output
            parent = asked_expert if inside else None
            calls.append(
                TrueCall(
                    wire.name,
                    wire.arguments,
                    step,
                    status,
                    output,
                    bool(run and run.raised),
                    int(inside),
                    parent,
                )
            )
    return tuple(calls)


def _run_of(call: Call, runs: list[ToolRun]) -> ToolRun | None:
    """The execution of a call; each is one call's."""
    for at, run in enumerate(runs):
        broken = isinstance(call.arguments, str)  # a framework that repairs them runs the tool with others
        if run.name == call.name and (broken or run.arguments == call.arguments):
            return runs.pop(at)
    return None


def _stop(scenario: Scenario, log: Sequence[Exchange], raised: BaseException | None) -> str:
    if scenario.shape == "limited":
        assert len(log) < 30, f"the limit of {STEPS} steps allowed {len(log)} requests"
        return "limit"
    if scenario.shape == "asking":
        return "waiting_for_approval"
    if log and log[-1].answer.lost:
        return "infra_error"
    if log and log[-1].answer.cut:
        return "truncated"
    if log and log[-1].answer.ending:
        return _provider_word(log[-1])
    return "done" if raised is None else "agent_error"


def _provider_word(exchange: Exchange) -> str:
    """How the provider says it: Anthropic has refusals only, Gemini filters only."""
    if exchange.path.endswith(("/chat/completions", "/responses")):
        return exchange.answer.ending
    return "filtered" if ":" in exchange.path else "refused"


def _answer(scenario: Scenario, log: Sequence[Exchange]) -> Any:
    if scenario.shape == "typed_answer":
        return TRIP
    speakers = (TRAVEL,) if scenario.shape == "sub_agent" else (TRAVEL, EXPERT)
    return next((e.answer.text for e in reversed(log) if e.agent in speakers and e.answer.text), None)
