"""Expected and actual calls side by side, with a mark on every argument."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from msgspec.structs import replace

from rightcall.core.errors import RightCallError
from rightcall.metrics.matching.base import Scope
from rightcall.metrics.matching.compile import compile_matcher
from rightcall.metrics.matching.expectation import pattern_text
from rightcall.metrics.matching.teamwork import agent_text
from rightcall.records.call import CallStatus, ToolCall, agent_of, depth_of, path_of
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.failure import CODES, ArgumentMark, Failure, PairKind
from rightcall.records.record import Record
from rightcall.records.run import CaseResult
from rightcall.records.trajectory import Trajectory
from rightcall.show.text import display_text, json_text, one_line
from rightcall.show.view.call_pairs import Pairing, ShownPair
from rightcall.show.view.failures import failure_line

SIGNS: dict[ArgumentMark, str] = {"same": "=", "different": "≠", "missing": "missing", "extra": "extra"}
KIND_WORDS: dict[PairKind, str] = {
    "right": "as expected",
    "wrong_arguments": "wrong arguments",
    "wrong_tool": "another tool",
    "invented": "a tool that does not exist",
    "missing": "not called",
    "out_of_order": "out of order",
    "unexpected": "not expected",
    "forbidden": "forbidden",
    "allowed": "extra, allowed",
    "wrong_agent": "another agent",
}
"""What every drawing of a case says about a pair of calls."""
TONES: dict[PairKind, Literal["good", "quiet"]] = {"right": "good", "allowed": "quiet"}
MOST_CALLS = 100
DEEPEST = 8
"""How many levels of agents are indented."""
UNKNOWN_AGENT = "unknown agent"
WAITING = {"waiting": "waits for approval", "escalated": "escalated: waits for approval"}
MOST_ARGUMENTS = 200
LONGEST_VALUE = 4000


class ArgumentRow(Record, frozen=True):
    """One parameter. `expected` and `actual` are JSON texts, None where there is nothing."""

    name: str
    expected: str | None
    actual: str | None
    mark: ArgumentMark
    note: str = ""
    sign: str = ""


class CallView(Record, frozen=True):
    """One pair. `expected_tool` or `tool` is empty where there is no counterpart; `notes` say what is wrong and
    what a human decided, `approval` is the decision in a word."""

    kind: PairKind
    expected_tool: str
    tool: str
    arguments: tuple[ArgumentRow, ...]
    notes: tuple[str, ...] = ()
    step: int | None = None
    status: CallStatus = "not_run"
    output: str | None = None
    raw: str | None = None
    latency_ms: float | None = None
    approval: str = ""
    agent: str = ""
    """The agent that made the call, where there are several; `expected_agent` the one that should, `depth` how many
    agents are above it."""
    expected_agent: str = ""
    depth: int = 0
    written: str = ""
    """The tool that was called, where the call is named by what it does."""

    @property
    def word(self) -> str:
        return KIND_WORDS[self.kind]

    @property
    def tone(self) -> Literal["good", "quiet", "bad"]:
        return TONES.get(self.kind, "bad")


def call_views(pairing: Pairing, result: CaseResult) -> tuple[CallView, ...]:
    calls = pairing.calls
    names_agents = any(call.by is not None for call in pairing.expected)
    shows_agents = result.trajectory is not None and (names_agents or has_team(result.trajectory))
    about: defaultdict[tuple[int | None, int | None], list[Failure]] = defaultdict(list)
    for failure in result.codes:
        is_kept = failure.call is not None and failure.call < len(calls)
        about[failure.expected_call, failure.call if is_kept else None].append(failure)
    views = (_view(pair, pairing.expected, calls, about) for pair in pairing.pairs[:MOST_CALLS])
    if not shows_agents:
        return tuple(views)
    return tuple(_with_agent(view, pair, pairing) for view, pair in zip(views, pairing.pairs, strict=False))


def _with_agent(view: CallView, pair: ShownPair, pairing: Pairing) -> CallView:
    """The view with the agents that made the call and that should have."""
    call = None if pair.call is None else pairing.calls[pair.call]
    is_expected = pair.expected is not None and pair.expected < len(pairing.expected)
    by = pairing.expected[pair.expected or 0].by if is_expected else None
    return replace(
        view,
        agent=one_line(agent_of(call) or UNKNOWN_AGENT, 100) if call is not None else "",
        expected_agent=one_line(agent_text(by), 100) if by is not None else "",
        depth=min(depth_of(call), DEEPEST) if call is not None else 0,
    )


def _view(
    pair: ShownPair,
    expected: Sequence[ExpectedCall],
    calls: Sequence[ToolCall],
    about: dict[tuple[int | None, int | None], list[Failure]],
) -> CallView:
    is_expected = pair.expected is not None and pair.expected < len(expected)
    expected_call = expected[pair.expected or 0] if is_expected else None
    call = None if pair.call is None else calls[pair.call]
    failures = about.get((pair.expected, pair.call), []) + (
        about.get((None, pair.call), []) if pair.expected is not None and pair.call is not None else []
    )
    compared = pair.kind in ("right", "wrong_arguments", "out_of_order", "wrong_agent")
    rows = arguments(expected_call, call, failures, compared=compared)
    return CallView(
        kind=pair.kind,
        expected_tool=one_line(pattern_text(expected_call.tool), 200) if expected_call else "",
        tool=one_line(call.name, 200) if call else "",
        arguments=tuple(rows[:MOST_ARGUMENTS]),
        notes=(
            *dict.fromkeys(failure_line(f) for f in failures if not CODES[f.code].mark or not f.parameter),
            *_decision(call),
        ),
        step=call.step if call else None,
        status=call.status if call else "not_run",
        output=None if call is None or call.status == "not_run" else json_text(call.output),
        raw=_words_of_model(call),
        latency_ms=call.latency_ms if call else None,
        approval=call.approval.decision if call and call.approval else "",
        written=_name_as_written(call),
    )


def _name_as_written(call: ToolCall | None) -> str:
    """The tool that was called, where the call is named by what it does."""
    written = call.notes.get("written") if call is not None else None
    if call is None or not isinstance(written, dict) or written.get("name") in (None, call.name):
        return ""
    return one_line(str(written["name"]), 200)


def _words_of_model(call: ToolCall | None) -> str | None:
    """What the model wrote, where that is not the call as shown: text instead of JSON, or a call that loads a skill."""
    if call is None:
        return None
    written = call.notes.get("written")
    if isinstance(written, dict) and "loaded_by" in call.notes:
        return display_text(f"{written.get('name')}({json_text(written.get('arguments'))})", LONGEST_VALUE)
    return None if call.raw is None else display_text(call.raw, LONGEST_VALUE)


def _decision(call: ToolCall | None) -> Iterator[str]:
    """What was decided about a call that needed approval, in words."""
    if call is None or call.approval is None:
        return
    approval = call.approval
    text = WAITING.get(approval.decision, approval.decision)
    if approval.arguments is not None:
        text += f": ran with {one_line(json_text(approval.arguments), LONGEST_VALUE)}"
    yield text + (f": {one_line(approval.message, LONGEST_VALUE)}" if approval.message else "")


def arguments(
    expected_call: ExpectedCall | None, call: ToolCall | None, failures: Sequence[Failure], *, compared: bool
) -> list[ArgumentRow]:
    """A row for each parameter: those expected in their order, then those only passed.

    `compared` says that the two belong together, so that what no failure names is the same.
    """
    specs: dict[str, Any] = (expected_call.args or {}) if expected_call else {}
    values: dict[str, Any] = (call.arguments or {}) if call else {}
    wrong = {failure.parameter: failure for failure in failures if CODES[failure.code].mark}
    unknown = call is not None and call.arguments_unknown
    rows = []
    for name in dict.fromkeys((*specs, *values)):
        if compared:
            mark = CODES[wrong[name].code].mark or "same" if name in wrong else "same"
        elif name in specs and name in values:
            mark = "same" if _equal(specs[name], values[name]) else "different"
        else:
            mark = "missing" if name in specs else "extra"
        rows.append(
            ArgumentRow(
                one_line(name, 200),
                json_text(specs[name], LONGEST_VALUE) if name in specs else None,
                json_text(values[name], LONGEST_VALUE) if name in values else None,
                mark,
                note="unknown" if unknown else _note(name, specs, values, wrong.get(name), mark=mark),
                sign=SIGNS[mark],
            )
        )
    return rows


def _equal(spec: Any, value: Any) -> bool:
    """Whether an argument is what was expected of another tool, whichever tool was called."""
    try:
        return compile_matcher(spec, Scope()).score(value, 0) == 1.0
    except RightCallError:  # a matcher that needs more than is known here
        return False


def _note(
    name: str, specs: dict[str, Any], values: dict[str, Any], failure: Failure | None, mark: ArgumentMark
) -> str:
    if failure is not None:
        if failure.code == "forbidden_arg":
            return "must not be passed"
        return one_line(f"should be {failure.detail}", 400) if failure.detail else ""
    if mark == "same" and name in specs and name not in values and values:
        return "default value"
    return "not compared" if name in values and name not in specs and specs else ""


def has_team(trajectory: Trajectory) -> bool:
    """Whether more than one agent worked on a case, so that it is worth saying who did what."""
    paths = {path_of(call) for call in trajectory.calls} | {
        tuple(answer.path) for answer in trajectory.answers
    }
    return len(paths - {()}) > 1
