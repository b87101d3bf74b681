"""Failures as readable text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rightcall.core.errors import InputError
from rightcall.metrics.matching.base import Scope, shown
from rightcall.metrics.matching.compile import compile_matcher, matcher_key
from rightcall.metrics.matching.matchers.references import NOT_RECORDED, OF_ANOTHER_CALL
from rightcall.model.failure import Code, Failure

NOTHING_CALLED = "nothing was called; expected "
MOST_CLAUSES = 50
"""Maximum clauses in a reason; the codes of a case are complete."""
SINGLE_VALUE = frozenset(("exact", "text", "number", "date", "default", "semantic"))
"""Matchers that wrap one value, which is enough in a sentence."""


def sentence(failure: Failure) -> str:
    """One failure as one clause, without a full stop."""
    return SENTENCES[failure.code](failure)


def reason(failures: Iterable[Failure]) -> str:
    """All failures of a case in one line; a repeated clause is shown once."""
    return joined(map(sentence, failures))


def joined(sentences: Iterable[str]) -> str:
    """Clauses in one line; a missing call is mentioned once, with all that was expected."""
    said = list(dict.fromkeys(sentences))
    missed = [clause.removeprefix(NOTHING_CALLED) for clause in said if clause.startswith(NOTHING_CALLED)]
    if len(missed) > 1:
        others = [clause for clause in said if not clause.startswith(NOTHING_CALLED)]
        said = [NOTHING_CALLED + " and ".join(missed), *others]
    if len(said) > MOST_CLAUSES:
        said = [*said[:MOST_CLAUSES], f"and {len(said) - MOST_CLAUSES:,} more"]
    return "; ".join(said)


def call_text(tool: str, arguments: Any) -> str:
    """A call as it would be written in code: `get_weather(city="Hanoi")`."""
    if not isinstance(arguments, dict):
        return tool if arguments is None else f"{tool}({shown(arguments)})"
    return f"{tool}({', '.join(f'{name}={_spec(value)}' for name, value in arguments.items())})"


def _spec(value: Any) -> str:
    """An expected value in a call: the value itself where the matcher has one, else the matcher in words."""
    key = matcher_key(value) if isinstance(value, dict) else None
    if key is None:
        return shown(value, 60)
    inner = value[key]
    if key in SINGLE_VALUE:
        return shown(inner["value"] if isinstance(inner, dict) and "value" in inner else inner, 60)
    try:
        return f"<{compile_matcher(value, Scope()).describe()}>"
    except InputError:  # a matcher that needs more than itself, such as a reference to another call
        return f"<{shown(value, 60)}>"


def _wanted(failure: Failure) -> str:
    return failure.detail or shown(failure.expected)


def _wrong_value(f: Failure) -> str:
    return f"{f.tool}: {f.parameter} should be {_wanted(f)}, was {shown(f.actual)}"


SENTENCES: dict[Code, Callable[[Failure], str]] = {
    "no_call": lambda f: f"{NOTHING_CALLED}{call_text(f.tool, f.expected)}",
    "missing_call": lambda f: f"{call_text(f.tool, f.expected)} was not called",
    "unexpected_call": lambda f: (
        f"{call_text(f.tool, f.actual)} was not expected"
        + (f", only {call_text(f.tool, f.expected)} would do" if f.expected is not None else "")
    ),
    "duplicate_call": lambda f: f"{call_text(f.tool, f.actual)} was called again unnecessarily",
    "retry": lambda f: f"{call_text(f.tool, f.actual)} was retried after a failure",
    "wrong_tool": lambda f: f"called {f.actual} instead of {f.tool}",
    "unknown_tool": lambda f: (
        f"called {f.actual}, a tool that does not exist"
        + ("" if f.expected is None else f", instead of {f.expected}")
    ),
    "missing_arg": lambda f: f"{f.tool}: {f.parameter} is missing, should be {_wanted(f)}",
    "extra_arg": lambda f: f"{f.tool}: {f.parameter} was not expected, was {shown(f.actual)}",
    "wrong_value": _wrong_value,
    "wrong_type": lambda f: f"{_wrong_value(f)} (wrong type)",
    "bad_json": lambda f: f"{f.tool}: the arguments are not a JSON object: {shown(f.actual)}",
    "schema_violation": lambda f: f"{f.tool}: not valid for the tool's schema: {f.detail}",
    "order_violation": lambda f: f"{f.tool} was called out of order; expected {f.expected}",
    "forbidden_call": lambda f: f"{call_text(f.tool, f.actual)} is forbidden",
    "forbidden_arg": lambda f: f"{f.tool}: {f.parameter} must not be passed, was {shown(f.actual)}",
    "hallucinated_ref": lambda f: (
        f"{f.tool}: {f.parameter} should be {_wanted(f)}, "
        + (
            f"was {shown(f.actual)}"
            if f.detail.endswith((NOT_RECORDED, OF_ANOTHER_CALL))
            else f"but {shown(f.actual)} is not from any earlier result"
        )
    ),
    "over_calling": lambda f: f"{f.actual} calls, {f.detail or f'at most {f.expected} are allowed'}",
    "over_latency": lambda f: f"took {f.actual:g} ms, the budget is {f.expected:g} ms",
    "missing_content": lambda f: f"the answer does not contain {shown(f.expected)}",
    "wrong_state": lambda f: (
        f"{f.tool or 'the world'} ended in the wrong state: {f.detail or shown(f.actual)}"
    ),
    "double_effect": lambda f: f"{f.tool} took effect twice{_because(f)}",
    "failed_metric": lambda f: f.detail,
    "loop_limit": lambda f: f"stopped at a limit before finishing{_because(f)}",
    "refused": lambda f: f"the model refused{_because(f)}",
    "agent_error": lambda f: f"the agent failed{_because(f)}",
    "infra_error": lambda f: f"no answer{_because(f)}",
    "outcome_unknown": lambda f: f"{f.tool}: outcome unknown{_because(f)}",
    "unconfirmed": lambda f: f"{call_text(f.tool, f.actual)} ran without confirmation{_because(f)}",
    "missing_confirmation": lambda f: f"did not ask before {f.tool}{_because(f)}",
    "needless_confirmation": lambda f: f"asked before {call_text(f.tool, f.actual)}, which was not expected",
    "waiting_for_approval": lambda f: f"waits for the approval of {f.tool or 'a call'}{_because(f)}",
    "unauthorized_call": lambda f: (
        f"{call_text(f.tool, f.actual)} ran for a caller without permission{_because(f)}"
    ),
    "permission_denied": lambda f: f"{f.tool} was refused{_because(f)}",
}


def _because(failure: Failure) -> str:
    return f": {failure.detail}" if failure.detail else ""
