"""A summary depends on the results alone, not on their order."""

from __future__ import annotations

from fractions import Fraction

import msgspec
from hypothesis import given, strategies as st

from rightcall.metrics.dimensions import SPOTLESS
from rightcall.metrics.tally import MOST_TAGS, Tally
from rightcall.records import CaseResult, Failure, Score, Usage

values = st.floats(0, 1) | st.sampled_from([0.0, 1.0, 0.1, 1 / 3])
scores = st.builds(Score, values, st.booleans(), error=st.sampled_from(["", "", "broke"]))
CLUSTERS = {"a": "north", "b": "north", "c": "south", "d": None}


@st.composite
def results(draw):
    golden = draw(st.sampled_from("abcd"))
    passed = draw(st.booleans())
    own = st.dictionaries(st.sampled_from(["overall", "mine", "other", "call_f1"]), scores)
    return CaseResult(
        golden,
        draw(st.integers(0, 3)),
        passed,
        float(passed),
        draw(st.just(SPOTLESS) | own),
        ()
        if passed
        else tuple(
            Failure(code)
            for code in draw(st.sets(st.sampled_from(["wrong_value", "extra_argument", "missing_call"])))
        ),
        category=draw(st.sampled_from(["golden", "secondary"])),
        error=draw(st.sampled_from(["", "", "", "429"])),
        usage=Usage(draw(st.integers(0, 9)), 1, draw(st.none() | st.floats(0, 0.5))),
        cluster=CLUSTERS[golden],
        tags=tuple(draw(st.sets(st.sampled_from("xyz")))),
    )


def tallied(cases):
    tally = Tally(("mine",))
    for case in cases:
        tally.add(case)
    return tally


def written(tally):
    """The summary with every key in its place and every bit of its floats."""
    return msgspec.json.encode(tally.summary())


@given(st.lists(results(), max_size=30), st.randoms())
def test_any_order_gives_the_same_bits(cases, shuffler):
    shuffled = list(cases)
    shuffler.shuffle(shuffled)
    assert written(tallied(shuffled)) == written(tallied(cases))


@given(st.lists(st.floats(2**-8, 1), min_size=1, max_size=200))
def test_a_mean_is_the_exact_one_rounded_once(found):
    tally = tallied(CaseResult(f"g-{n}", 0, True, 1.0, {"mine": Score(v, True)}) for n, v in enumerate(found))
    assert tally.summary().overall.means["mine"] == float(sum(map(Fraction, found)) / len(found))


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=50))
def test_costs_add_up_to_the_nano_dollar(nanos):
    tally = tallied(
        CaseResult("g", n, True, 1.0, {}, usage=Usage(0, 0, nano / 1e9)) for n, nano in enumerate(nanos)
    )
    assert tally.usage.cost_usd == sum(nanos) / 1e9


@given(st.lists(st.integers(0, 400), min_size=1, max_size=300), st.randoms())
def test_tags_beyond_the_limit_leave_out_whole_tags_whatever_the_order(numbers, shuffler):
    cases = [CaseResult("g", n, True, 1.0, {}, tags=(f"{tag:03}",)) for n, tag in enumerate(numbers)]
    kept = sorted({f"{tag:03}" for tag in numbers})[:MOST_TAGS]
    shuffler.shuffle(cases)
    tags = tallied(cases).summary().tags
    assert {tag: group.cases for tag, group in tags.items()} == {tag: numbers.count(int(tag)) for tag in kept}


def test_a_value_that_is_not_a_number_is_left_out_of_the_mean():
    broken = [Score(float("nan"), False), Score(float("inf"), True), Score(0.5, True)]
    tally = tallied(CaseResult("g", n, True, 1.0, {"mine": score}) for n, score in enumerate(broken))
    assert tally.summary().overall.means == {"mine": 0.5}
