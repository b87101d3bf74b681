"""Laws of the alignment and its numbers, searched by property tests."""

import random

from hypothesis import given, strategies as st

from rightcall.metrics.case_result import result_of, score_trajectory
from rightcall.metrics.resolve import DIMENSIONS, resolve_metric
from rightcall.records import TestCase, Tool
from tests.metrics.brute_force import best_objective
from tests.metrics.builders import a_golden, a_trajectory, judged
from tests.metrics.strategies import ARGUMENTS, PLAIN, calls, expected_calls, graphs, with_steps

RATES = (
    "call_precision", "call_recall", "call_f1", "call_soft_f1", "tool_precision", "tool_recall", "tool_f1",
    "parameter_accuracy", "order", "content", "latency",
)  # fmt: skip


def as_expected(made):
    return [{"tool": call["name"], "args": call["arguments"]} for call in made]


def objective(verdict, golden, trajectory):
    """(TP, absorbed, Σ soft) read back from the numbers."""
    numbers = verdict.numbers
    required = numbers.tp + numbers.fn
    soft = numbers.call_soft_f1 * (required + len(trajectory.calls) - numbers.absorbed) / 2
    return numbers.tp, numbers.absorbed, round(soft, 9)


@given(expected_calls(ARGUMENTS), with_steps(calls(ARGUMENTS)), st.sampled_from(["any", "strict"]))
def test_every_rate_is_between_0_and_1(expected, called, order):
    verdict = judged(expected, called, order=order)
    assert all(0 <= getattr(verdict.numbers, rate) <= 1 for rate in RATES)
    assert 0 <= verdict.score <= 1


@given(calls(PLAIN), st.sampled_from(["any", "strict"]))
def test_doing_exactly_what_is_expected_is_perfect(called, order):
    verdict = judged(as_expected(called), called, order=order)
    assert verdict.passed and verdict.score == 1 and verdict.failures == ()
    assert all(getattr(verdict.numbers, rate) == 1 for rate in RATES)


@given(expected_calls(ARGUMENTS), calls(ARGUMENTS), st.randoms(use_true_random=False))
def test_the_order_of_either_list_does_not_matter_when_none_is_asked_for(expected, called, shuffler):
    again = shuffler.sample(expected, len(expected))
    made = shuffler.sample(called, len(called))
    assert judged(expected, called).numbers == judged(again, made).numbers


@given(expected_calls(), calls())
def test_doing_everything_twice_keeps_recall(expected, called):
    once = judged(expected, called).numbers
    twice = judged(expected, called + called).numbers
    assert once.call_recall <= twice.call_recall <= 1


@given(expected_calls(), calls())
def test_an_irrelevant_extra_call_never_helps(expected, called):
    before = judged(expected, called).numbers
    after = judged(expected, [*called, {"name": "zzz"}]).numbers
    assert after.call_recall == before.call_recall
    assert after.call_precision <= before.call_precision
    assert after.call_f1 <= before.call_f1


@given(st.lists(PLAIN, min_size=1, max_size=4), st.data())
def test_removing_a_matched_call_lowers_recall_by_its_share(arguments, data):
    called = [{"name": f"tool{i}", "arguments": a} for i, a in enumerate(arguments)]
    dropped = data.draw(st.integers(0, len(called) - 1))
    numbers = judged(as_expected(called), called[:dropped] + called[dropped + 1 :]).numbers
    assert abs(numbers.call_recall - (1 - 1 / len(called))) < 1e-12


@given(graphs(), with_steps(calls()))
def test_order_edges_never_raise_the_number_of_right_calls(expected, called):
    free = [{key: value for key, value in call.items() if key != "after"} for call in expected]
    assert judged(expected, called).numbers.tp <= judged(free, called).numbers.tp


@given(expected_calls(ARGUMENTS), with_steps(calls(ARGUMENTS)), st.sampled_from(["any", "strict"]))
def test_partial_credit_is_never_below_strict_credit(expected, called, order):
    numbers = judged(expected, called, order=order).numbers
    assert numbers.call_soft_f1 >= numbers.call_f1 - 1e-12


@given(calls(), calls())
def test_f1_is_symmetric_for_exact_matchers(left, right):
    one = judged(as_expected(left), right).numbers
    other = judged(as_expected(right), left).numbers
    assert abs(one.call_f1 - other.call_f1) < 1e-12
    assert abs(one.call_soft_f1 - other.call_soft_f1) < 1e-12


@given(expected_calls(), expected_calls(), calls())
def test_an_alternative_never_lowers_the_result(expected, alternative, called):
    alone = judged(expected, called)
    both = judged([], called, any_of=[expected, alternative])
    assert (both.passed, both.score) >= (alone.passed, alone.score)


@given(expected_calls(), calls(), st.data())
def test_loosening_a_matcher_never_lowers_right_calls_or_partial_credit(expected, called, data):
    before = judged(expected, called)
    places = [(i, name) for i, call in enumerate(expected) for name in call["args"]]
    if not places:
        return
    i, name = data.draw(st.sampled_from(places))
    value = expected[i]["args"][name]
    loose = [{**c, "args": {**c["args"], name: {"any_of": [value, {"type": "string"}]}}} if k == i else c
             for k, c in enumerate(expected)]  # fmt: skip
    trajectory = a_trajectory(*called)
    assert_order = objective(judged(loose, called), None, trajectory)
    if all(call.get("required", True) for call in expected):
        assert assert_order >= objective(before, None, trajectory)
    else:
        assert assert_order[0] >= before.numbers.tp


