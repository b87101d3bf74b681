"""One failed trial, one symptom: the first thing that went wrong, derived only from failure codes.

A wrong tool hides its arguments: its consequences are not a second cause. In a conversation the earliest turn with
a symptom counts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, get_args

import msgspec

from rightcall.core.text import pluralize
from rightcall.improve.argument_kind import ArgumentKind, Setting, argument_kind, is_stated, plain_value
from rightcall.improve.units import unit_said
from rightcall.metrics.matching.teamwork import LABELS
from rightcall.records.call import ToolCall, agent_of
from rightcall.records.failure import CODES, Failure, SymptomGroup
from rightcall.records.tool import Tool

ORDER: tuple[SymptomGroup, ...] = get_args(SymptomGroup)

PLAIN_KINDS = frozenset(("renamed", "swapped", "type", "date", "unit"))
"""What is wrong with an argument so plainly that the error of its tool is no other cause."""
RIGHT_ARGUMENTS = "error_for_right_arguments"
INCOMPLETE = "error_for_expected_arguments_that_the_schema_refuses"
_ERROR = re.compile(r"\W{0,3}(?:error|exception|traceback|failed|failure)\b", re.I)
LONGEST = 200
"""Characters of an error text or a value that are kept."""


class BadArgument(NamedTuple):
    """One wrong parameter, how it was wrong, and whether the request contained the expected value.

    `looked_up` says that the value had to come from an expected call that was not made, `instead` is the parameter that
    was given it under another name.
    """

    parameter: str
    kind: ArgumentKind
    held: bool
    reference: bool = False
    looked_up: bool = False
    instead: str = ""


class Symptom(NamedTuple):
    """What went wrong first in a trial.

    `tool` is the expected tool, or the one called too often; `called` the one called instead, empty for none. `code` is
    that of the first failure. `detail` is the text of a tool's error. `skipped`
    is the expected tool whose result the call lacked, `danger` the worst sort of danger in the trial. `agents` are the
    agent that should have worked and the one that did; `untold` is the agent that was not told what it needed.
    """

    group: SymptomGroup
    tool: str = ""
    called: str = ""
    arguments: tuple[BadArgument, ...] = ()
    code: str = ""
    detail: str = ""
    turn: int | None = None
    skipped: str = ""
    danger: str = ""
    agents: tuple[str, ...] = ()
    untold: str = ""


class Mistake(NamedTuple):
    """One wrong argument with its values, and the unit that the request gives with a wrongly scaled number."""

    tool: str
    parameter: str
    kind: ArgumentKind
    expected: Any
    actual: Any
    unit: str = ""


class SymptomRequest(NamedTuple):
    """A golden's text, in which values can be found, and its expectations, call by call.

    Of a golden that passed before (`green`) every value can be known.
    """

    words: str
    expected: Sequence[tuple[str, Mapping[str, Any]]]
    green: bool = False


def symptom_of(
    failures: Sequence[Failure], calls: Sequence[ToolCall], request: SymptomRequest, tools: Mapping[str, Tool]
) -> tuple[Symptom, tuple[Mistake, ...]]:
    """The first symptom of a failed trial, with the wrong arguments when it is about those."""
    turn = min((f.turn for f in failures if f.turn is not None), default=None)
    told = [f for f in failures if f.code != "infra_error" and (turn is None or f.turn in (turn, None))]
    failures_by_group: dict[SymptomGroup, Failure] = {}
    for failure in told:
        failures_by_group.setdefault(CODES[failure.code].symptom, failure)
    error = _last_error(calls, {tool for tool, _ in request.expected})
    groups = [group for group in ORDER if group in failures_by_group or (group == "recovery" and error)]
    if not groups:
        return Symptom("other", code=told[0].code if told else "", turn=turn), ()
    symptom = Symptom(groups[0])
    mistakes = tuple[Mistake, ...]()
    if symptom.group == "recovery":  # the tool may have failed because of its arguments
        skipped = next((f.tool for f in told if f.code == "missing_call"), "")
        wrong, mistakes = _arguments(told, calls, request, tools, skipped=skipped)
        if wrong.skipped or any(argument.kind in PLAIN_KINDS for argument in wrong.arguments):
            return wrong._replace(turn=turn), mistakes
        mistakes = ()
    if symptom.group == "recovery" and error:
        is_wrong = any(f.tool == error.name and CODES[f.code].symptom == "arguments" for f in told)
        code = "error" if is_wrong else RIGHT_ARGUMENTS
        if not is_wrong and _lacks_required(error, tools.get(error.name)):
            code = INCOMPLETE
        symptom = Symptom("recovery", error.name, code=code, detail=_text(error.output))
    elif symptom.group == "arguments":
        symptom, mistakes = _arguments(told, calls, request, tools)
    else:
        failure = failures_by_group[symptom.group]
        if failure.code == "missing_call":
            symptom, mistakes = _arguments(told, calls, request, tools, skipped=failure.tool)
        if not symptom.skipped:
            symptom = _symptom_of_failure(groups[0], failure)
            mistakes = ()
    return symptom._replace(turn=turn), mistakes


def _lacks_required(call: ToolCall, tool: Tool | None) -> bool:
    """Whether a call that the golden expects lacks what the definition requires: its error is no fault of the tool."""
    required = tool.input_schema.get("required") if tool is not None else None
    return isinstance(required, list) and not set(map(str, required)) <= set(call.arguments or {})


def _symptom_of_failure(group: SymptomGroup, failure: Failure) -> Symptom:
    called = failure.actual if group in ("miss", "invented") and isinstance(failure.actual, str) else ""
    tool = "" if group == "invented" and failure.expected_call is None else failure.tool
    return Symptom(group, tool, called[:LONGEST], code=failure.code, agents=_agents_mixed_up(failure))


def _arguments(
    told: Sequence[Failure],
    calls: Sequence[ToolCall],
    request: SymptomRequest,
    tools: Mapping[str, Tool],
    skipped: str = "",
) -> tuple[Symptom, tuple[Mistake, ...]]:
    """The wrong arguments of the first such call; with `skipped` only if their values were to come from that tool."""
    failures = [f for f in told if CODES[f.code].symptom == "arguments" and f.tool != skipped]
    if not failures:
        return Symptom("arguments"), ()
    tool = failures[0].tool
    bad: dict[str, BadArgument] = {}
    mistakes: list[Mistake] = []
    wrong = {f.parameter: f.actual for f in failures if f.tool == tool}
    for failure in failures:
        name = top_parameter(failure.parameter)
        if failure.tool != tool or name in bad or (failure.code == "schema_violation" and name in wrong):
            continue
        instead = _new_name(failure, calls, request)
        kind = "renamed" if instead else _kind(failure, calls, request, tools.get(tool))
        held = _is_held(failure, request, tools.get(tool))
        reference = failure.code == "hallucinated_ref"
        looked_up = bool(skipped) and (reference or not held)
        bad[name] = BadArgument(name, kind, held, reference, looked_up=looked_up, instead=instead)
        unit = unit_said(failure.actual, request.words) if kind == "unit" else ""
        mistakes.append(
            Mistake(tool, name, kind, plain_value(failure.expected), actual=failure.actual, unit=unit)
        )
    renamed = {argument.instead for argument in bad.values()}
    ordered = tuple(bad[name] for name in sorted(bad.keys() - renamed))
    mistakes = [mistake for mistake in mistakes if mistake.parameter not in renamed]
    skipped = skipped if any(argument.looked_up for argument in ordered) else ""
    in_request = {argument.parameter for argument in ordered if argument.held}
    about_them = [f for f in failures if f.tool == tool and top_parameter(f.parameter) in in_request]
    untold = _untold_agent(about_them, calls)
    symptom = Symptom("arguments", tool, "", ordered, code=failures[0].code, skipped=skipped, untold=untold)
    return symptom, tuple(mistakes)


def _new_name(failure: Failure, calls: Sequence[ToolCall], request: SymptomRequest) -> str:
    """The parameter that nobody expects and that was given the value of a missing one; empty if there is none."""
    expected = plain_value(failure.expected)
    at = failure.call
    if (
        failure.code != "missing_arg"
        or at is None
        or at >= len(calls)
        or not isinstance(expected, str | int | float)
    ):
        return ""
    beside = _arguments_beside(failure, request)
    given = (calls[at].arguments or {}).items()
    return next((name for name, value in given if name not in beside and value == expected), "")


def _kind(
    failure: Failure, calls: Sequence[ToolCall], request: SymptomRequest, tool: Tool | None
) -> ArgumentKind:
    if failure.code == "schema_violation":
        return "other"
    at = failure.call
    call = calls[at] if at is not None and at < len(calls) else None
    others = _arguments_beside(failure, request)
    return argument_kind(
        failure.code,
        failure.expected,
        failure.actual,
        Setting(
            failure.parameter,
            others,
            (call.arguments or {}) if call is not None else {},
            enum_of(tool, failure.parameter),
            words=request.words,
            results=tuple(_text(c.output, 4000) for c in calls[: at or 0] if c.output is not None),
        ),
    )


def _arguments_beside(failure: Failure, request: SymptomRequest) -> Mapping[str, Any]:
    at = failure.expected_call
    if at is not None and at < len(request.expected) and request.expected[at][0] == failure.tool:
        return dict(request.expected[at][1])
    return dict(next((args for tool, args in request.expected if tool == failure.tool), {}))


def _is_held(failure: Failure, request: SymptomRequest, tool: Tool | None) -> bool:
    """Whether the request contains the expected value; enum values always count as contained."""
    if request.green or failure.code not in ("missing_arg", "wrong_value", "wrong_type"):
        return True
    if enum_of(tool, failure.parameter):
        return True
    return is_stated(failure.expected, request.words)


def enum_of(tool: Tool | None, parameter: str) -> Sequence[Any]:
    """The enum of a parameter, or of the items of a list; empty without one."""
    schema = tool.parameters.get(parameter) if tool is not None else None
    if not isinstance(schema, dict):
        return ()
    items = schema.get("items")
    values = schema.get("enum", items.get("enum") if isinstance(items, dict) else None)
    return values if isinstance(values, list) else ()


def top_parameter(parameter: str) -> str:
    """The parameter itself, when a failure concerns part of its value."""
    return parameter.lstrip("/").split("/")[0].split(".")[0].split("[")[0]


def _last_error(calls: Iterable[ToolCall], expected: set[str]) -> ToolCall | None:
    """The last failed call of an expected tool that no later call recovered from."""
    open_ones: dict[str, ToolCall] = {}
    for call in calls:
        if is_error(call) and call.name in expected:
            open_ones[call.name] = call
        elif call.status == "ok":
            open_ones.pop(call.name, None)
    return next(iter(open_ones.values()), None)


def is_error(call: ToolCall) -> bool:
    """Whether a call failed, as it is known or as a loop that catches exceptions writes it into the result."""
    told = call.output if isinstance(call.output, str) else ""
    return call.status == "error" or (call.status == "ok" and _ERROR.match(told) is not None)


def symptom_sentence(symptoms: Mapping[Symptom, int]) -> str:
    """What goes wrong most often, in words, and how much else does."""
    by_words = Counter[str]()
    silent = {symptom.tool for symptom in symptoms if symptom.group == "miss" and not symptom.called}
    for symptom, times in symptoms.items():
        is_silent = len(silent) > 2 and symptom.group == "miss" and not symptom.called
        by_words["no tool is called" if is_silent else _symptom_words(symptom)] += times
    (first, _), *others = sorted(by_words.items(), key=lambda item: (-item[1], item[0]))
    return first + (f"; and {pluralize(len(others), 'other symptom')}" if others else "")


def _symptom_words(symptom: Symptom) -> str:
    tool = symptom.tool
    called = symptom.called
    names = " and ".join(dict.fromkeys(argument.parameter for argument in symptom.arguments))
    match symptom.group:
        case "miss":
            return f"{called} is called instead of {tool}" if called else f"{tool} is not called"
        case "extra":
            return f"{tool} is called where it is not needed"
        case "invented":
            return f"{called}, which does not exist, is called"
        case "arguments":
            return f"{names or 'an argument'} of {tool} is wrong"
        case "recovery":
            return f"{tool} fails: {symptom.detail[:80]}"
    return CODES[symptom.code].title if symptom.code in CODES else "the agent stops"


def _text(output: Any, most: int = LONGEST) -> str:
    if isinstance(output, str):
        return output[:most]
    try:
        return msgspec.json.encode(output).decode()[:most]
    except (TypeError, ValueError, RecursionError):
        return repr(output)[:most]


def _agents_mixed_up(failure: Failure) -> tuple[str, ...]:
    """The agent that should have worked and the one that did; empty when the failure is not about two agents."""
    expected = str(failure.expected or "")
    actual = str(failure.actual or "")
    if failure.code == "wrong_agent":
        return (expected, actual.rsplit("/", maxsplit=1)[-1]) if expected and actual else ()
    if failure.code != "wrong_tool":
        return ()
    for label in LABELS.values():
        if failure.tool.startswith(label) and actual.startswith(label):
            return failure.tool[len(label) :], actual[len(label) :]
    return ()


def _untold_agent(failures: Sequence[Failure], calls: Sequence[ToolCall]) -> str:
    """The agent whose argument is wrong because the call that gave it the work lacks the value; empty if none is.

    `failures` are about values that the request contains. A hand-off without arguments passes the conversation on, so
    that it lacks nothing.
    """
    for failure in failures:
        if failure.call is None or failure.call >= len(calls):
            continue
        source = _source_call(failure.call, calls)
        if source is None or not source.arguments:
            continue
        text = msgspec.json.encode(source.arguments).decode()
        if not is_stated(plain_value(failure.expected), text):
            return agent_of(calls[failure.call])
    return ""


def _source_call(place: int, calls: Sequence[ToolCall]) -> ToolCall | None:
    """The call that gave its work to the agent which made the call at this place."""
    call = calls[place]
    if parent := call.notes.get("parent"):
        return next((other for other in reversed(calls[:place]) if other.id == parent), None)
    agent = agent_of(call)
    sources = (other for other in reversed(calls[:place]) if agent and other.notes.get("handoff") == agent)
    return next(sources, None)
