"""What names of calls alone show agrees with the general solver."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings, strategies as st

from rightcall.metrics.matching.fast_path import fails_by_names
from rightcall.metrics.matching.verdict import ScoringRules
from rightcall.metrics.score_case import Scorer
from rightcall.records import ExpectedCall, Golden, ToolCall, Trajectory
from tests.metrics.strategies import PLAIN, TOOLS
from tests.support.examples import examples

EXPECTED = st.builds(
    ExpectedCall,
    TOOLS | st.just(("a", "b")),
    st.none() | PLAIN,
    required=st.just(True) | st.booleans(),
    max=st.none() | st.just(2),
    weight=st.sampled_from([1.0, 1.0, 0.0]),
)
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "category": st.sampled_from([None, "golden", "negative", "secondary"]),
    "extra_calls": st.sampled_from(["forbid", "allow"]),
    "no_calls": st.just(False) | st.booleans(),
    "count_failed": st.sampled_from(["all", "all", "successful"]),
    "forbidden_calls": st.sampled_from([(), (), ("c",)]),
    "output_contains": st.sampled_from([(), ("x",)]),
    "max_calls": st.sampled_from([None, None, 1]),
}


@settings(max_examples=examples(3_000, 100))
@given(
    expected=st.lists(EXPECTED, max_size=3),
    fields=st.fixed_dictionaries(FIELDS),
    calls=st.lists(st.builds(ToolCall, TOOLS, PLAIN), max_size=4),
    rule=st.sampled_from(["strict", "strict", "score"]),
)
def test_a_case_that_names_fail_fails(expected, fields, calls, rule):
    golden = Golden("request", id="g", expected_calls=expected, **fields)
    rules = ScoringRules(pass_rule=rule)
    if fails_by_names(golden, [call.name for call in calls], rules):
        result = Scorer(rules=rules).stated(golden, 0, Trajectory(calls=calls), {})
        assert not result.passed and not result.error
