"""From the spans of one trace to what the agent did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from rightcall.agents.observed.recorder import CallsScored
from rightcall.core.text import pluralize
from rightcall.limbs.traces.calls import NO_NAME, CallSlot, call_of, join, slots_of, tell, tools_from
from rightcall.limbs.traces.content import arguments_of, first_text, whole_number
from rightcall.limbs.traces.dialects import common as names, observe
from rightcall.limbs.traces.messages import SpokenMessage, as_message, tool_calls
from rightcall.limbs.traces.problems import Problems
from rightcall.limbs.traces.span import Observation, Span
from rightcall.limbs.traces.structure import (
    answers_in,
    by_time,
    note_teamwork,
    one_spelling,
    root_of,
    set_parents,
    set_places,
    without_doubles,
)
from rightcall.limbs.traces.trace import Trace
from rightcall.records.call import ToolCall
from rightcall.records.dialects.endings import is_broken_end, is_end_with_calls, stop_of
from rightcall.records.message import Message
from rightcall.records.trajectory import StopReason, Trajectory, Usage, limit_trajectory_depth

MAX_SPANS = 2000
"""Maximum number of spans read per trace; more than that is a runaway agent."""
MANY_UNKNOWN = 0.2

LIMITS = ("MaxTurnsExceeded", "GraphRecursionError", "UsageLimitExceeded", "max_steps_error", "max_turns")
OUTSIDE = (
    "APIConnectionError",
    "RateLimitError",
    "InternalServerError",
    "APITimeoutError",
    "ServiceUnavailable",
)


def assemble(
    spans: Iterable[Span], *, source: str = "", calls: CallsScored = "auto", problems: Problems | None = None
) -> Trace:
    """The trace of these spans, in any order; all have one trace id.

    `calls` selects which count: `auto` skips those inside an agent that is used as a tool, `root` keeps only
    those of the root agent, `all` keeps every call. `problems` are those already found in the file.
    """
    problem_log = problems or Problems()
    kept = sorted(_distinct(spans), key=lambda span: (span.start, span.span_id))
    if len(kept) > MAX_SPANS:
        problem_log.add("too_many", kept[0].trace_id, len(kept) - MAX_SPANS)
        kept = kept[:MAX_SPANS]
    unknown = {name for span in kept for name in span.attributes if names.is_unknown(name)}
    if unknown:
        problem_log.add("unknown_names", min(unknown), len(unknown))
    seen = [observe(span) for span in kept]
    set_parents(seen, problem_log)
    seen = one_spelling(without_doubles(seen), problem_log)
    set_places(seen)
    return _trace(kept, seen, root_of(seen, problem_log), problem_log, source=source, mode=calls)


def _distinct(spans: Iterable[Span]) -> list[Span]:
    """Spans by id; of two with the same id, the one with more data."""
    best: dict[str, Span] = {}
    for span in spans:
        other = best.get(span.span_id)
        if other is None or _weight(span) > _weight(other):
            best[span.span_id] = span
    return list(best.values())


def _weight(span: Span) -> tuple[int, int, int, str, str]:
    return (
        span.end,
        len(span.attributes),
        len(span.events),
        span.name,
        repr(sorted(span.attributes.items(), key=str)),
    )


def _trace(
    spans: list[Span],
    seen: list[Observation],
    root: Observation | None,
    problems: Problems,
    source: str,
    mode: CallsScored,
) -> Trace:
    """The trace of spans and observations, both in the order of time."""
    every_model = [o for o in seen if o.kind == "llm"]
    models = [o for o in every_model if _counts(o, root, mode)]
    tools = [o for o in seen if o.kind == "tool" and _counts(o, root, mode)]
    for model in filter(_unread, models):
        problems.add("answer" if model.broken_answer else "unread", model.span.span_id)
    definitions = tools_from(list(chain.from_iterable(o.tools for o in (*every_model, *seen))))
    slots = _slots(models, tools)
    note_teamwork(slots, models, seen)
    by_name = {tool.name: tool for tool in definitions}
    calls = tuple(call_of(slot, by_name, problems, any_tool_spans=bool(tools)) for slot in slots)
    _explain(calls, spans, seen, problems)
    system = next((m.system for m in models if m.system), "")
    question, earlier = _question(models, root, seen)
    trajectory = Trajectory(
        _transcript(system, models, calls),
        calls,
        _output(models, root),
        _usage(every_model, root),
        root.span.latency_ms if root is not None else None,
        *stop_reason_of(models, root, calls, _failure(models, tools)),
        answers=answers_in(every_model, models),
    )
    first = root.span if root is not None else spans[0]
    service = first_text(first.resource.get("service.name"))
    trials = (whole_number(s.attributes.get("rightcall.trial")) for s in spans)
    return Trace(
        spans[0].trace_id,
        limit_trajectory_depth(trajectory),
        definitions,
        input=question,
        system=system,
        session=first_text(*(o.session for o in seen)),
        agent=root.name if root is not None and root.kind == "agent" else service,
        service=service,
        model=next((m.model for m in models if m.model), ""),
        agent_version=first_text(root.version if root is not None else "", *(o.version for o in seen)),
        root_span=first.span_id,
        time=spans[0].start,
        source=source,
        spans=len(spans),
        earlier_turns=earlier,
        golden_id=first_text(*(s.attributes.get("rightcall.golden.id") for s in spans)),
        trial=next((trial for trial in trials if trial is not None), None),
        incomplete=root is None or root.span.end <= 0,
        resource={k: v for k, v in first.resource.items() if isinstance(v, str | int | float | bool)},
        problems=problems.texts(),
    )


def _slots(models: Sequence[Observation], tools: Sequence[Observation]) -> list[CallSlot]:
    """The calls of a trace in order: those that models asked for, joined with the tool spans that ran them."""
    slots = join(slots_of(models), tools, models)
    _recover(slots, models)
    tell(slots, models)
    return slots


def _counts(observation: Observation, root: Observation | None, mode: CallsScored) -> bool:
    place = observation.place
    if mode == "all":
        return True
    if mode == "root":
        return place.agent is root or (root is not None and root.kind != "agent" and place.depth == 0)
    return place.depth == 0


def _recover(slots: list[CallSlot], models: Sequence[Observation]) -> None:
    """Unrecorded answers, recovered from the next request: calls whose tool never started.

    Tool spans cover the others. Without any tool span, every call of the step comes from there.
    """
    for step, model in enumerate(models[:-1]):
        if model.answer is not None or model.broken_answer:
            continue
        before = len(model.asked or ())
        later = models[step + 1].asked or []
        written = list(
            chain.from_iterable(message.calls for message in later[before:] if message.role == "assistant")
        )
        ran = [slot for slot in slots if slot.step == step]
        for called in written:
            arguments, _ = arguments_of(called.arguments)
            match = next((s for s in ran if s.called.name == called.name and _may_be(s, arguments)), None)
            if match is not None:
                ran.remove(match)
            else:
                slots.append(CallSlot(step, model, called))
    slots.sort(key=lambda slot: slot.step)


def _may_be(slot: CallSlot, arguments: dict[str, Any] | None) -> bool:
    ran = arguments_of(slot.tool.arguments)[0] if slot.tool is not None else slot.arguments
    return ran is None or arguments is None or ran == arguments


def _explain(
    calls: Sequence[ToolCall], spans: Sequence[Span], seen: Sequence[Observation], problems: Problems
) -> None:
    if not any(o.kind in ("llm", "tool") for o in seen):
        problems.hint(empty_hint(spans))
        return
    named = [call for call in calls if call.name != NO_NAME]
    unknown = sum(call.arguments_unknown for call in named)
    if unknown > MANY_UNKNOWN * len(named):
        problems.add("unknown_arguments", spans[0].trace_id, unknown)
        problems.hint(capture_hint([o.span.scope for o in seen if o.kind == "tool"]))


def _question(
    models: Sequence[Observation], root: Observation | None, seen: Sequence[Observation]
) -> tuple[str, int]:
    """What the user asked in this trace, and how many turns came before."""
    for asker in (*models, root):
        asked = asker.asked if asker is not None else None
        texts = [message.text for message in asked or () if message.role == "user" and message.text]
        if texts:
            return texts[-1], len(texts) - 1
    if root is not None and root.question:
        return root.question, 0
    return first_text(*(o.question for o in seen)), 0


def _output(models: Sequence[Observation], root: Observation | None) -> str:
    """The last answer without calls, otherwise the output of the root span."""
    if models and models[-1].answer is not None and not models[-1].answer.calls:
        return models[-1].answer.text
    return root.output if root is not None else ""


def _usage(models: Sequence[Observation], root: Observation | None) -> Usage:
    """The sum over the answers; totals reported by agents would count them twice."""
    sources = [m for m in models if m.has_usage] or ([root] if root is not None and root.has_usage else [])
    return Usage(
        sum(s.input_tokens or 0 for s in sources),
        sum(s.output_tokens or 0 for s in sources),
        cached_tokens=sum(s.cached_tokens or 0 for s in sources),
    )


def _failure(models: Sequence[Observation], tools: Sequence[Observation]) -> str:
    """The error of a span around the last step of a run that ended without an answer: not every root records it."""
    if not models or (models[-1].answer is not None and not models[-1].answer.calls):
        return ""
    for around in max((*models, *tools), key=by_time).above():
        if around.failed and around.kind in ("other", "agent"):
            return around.error or "a span has status error"
    return ""


def stop_reason_of(
    models: Sequence[Observation], root: Observation | None, calls: Sequence[ToolCall], failure: str
) -> tuple[StopReason, str]:
    unread = next(filter(None, map(_unread, models)), "")
    if not unread and any(call.name == NO_NAME for call in calls):
        unread = "a call has no name, so that nobody knows which tool it was"
    if unread:  # it may hold calls, so the trace says nothing about the agent
        return "infra_error", unread
    if failure or (root is not None and root.failed):
        text = failure or (root.error if root is not None else "") or "the root span has status error"
        if any(word in text for word in LIMITS):
            return "limit", text
        return ("infra_error" if any(word in text for word in OUTSIDE) else "agent_error"), text
    last = models[-1] if models else None
    finish = last.finish or (last.answer.finish if last.answer else "") if last else ""
    silent = last is not None and last.answer is not None and not (last.answer.calls or last.answer.text)
    if _is_end_unknown(models, root, finish) and (not calls or any(model.answer for model in models)):
        return "infra_error", "the last answer of the model was not recorded, so nobody knows what it called"
    if silent and not calls and is_end_with_calls(finish):
        return "infra_error", f"the last answer ended with {finish}, and the trace has no call"
    if is_broken_end(finish):
        return "infra_error", f"the last answer ended with {finish}"
    return stop_of(finish), ""


def _is_end_unknown(models: Sequence[Observation], root: Observation | None, finish: str) -> bool:
    """Whether neither the last answer, nor how it ended, nor what the agent returned was recorded."""
    is_recorded = finish or (root is not None and root.output)
    return bool(models) and models[-1].answer is None and not is_recorded


def _unread(model: Observation) -> str:
    """What of an answer could not be read."""
    if model.broken_answer:
        return "an answer is not a list of parts"
    return model.answer.unread if model.answer is not None else ""


def _transcript(system: str, models: Sequence[Observation], calls: Sequence[ToolCall]) -> tuple[Message, ...]:
    """The last request that was recorded, with the answer to it; empty when content was not recorded."""
    asked: list[SpokenMessage] = next((m.asked for m in reversed(models) if m.asked), [])
    last = models[-1].answer if models and models[-1].asked is not None else None
    if not asked:
        return ()
    spoken = [*asked, *([last] if last is not None else [])]
    head = (Message("system", system),) if system else ()
    return head + tuple(as_message(message, tool_calls(message.calls)) for message in spoken)


SETTINGS: tuple[tuple[str, str], ...] = (
    (
        "gcp.vertex.agent",
        "set OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental and "
        "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY (the old value 'true' sends it to logs only)",
    ),
    (
        "opentelemetry.instrumentation.openai_v2",
        "set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY",
    ),
    ("openinference", "unset OPENINFERENCE_HIDE_INPUTS and OPENINFERENCE_HIDE_OUTPUTS"),
    (  # a scope that OpenTelemetry and OpenLLMetry both use
        "opentelemetry.instrumentation",
        "set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY, or with OpenLLMetry "
        "TRACELOOP_TRACE_CONTENT=true",
    ),
    ("traceloop", "set TRACELOOP_TRACE_CONTENT=true"),
    ("pydantic-ai", "use InstrumentationSettings(include_content=True)"),
    ("langfuse", "export the field groups io and tools"),
    ("agent_framework", "set ENABLE_SENSITIVE_DATA=true"),
    ("lmnr", "do not pass ignore_input or ignore_output to observe()"),
)
GENERAL = "set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY"


def setting_for(scope: str) -> str:
    """The setting that makes this instrumentation record content."""
    return next((text for beginning, text in SETTINGS if scope.startswith(beginning)), GENERAL)


def capture_hint(scopes: Sequence[str]) -> str:
    """One sentence for calls whose arguments were not recorded."""
    scope = Counter(scopes).most_common(1)[0][0] if scopes else ""
    return f"to record arguments{f' with {scope}' if scope else ''}: {setting_for(scope)}"


def empty_hint(spans: Sequence[Span]) -> str:
    """One sentence for a trace without an agent."""
    scope = Counter(span.scope for span in spans).most_common(1)[0][0] if spans else ""
    count = pluralize(len(spans), "span")
    description = f"trace {spans[0].trace_id} has {count}, none from a model or a tool"
    return f"{description}; is content capture on? {setting_for(scope)}"
