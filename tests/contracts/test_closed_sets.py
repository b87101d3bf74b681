"""A misspelt word of a closed set is an error where it is written: in Python, in goldens and in the settings of metrics."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings, strategies as st

import rightcall as rc
from rightcall.agents.agent import Agent
from rightcall.core.errors import RightCallError
from rightcall.metrics.builtin.consent import Confirmation
from rightcall.metrics.judged.rubric import Rubric
from rightcall.metrics.resolve import metric_class, metric_names
from rightcall.records.golden import Turn
from rightcall.tools.definitions.behaviour import Behaviour
from rightcall.tools.faults.plan import Fault
from rightcall.tools.runtime.toolbox import Toolbox
from tests.support.examples import examples

Definition = Callable[[str, Any], Any]


def define_tool(keyword: str, value: Any) -> Any:
    @rc.tool(**{keyword: value})
    def pay(cents: int) -> str:
        return "paid"

    return pay


DEFINITIONS: dict[str, tuple[Any, Definition]] = {
    "tool": (Behaviour, define_tool),
    "Toolbox": (Toolbox.__init__, lambda keyword, value: Toolbox(**{keyword: value})),
    "Agent": (Agent, lambda keyword, value: Agent("keyword", **{keyword: value})),
    "Golden": (rc.Golden, lambda keyword, value: rc.Golden("Hi", **{keyword: value})),
    "ConversationalGolden": (
        rc.ConversationalGolden,
        lambda keyword, value: rc.ConversationalGolden("Hi", **{keyword: value}),
    ),
    "ExpectedCall": (rc.ExpectedCall, lambda keyword, value: rc.ExpectedCall("pay", **{keyword: value})),
    "Turn": (Turn, lambda keyword, value: Turn(**{"role": "user", "content": "Hi", keyword: value})),
    "Tool": (rc.Tool, lambda keyword, value: rc.Tool("pay", **{keyword: value})),
    "ToolCall": (rc.ToolCall, lambda keyword, value: rc.ToolCall("pay", **{keyword: value})),
    "Trajectory": (rc.Trajectory, lambda keyword, value: rc.Trajectory(**{keyword: value})),
    "Fault": (Fault, lambda keyword, value: Fault(**{"tool": "pay", keyword: value})),
    "Rubric": (Rubric, lambda keyword, value: Rubric(**{"model": "keyword", keyword: value})),
    **{
        name: (metric_class(name), lambda keyword, value, name=name: metric_class(name)(**{keyword: value}))
        for name in metric_names()
    },
}


def words_of(kind: Any) -> list[str]:
    if get_origin(kind) is Literal:
        return [word for word in get_args(kind) if isinstance(word, str) and word]
    return [word for part in get_args(kind) for word in words_of(part)]


def closed_keywords() -> Iterator[tuple[str, str, list[str], bool]]:
    for name, (owner, _) in DEFINITIONS.items():
        for keyword, kind in hints_of(owner).items():
            parts = [part for part in (kind, *get_args(kind)) if words_of(part)]
            several = any(get_origin(part) not in (None, Literal) and "tuple" in str(part) for part in parts)
            if parts:
                yield name, keyword, words_of(kind), several


def hints_of(owner: Any) -> dict[str, Any]:
    import rightcall.tools.faults.plan as faults
    import rightcall.tools.guard.monitor as monitor
    import rightcall.tools.guard.policy as policy

    hints = get_type_hints(owner, localns={**vars(faults), **vars(monitor), **vars(policy)})
    names = {field.name for field in dataclasses.fields(owner)} if dataclasses.is_dataclass(owner) else hints
    return {name: hint for name, hint in hints.items() if name in names}


CLOSED = list(closed_keywords())


def test_the_closed_sets_of_every_definition_are_searched():
    searched = {f"{name}.{keyword}" for name, keyword, *_ in CLOSED}
    assert {
        "tool.idempotency",
        "tool.confirmation",
        "Toolbox.execute",
        "Agent.mode",
        "Agent.execute",
    } <= searched
    assert {"Golden.order", "Golden.category", "ExpectedCall.extra_args", "Rubric.decide"} <= searched
    assert "confirmation.needless" in searched


@given(st.data())
@settings(max_examples=examples(300))
def test_every_misspelt_word_of_every_closed_set_raises_at_its_definition(data):
    name, keyword, words, several = data.draw(st.sampled_from(CLOSED))
    word = data.draw(st.sampled_from(words))
    at = data.draw(st.integers(0, len(word)))
    misspelt = data.draw(
        st.sampled_from([word[:at] + word[at + 1 :], word[:at] + "s" + word[at:], word.upper()])
    )
    if misspelt in words or not misspelt:
        return
    with pytest.raises(RightCallError) as raised:
        DEFINITIONS[name][1](keyword, [misspelt] if several else misspelt)
    assert keyword in str(raised.value)
    assert misspelt in str(raised.value)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (
            lambda: define_tool("idempotency", "keys"),
            "tool 'pay': idempotency must be one of key, args, none, got 'keys'; did you mean 'key'?",
        ),
        (
            lambda: define_tool("confirmation", "usr"),
            "tool 'pay': confirmation must be one of none, preview, user, got 'usr'; did you mean 'user'?",
        ),
        (lambda: define_tool("timeout_s", -1), "tool 'pay': timeout_s must be a number above 0, got -1"),
        (
            lambda: define_tool("timeout_s", float("nan")),
            "tool 'pay': timeout_s must be a number above 0, got nan",
        ),
        (
            lambda: define_tool("key_parameter", "cent"),
            "tool 'pay': key_parameter 'cent' is no parameter of the function; did you mean 'cents'?",
        ),
        (
            lambda: define_tool("volatile", ["cent"]),
            "tool 'pay': volatile 'cent' is no parameter of the function; did you mean 'cents'?",
        ),
        (
            lambda: define_tool("destructive", "yes"),
            "tool 'pay': destructive must be True or False, got 'yes'",
        ),
        (lambda: define_tool("probe", "find"), "tool 'pay': probe must be a function, got 'find'"),
        (
            lambda: define_tool("idempotancy", "key"),
            "tool 'pay': unknown keyword 'idempotancy'; did you mean 'idempotency'?",
        ),
        (
            lambda: rc.Golden("Hi", threshold=2),
            "Golden: threshold must be a number above 0 and at most 1, got 2",
        ),
        (
            lambda: rc.Golden("Hi", forbidden_calls="pay"),
            "Golden: forbidden_calls must be a list of a string or a mapping, got 'pay'",
        ),
        (
            lambda: Agent("keyword", guard="atuo"),
            "guard: no such policy or file 'atuo'; did you mean 'auto'?",
        ),
        (
            lambda: Agent("keyword", approvals={"pay": "aprove"}),
            "approvals.pay must be approve, escalate, {reject: MESSAGE} or {edit: {ARGUMENT: VALUE}}, got 'aprove'; did you mean 'approve'?",
        ),
        (
            lambda: Agent("keyword", settings={"temprature": 1}),
            "settings: unknown field 'temprature'; did you mean 'temperature'?",
        ),
        (
            lambda: Confirmation(needless="forbit"),
            "confirmation: needless must be one of allow, forbid, got 'forbit'; did you mean 'forbid'?",
        ),
    ],
)
def test_the_error_names_the_place_the_keyword_and_the_nearest_value(make, says):
    with pytest.raises(RightCallError) as raised:
        make()
    assert says in str(raised.value)
