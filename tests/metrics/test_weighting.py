"""The weighting `seed`: precision and recall by tool name, and half credit for a value that is there but wrong."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

import rightcall as rc
from rightcall.metrics.matching.verdict import ScoringRules

RULES = ScoringRules("seed", "score")
WEATHER = rc.ExpectedCall(
    "get_weather", {"city": "Hanoi", "units": {"optional": {"one_of": ["celsius", "K"]}}}
)
FORECAST = rc.ExpectedCall("get_forecast", {"city": "Hue", "days": 5})


def judged(expected, called, answer="", keywords=()):
    golden = rc.Golden("?", expected_calls=tuple(expected), output_contains=tuple(keywords))
    calls = tuple(rc.ToolCall(name, arguments) for name, arguments in called)
    return rc.score_trajectory(golden, rc.Trajectory(calls=calls, output=answer), rules=RULES)


HANOI = {"city": "Hanoi"}
HUE = {"city": "Hue"}
NOTHING = {}


@pytest.mark.parametrize(
    ("called", "answer", "score", "passed"),
    [
        ([("get_weather", HANOI)], "Hanoi: fine weather", 1.0, True),
        ([("get_weather", HUE)], "Hanoi: fine weather", 0.85, True),  # present, another value: a half
        ([("get_weather", NOTHING)], "Hanoi: fine weather", 0.7, False),  # missing
        ([("get_forecast", HANOI)], "Hanoi: fine weather", 0.1, False),  # another tool
        ([], "Hanoi: fine weather", 0.4, False),  # no call: nothing was called that should not have been
        ([("get_weather", HANOI)], "Hanoi: sunny", 0.95, True),  # one keyword of two
        ([], "sunny", 0.3, False),
        (
            [("get_weather", HANOI | {"units": "F"})],
            "Hanoi: fine weather",
            0.85,
            True,
        ),  # refused by its matcher
        ([("get_weather", HANOI | {"lang": "vi"})], "Hanoi: fine weather", 1.0, True),  # not asked about
    ],
)
def test_the_overall_score_of_one_expected_call(called, answer, score, passed):
    verdict = judged([WEATHER], called, answer, ["Hanoi", "weather"])
    assert (verdict.score, verdict.passed) == (pytest.approx(score), passed)


@pytest.mark.parametrize(
    ("answer", "calls", "score", "passed"),
    [
        ("Weather is today, climate is long.", (), 1.0, True),
        ("Weather is today.", (), 0.5, False),
        ("I cannot say.", (), 0.5, False),
        ("Weather and climate.", (rc.ToolCall("get_weather", HANOI),), 0.0, False),
    ],
)
def test_a_golden_without_calls_passes_only_with_every_word(answer, calls, score, passed):
    for stated in ({"no_calls": True}, {"no_calls": True, "max_latency_ms": 10_000}):
        golden = rc.Golden("weather or climate?", output_contains=["weather", "climate"], **stated)
        answered = rc.Trajectory(output=answer, calls=calls, latency_ms=900.0)
        verdict = rc.score_trajectory(golden, answered, rules="seed")
        assert (verdict.score, verdict.passed) == (score, passed)


def test_three_cases_of_which_one_took_the_wrong_tool_pass_two_thirds_at_a_mean_of_seven_tenths():
    verdicts = [
        judged([WEATHER], [("get_weather", HANOI)]),
        judged([FORECAST], [("get_weather", HUE)]),
        rc.score_trajectory(rc.Golden("weather or climate?", no_calls=True), rc.Trajectory(), rules=RULES),
    ]
    assert round(sum(v.passed for v in verdicts) / 3 * 100, 1) == 66.7
    assert round(sum(v.score for v in verdicts) / 3, 3) == 0.7


def test_a_tool_called_twice_never_gives_a_recall_above_one():
    numbers = judged([WEATHER], [("get_weather", HANOI)] * 2).numbers
    assert (numbers.tool_recall, numbers.tool_precision) == (1.0, 0.5)


@given(st.lists(st.sampled_from("abcd"), unique=True, min_size=1), st.data())
def test_half_credit_agrees_with_the_formula_written_out(tools, data):
    values = st.dictionaries(st.sampled_from("xyz"), st.integers(0, 2))
    expected = {tool: data.draw(values) for tool in tools}
    called = data.draw(st.dictionaries(st.sampled_from("abcde"), values))
    names = len(expected.keys() & called.keys())
    credits = []
    for tool, wanted in expected.items():
        got = called.get(tool)
        points = [0 if got is None or p not in got else 1 if got[p] == v else 0.5 for p, v in wanted.items()]
        credits.append(0 if got is None else sum(points) / len(points) if points else 1)
    precision = names / len(called) if called else 1
    wanted_score = 0.3 * precision + 0.3 * names / len(expected) + 0.3 * sum(credits) / len(credits) + 0.1
    verdict = judged([rc.ExpectedCall(tool, args) for tool, args in expected.items()], called.items())
    assert verdict.score == pytest.approx(wanted_score)
    assert verdict.passed == (wanted_score >= 0.8 - 1e-12 and names == len(expected))


def test_calls_known_by_name_alone_leave_parameters_out_of_the_score():
    golden = rc.Golden("?", expected_calls=(WEATHER, FORECAST))
    calls = (rc.ToolCall("get_weather", None), rc.ToolCall("get_forecast", {"city": "Hue", "days": 4}))
    verdict = rc.score_trajectory(golden, rc.Trajectory(calls=calls), rules=RULES)
    assert verdict.numbers.parameter_accuracy == 0.75  # of the forecast alone: one right, one a half


def test_an_unknown_weighting_is_refused_with_a_suggestion():
    with pytest.raises(rc.errors.ConfigError, match="unknown weighting 'seeds'; did you mean 'seed'"):
        ScoringRules("seeds")