@given(expected_calls(), calls())
def test_renaming_tools_everywhere_changes_nothing(expected, called):
    names = {"a": "b", "b": "c", "c": "a"}
    again = [{**call, "tool": names[call["tool"]]} for call in expected]
    made = [{**call, "name": names[call["name"]]} for call in called]
    assert judged(expected, called).numbers == judged(again, made).numbers


@given(expected_calls(ARGUMENTS), with_steps(calls(ARGUMENTS)), st.sampled_from(["any", "strict"]))
def test_counts_add_up(expected, called, order):
    numbers = judged(expected, called, order=order).numbers
    assert numbers.tp + numbers.fn == sum(call.get("required", True) for call in expected)
    assert numbers.tp + numbers.fp + numbers.absorbed == len(called)


@given(expected_calls(ARGUMENTS), with_steps(calls(ARGUMENTS)), st.sampled_from(["any", "strict"]))
def test_the_solver_finds_what_trying_everything_finds(expected, called, order):
    golden = a_golden(*expected, order=order)
    trajectory = a_trajectory(*called)
    assert objective(score_trajectory(golden, trajectory), golden, trajectory) == best_objective(
        golden, trajectory
    )


@given(graphs(), with_steps(calls()), st.sampled_from(["any", "strict"]))
def test_the_solver_for_graphs_finds_what_trying_everything_finds(expected, called, order):
    golden = a_golden(*expected, order=order)
    trajectory = a_trajectory(*called)
    assert objective(score_trajectory(golden, trajectory), golden, trajectory) == best_objective(
        golden, trajectory
    )


@given(expected_calls(max_size=8), with_steps(calls(max_size=8)))
def test_a_graph_that_is_a_chain_equals_the_chain(expected, called):
    """One call a step, so that "strictly earlier" and "not later" are the same."""
    apart = [{**call, "step": i} for i, call in enumerate(called)]
    edges = [{**call, "id": f"e{i}", "after": [f"e{i - 1}"] if i else []} for i, call in enumerate(expected)]
    chain = judged(expected, apart, order="strict").numbers
    graph = judged(edges, apart).numbers
    assert (chain.tp, chain.absorbed) == (graph.tp, graph.absorbed)
    assert abs(chain.call_soft_f1 - graph.call_soft_f1) < 1e-9


@given(calls(ARGUMENTS, max_size=3), calls(ARGUMENTS, max_size=3))
def test_the_quick_path_says_what_the_general_solver_says(wanted, called):
    """A check that always holds switches the quick path off and changes nothing else."""
    expected = [
        {"tool": c["name"], "args": {k: {"exact": v} for k, v in c["arguments"].items()}} for c in wanted
    ]
    plain = as_expected(wanted)
    quick = judged(plain, called)
    general = judged(expected, called, max_calls=99)
    assert (quick.numbers, quick.passed, quick.score) == (general.numbers, general.passed, general.score)
    assert [f.code for f in quick.failures] == [f.code for f in general.failures]


DEFAULTS = {
    "type": "object",
    "properties": {"p": {"default": 1}, "q": {"type": "string", "default": "x"}, "r": {"type": "integer"}},
}


@given(
    st.fixed_dictionaries(
        {"tool": st.sampled_from("ab")},
        optional={
            "args": ARGUMENTS,
            "extra_args": st.just("ignore"),
            "forbidden_args": st.just(["r"]),
            "weight": st.sampled_from([0.0, 2.0]),
        },
    ),
    st.fixed_dictionaries(
        {"name": st.sampled_from("abc"), "arguments": st.none() | ARGUMENTS}, optional={"raw": st.just("{")}
    ),
    st.sampled_from([{}, {"a": Tool("a", "", DEFAULTS)}]),
    st.sampled_from(["apply", "strict"]),
)
def test_one_call_against_one_is_judged_as_the_general_solver_judges_it(wanted, call, tools, defaults):
    trajectory = a_trajectory(call)
    quick = score_trajectory(a_golden(wanted, defaults=defaults), trajectory, tools)
    assert quick == score_trajectory(a_golden(wanted, defaults=defaults, max_calls=99), trajectory, tools)


@given(calls(ARGUMENTS, max_size=2), calls(ARGUMENTS, max_size=2))
def test_a_result_holds_what_each_metric_says_alone(wanted, called):
    golden = a_golden(*as_expected(wanted))
    trajectory = a_trajectory(*called)
    alone = {name: resolve_metric(name).measure(TestCase(golden, trajectory)) for name in DIMENSIONS}
    assert result_of(golden, 0, trajectory, {}).metrics == alone


def test_key_order_and_1_against_1_0_do_not_matter_but_true_against_1_does():
    expected = [{"tool": "a", "args": {"p": 1, "q": {"x": [1, 2], "y": None}}}]
    assert judged(expected, [{"name": "a", "arguments": {"q": {"y": None, "x": [1.0, 2]}, "p": 1.0}}]).passed
    assert not judged(
        expected, [{"name": "a", "arguments": {"q": {"y": None, "x": [True, 2]}, "p": 1}}]
    ).passed


def test_large_sets_are_solved_too():
    shuffled = random.Random(7).sample(range(60), 60)
    expected = [{"tool": "a", "args": {"p": i}} for i in range(60)]
    assert judged(expected, [{"name": "a", "arguments": {"p": i}} for i in shuffled]).numbers.call_f1 == 1
