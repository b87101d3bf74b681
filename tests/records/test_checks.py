"""What makes a golden checked: one table, and the golden's digest with it."""

from __future__ import annotations

import msgspec
import pytest

from rightcall.records import ConversationalGolden, Expectations, ExpectedCall, Golden, ToolCall, Turn
from rightcall.records.approval import Caller
from rightcall.records.expected_call import AgentBudget
from rightcall.records.golden import canonical_golden, states_check, with_id
from rightcall.records.safety import Safety

CALLS = (ExpectedCall("a"),)
STATES = {
    "expected_calls": CALLS,
    "any_of": ((),),
    "forbidden_calls": ("a",),
    "no_calls": True,
    "max_calls": 0,
    "max_latency_ms": 0.0,
    "output_contains": ("x",),
    "expected_state": {},
    "category": "golden",
    "confirm": ("a",),
    "as_": Caller("viewer"),
    "safety": Safety("injection"),
    "agents": {"billing": AgentBudget(3)},
    "max_depth": 0,
    "max_handoffs": 0,
    "answered_by": "billing",
}
STATES_NOTHING = {
    "id": "g", "tools": ("a",), "system": "s", "context": ("c",), "order": "strict", "extra_calls": "allow",
    "threshold": 0.5, "argument_matching": "schema", "defaults": "strict", "count_failed": "final",
    "expected_output": "for a judge", "name": "n", "comments": "c", "tags": ("t",), "cluster": "c",
    "metadata": {"a": 1}, "actual_output": "o", "tools_called": (ToolCall("a"),), "retrieval_context": ("r",),
    "expectations": Expectations(must=("be kind",)), "expected_labels": {"a": "b"}, "custom_columns": {"a": "b"},
    "source_file": "f", "token_cost": 1.0, "input_token_count": 1.0, "output_token_count": 1.0, "tool_set": "s",
    "model": "m", "settings": {}, "outcome_checked_by": ("a",), "judge": "skills",
}  # fmt: skip


def test_the_tables_have_every_field():
    assert sorted([*STATES, *STATES_NOTHING, "input"]) == sorted(Golden.__struct_fields__)


@pytest.mark.parametrize("field", STATES)
def test_a_field_that_states_a_check(field):
    assert states_check(Golden("?", **{field: STATES[field]}))


def test_all_others_together_state_none():
    assert not states_check(Golden("?", **STATES_NOTHING))


@pytest.mark.parametrize("category", ["golden", "secondary"])
def test_a_category_that_allows_any_call_states_none(category):
    assert not states_check(Golden("?", category=category, extra_calls="allow"))
    assert states_check(Golden("?", category="negative", extra_calls="allow"))


TALKS = {
    "nothing": ({}, False),
    "a turn that expects calls": ({"turns": (Turn("user", "hi", expected_calls=CALLS),)}, True),
    "a turn that expects none": ({"turns": (Turn("user", "hi", expected_calls=()),)}, True),
    "a turn": ({"turns": (Turn("user", "hi"),)}, False),
    "an outcome for a judge": ({"expected_outcome": "refunded"}, False),
    "any call is allowed": ({"category": "golden"}, False),
    "no call is": ({"category": "negative"}, True),
    "a state": ({"expected_state": {}}, True),
}


@pytest.mark.parametrize("name", TALKS)
def test_a_conversation(name):
    fields, checked = TALKS[name]
    assert states_check(ConversationalGolden("talk", **fields)) is checked


@pytest.mark.parametrize(
    "fields", [{}, {"expected_calls": CALLS}, {"no_calls": True}, {"extra_calls": "allow"}]
)
def test_a_stated_category_changes_a_fingerprint_only_if_it_changes_a_check(fields):
    silent = Golden("?", **fields)
    stated = Golden("?", category="golden", **fields)
    same = canonical_golden(silent) == canonical_golden(stated)
    assert same is (states_check(silent) == states_check(stated))
    assert with_id(silent).id == with_id(stated).id


def test_a_category_that_was_written_is_written_again():
    golden = Golden("?", category="golden")
    assert msgspec.json.decode(msgspec.json.encode(golden), type=Golden) == golden
    assert Golden("?").category is None and b"category" not in msgspec.json.encode(Golden("?"))
