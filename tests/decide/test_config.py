"""A suite's gate mapping: read, or refused with every problem named."""

from __future__ import annotations

import pytest

from rightcall.core.errors import ConfigError, InputError
from rightcall.decide.config import Gate, read_gate


def test_two_numbers_are_enough():
    assert read_gate({"min": 0.9, "target": 0.95}) == Gate(min=0.9, target=0.95)


def test_a_misspelt_field_is_refused_with_a_suggestion():
    with pytest.raises(InputError, match="unknown field 'taget'; did you mean 'target'"):
        read_gate({"min": 0.9, "taget": 0.95}, "suite.yaml")


def test_an_unknown_code_is_refused_with_a_suggestion():
    with pytest.raises(ConfigError, match="did you mean 'forbidden_call'"):
        read_gate({"forbid": ["forbiden_call"]})


def test_all_contradictions_are_reported_at_once():
    with pytest.raises(ConfigError) as caught:
        read_gate({"min": 0.9, "target": 0.8, "stop": "evalue", "rule": "point"})
    assert len(caught.value.problems) == 2


@pytest.mark.parametrize(
    ("mapping", "problem"),
    [
        ({"min": 90}, "min must be a number <= 1"),
        ({"min": 1.0}, "no number of goldens can show 100%"),
        ({"target": 0.9}, "target requires min"),
        ({"min": 0.9, "stop": "evalue"}, "requires min and target"),
        (
            {"min": 0.9, "target": 0.95, "stop": "evalue", "by": {"categories": {"negative": 0.9}}},
            "works only with min",
        ),
    ],
)
def test_what_cannot_work_is_refused(mapping, problem):
    with pytest.raises((ConfigError, InputError), match=problem):
        read_gate(mapping)


def test_everything_must_pass_is_allowed_as_a_bare_comparison():
    assert read_gate({"min": 1.0, "rule": "point"}).min == 1.0


@pytest.mark.parametrize(
    ("gate", "limits"),
    [
        ({"worst_case": {}}, False),
        ({"forbid": ["forbidden_call"], "latency_ms": {"p95": 9}}, False),
        ({"min": 0.5}, True),
        ({"by": {"tags": {"money": 0.9}}}, True),
        ({"baseline": {"run": "last"}}, True),
    ],
)
def test_a_gate_knows_whether_it_asks_how_many_cases_pass(gate, limits):
    assert read_gate(gate).limits_passes is limits
