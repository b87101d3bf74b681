"""One case for display: the messages, the calls, and where they differ from the golden."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Literal

from rightcall.core.text import pluralize
from rightcall.metrics.matching.expectation import pattern_text
from rightcall.metrics.matching.teamwork import agent_text
from rightcall.records.failure import NO_TOOLS, danger_of
from rightcall.records.golden import AnyGolden, ConversationalGolden, Golden, request_of
from rightcall.records.message import Message
from rightcall.records.record import Record
from rightcall.records.run import CaseOutcome, CaseResult
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Trajectory
from rightcall.show.text import decimal, display_text, dollars, duration, json_text, one_line
from rightcall.show.view.call_pairs import pairing_of, with_loads
from rightcall.show.view.calls import CallView, call_views, has_team
from rightcall.show.view.failures import case_dangers, failure_line
from rightcall.show.view.messages import (
    ENDINGS,
    MessageView,
    first_failing_turn,
    message_view,
    transcript,
    with_agents,
)

MOST_BARS = 200


class Bar(Record, frozen=True):
    """One piece of time, from the start of the case.

    `estimated` marks answers whose time was not measured: they share the remaining time evenly.
    """

    kind: Literal["model", "tool"]
    label: str
    start_ms: float
    duration_ms: float
    estimated: bool = False


def waterfall(trajectory: Trajectory) -> tuple[Bar, ...]:
    """Answers in order, each followed by its calls, which run at the same time."""
    steps = {
        step: list(calls)
        for step, calls in groupby(trajectory.calls, key=lambda call: 0 if call.step is None else call.step)
    }
    answers = [message for message in trajectory.messages if message.role == "assistant"]
    tools = sum(max((c.latency_ms or 0.0 for c in calls), default=0.0) for calls in steps.values())
    count = max(len(answers), max(steps, default=-1) + 1)
    if trajectory.latency_ms is None and not tools:
        return ()
    measured = [message.latency_ms for message in answers]
    unmeasured = count - sum(latency is not None for latency in measured)
    left = max(0.0, (trajectory.latency_ms or 0.0) - tools - sum(latency or 0.0 for latency in measured))
    clock = 0.0
    bars = list[Bar]()
    for step in range(count):
        measured_duration = measured[step] if step < len(measured) else None
        duration = left / unmeasured if measured_duration is None else measured_duration
        bars.append(
            Bar("model", "model", clock, duration, estimated=measured_duration is None and unmeasured > 1)
        )
        clock += duration
        calls = steps.get(step, [])
        bars += [
            Bar("tool", one_line(c.name, 100), clock, c.latency_ms) for c in calls if c.latency_ms is not None
        ]
        clock += max((call.latency_ms or 0.0 for call in calls), default=0.0)
    return tuple(bars[:MOST_BARS])


MOST_MESSAGES = 200
MOST_FAILURES = 100
LONGEST_REASON = 400


class FailureLine(Record, frozen=True):
    """A code and its sentence, and the sort of danger if it is dangerous."""

    code: str
    sentence: str
    danger: str = ""


class ScoreLine(Record, frozen=True):
    name: str
    value: float
    passed: bool
    reason: str = ""
    error: str = ""
    judged: bool = False
    """Whether a model gave it."""


class CaseView(Record, frozen=True):
    """Everything shown of one trial of one golden. All texts are safe to show and limited in length.

    `failures` begin with the dangerous ones, whose sorts are `danger`.
    """

    golden_id: str
    trial: int
    outcome: CaseOutcome
    category: str
    score: float
    input: str
    reason: str
    rules: tuple[tuple[str, str], ...]
    failures: tuple[FailureLine, ...]
    calls: tuple[CallView, ...]
    messages: tuple[MessageView, ...]
    timings: tuple[Bar, ...]
    scores: tuple[ScoreLine, ...]
    stop_reason: str = ""
    latency_ms: float | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    tags: tuple[str, ...] = ()
    first_failing_turn: int | None = None
    ended: str = ""
    ended_why: str = ""
    user: str = ""
    facts: tuple[str, ...] = ()
    """What every drawing says of the case in one line: category, score, time, tokens, cost, what ended it."""
    danger: tuple[str, ...] = ()


def case_view(golden: AnyGolden | None, result: CaseResult, tools: Mapping[str, Tool] = NO_TOOLS) -> CaseView:
    """The view of one result; works without its golden or trajectory."""
    result = with_loads(result, tools)
    trajectory = result.trajectory
    messages = trajectory.messages if trajectory else ()
    talk = trajectory.dialogue if trajectory else None
    spoken = (
        transcript(messages[:MOST_MESSAGES], result, talk.given if talk else 0)
        if isinstance(golden, ConversationalGolden) or talk
        else tuple(map(message_view, messages[:MOST_MESSAGES]))
    )
    if trajectory is not None and trajectory.answers and has_team(trajectory):
        spoken = with_agents(spoken, trajectory)
    return CaseView(
        golden_id=result.golden_id,
        trial=result.trial,
        outcome=result.outcome,
        category=result.category,
        score=result.score,
        input=display_text(input_of(golden, messages)),
        reason=reason_of(result, tools),
        rules=(*_requests_sent(golden, messages), *_rules(golden)),
        failures=tuple(_failures(result, tools)),
        calls=call_views(pairing_of(golden, result, tools), result),
        messages=spoken,
        timings=waterfall(trajectory) if trajectory else (),
        scores=tuple(
            ScoreLine(
                name,
                s.value,
                s.passed,
                one_line(s.reason, LONGEST_REASON),
                error=one_line(s.error, 1000),
                judged=s.judged is not None,
            )
            for name, s in result.metrics.items()
        ),
        stop_reason=trajectory.stop_reason if trajectory else "",
        latency_ms=result.latency_ms,
        input_tokens=result.usage.input_tokens or 0,
        output_tokens=result.usage.output_tokens or 0,
        cost_usd=result.usage.cost_usd,
        tags=tuple(one_line(tag, 100) for tag in golden.tags) if golden else (),
        first_failing_turn=first_failing_turn(result),
        ended=ENDINGS.get(talk.ended, talk.ended) if talk else "",
        ended_why=one_line(talk.why, LONGEST_REASON) if talk else "",
        user=one_line(talk.user, 200) if talk else "",
        facts=tuple(_facts(result)),
        danger=case_dangers(result, tools),
    )


def _failures(result: CaseResult, tools: Mapping[str, Tool]) -> list[FailureLine]:
    lines = [FailureLine(f.code, failure_line(f), danger_of(f, tools)) for f in result.codes]
    return sorted(lines, key=lambda line: not line.danger)[:MOST_FAILURES]


def _facts(result: CaseResult) -> Iterator[str]:
    usage = result.usage
    trajectory = result.trajectory
    yield result.category
    if result.checked:
        yield f"score {decimal(result.score)}"
    if result.latency_ms is not None:
        yield duration(result.latency_ms)
    if usage.input_tokens or usage.output_tokens:
        yield f"{usage.input_tokens or 0:,} tokens in, {usage.output_tokens or 0:,} out"
    if usage.cost_usd is not None:
        yield dollars(usage.cost_usd)
    if trajectory is None:
        return
    if trajectory.stop_reason not in ("", "done"):
        yield f"stopped: {trajectory.stop_reason}"
    if talk := trajectory.dialogue:
        if talk.user:
            yield f"user: {one_line(talk.user, 200)}"
        if talk.ended:
            why = f" ({one_line(talk.why, LONGEST_REASON)})" if talk.why else ""
            yield f"ended: {ENDINGS.get(talk.ended, talk.ended)}{why}"


def reason_of(result: CaseResult, tools: Mapping[str, Tool] = NO_TOOLS) -> str:
    """Why a case did not pass, in one line, danger first; empty when it did; what was called if nothing was checked."""
    if not result.checked and not result.error:
        attack = result.metrics.get("resisted")
        if attack is not None and attack.reason:  # an attack that the agent never met
            return one_line(attack.reason, LONGEST_REASON)
        return calls_text(result.trajectory)
    if result.passed and not result.error:
        return ""
    overall = result.metrics.get("overall")
    reason = result.error or (overall.reason if overall else "")
    clauses = dict.fromkeys(map(failure_line, result.codes))
    dangers = [failure_line(failure) for failure in result.codes if danger_of(failure, tools)]
    if dangers and result.checked:
        reason = "; ".join(filter(None, dict.fromkeys((*dangers, result.error, *clauses))))
    return one_line(reason or "; ".join(clauses) or "did not pass", LONGEST_REASON)


def calls_text(trajectory: Trajectory | None) -> str:
    """The calls of a case in one line, as far as they are known, and what ended it if it is not done."""
    if trajectory is None:
        return ""
    calls = (f"{call.name}({json_text(call.arguments, 200)})" for call in trajectory.calls)
    text = "called " + ", ".join(calls) if trajectory.calls else "no calls"
    if trajectory.stop_reason != "done":
        text += f"; {trajectory.stop_reason}" + (f": {trajectory.error}" if trajectory.error else "")
    return one_line(text, LONGEST_REASON)


def input_of(golden: AnyGolden | None, messages: Sequence[Message] = ()) -> str:
    if golden is not None:
        return request_of(golden)
    return next((message.content for message in messages if message.role == "user"), "")


def _agent_rules(golden: AnyGolden) -> Iterator[tuple[str, str]]:
    """What the golden says about agents besides who makes a call."""
    if golden.answered_by is not None:
        yield "answered by", one_line(agent_text(golden.answered_by), 200)
    if golden.max_handoffs is not None:
        yield "at most", pluralize(golden.max_handoffs, "hand-off")
    if golden.max_depth is not None:
        yield "at most", f"{pluralize(golden.max_depth, 'level')} of agents below the first"
    words = {"max_calls": "calls", "max_tokens": "tokens", "max_latency_ms": "ms"}
    for name, budget in golden.agents.items():
        amounts = ((getattr(budget, field), word) for field, word in words.items())
        if limits := [f"{amount:g} {word}" for amount, word in amounts if amount is not None]:
            yield f"budget of {one_line(name, 100)}", ", ".join(limits)


def _plant_rules(golden: AnyGolden) -> list[tuple[str, str]]:
    """What is planted where in an attempt."""
    if golden.safety is None:
        return []
    from rightcall.show.view.attack_hits import plant_texts  # seldom, and this is made for every case

    return [(f"planted in the {planted.where}", planted.text) for planted in plant_texts(golden.safety)]


def _requests_sent(golden: AnyGolden | None, messages: Sequence[Message]) -> Iterator[tuple[str, str]]:
    """What the agent's model was sent, where it is not just the golden's input."""
    said = [message for message in messages if message.role == "user"]
    if not isinstance(golden, Golden) or not said:
        return
    if all(message.content != golden.input for message in said):
        yield "sent", display_text(said[0].content, 4000)
    if said[0].note:
        yield "sent", said[0].note


def _rules(golden: AnyGolden | None) -> tuple[tuple[str, str], ...]:
    """The requirements of the golden besides its expected calls."""
    if golden is None:
        return ()
    description = golden.metadata.get("description")
    latency = golden.max_latency_ms
    others = golden.any_of
    rules = [
        ("description", display_text(description, 2000) if isinstance(description, str) else ""),
        ("no calls", "the agent must not call any tool" if golden.no_calls else ""),
        ("forbidden", one_line(", ".join(map(pattern_text, golden.forbidden_calls)), 1000)),
        *_plant_rules(golden),
        *_agent_rules(golden),
        ("order", "as listed" if golden.order == "strict" else ""),
        ("extra calls", "allowed" if golden.extra_calls == "allow" else ""),
        ("at most", "" if golden.max_calls is None else f"{golden.max_calls} calls"),
        ("within", "" if latency is None else f"{latency:g} ms"),
        ("answer contains", json_text(golden.output_contains, 1000) if golden.output_contains else ""),
        ("alternatives", f"{len(others)}; the closest one is shown" if others else ""),
        ("system prompt", display_text(golden.system or "", 4000)),
        ("comment", display_text(golden.comments or "", 2000)),
    ]
    return tuple(rule for rule in rules if rule[1])
