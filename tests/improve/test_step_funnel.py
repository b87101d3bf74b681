"""The step funnel: steps from what goldens expect, counts from the failures of the scorer, nothing lost between them."""

from __future__ import annotations

import json
from typing import get_args

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

import rightcall as rc
from rightcall.improve.counters import FailedTrial, GoldenTrials
from rightcall.improve.expected_path import expected_paths
from rightcall.improve.run_analysis import analyze_results, analyze_run, run_funnels
from rightcall.improve.step_funnel import DESTINATIONS, Destination, FunnelTally
from rightcall.metrics.score_case import Scorer
from rightcall.model import Failure, Message, ToolCall, Trajectory
from rightcall.model.dialects import trajectory_from_messages
from rightcall.model.expected_call import ExpectedCall
from rightcall.model.golden import ConversationalGolden, Golden, Turn
from rightcall.show.analysis import funnel_rows, funnel_title, worth_showing
from rightcall.show.charts import funnel_chart, to_svg
from rightcall.show.markdown import funnel_lines
from rightcall.store.address import open_store
from tests.support.examples import examples

find = ExpectedCall("find", id="f")
act = ExpectedCall("act", {"id": 7}, after=("f",))
read = ExpectedCall("act", {"id": {"any_of": [{"ref": {"call": "f", "path": "id"}}, 3]}})
PATHS = {
    "after": (Golden("x", expected_calls=(act, find)), ["find", "act"]),
    "ref": (Golden("x", expected_calls=(find, read)), ["find", "act"]),
    "a chain": (
        Golden("x", expected_calls=(ExpectedCall("a", id="a"), ExpectedCall("b", id="b", after=("a",)),
                                    ExpectedCall("c", after=("b",)))),
        ["a", "b", "c"],
    ),
    "strict order": (Golden("x", expected_calls=(ExpectedCall("a"), ExpectedCall("a")), order="strict"), ["a", "a"]),
    "as listed": (Golden("x", expected_calls=(ExpectedCall("b"), ExpectedCall("a"))), ["b", "a"]),
    "two at once": (
        Golden("x", expected_calls=(ExpectedCall("b", id="b"), ExpectedCall("a"), ExpectedCall("c", after=("b",)))),
        ["a + b", "c"],
    ),
    "same tool twice": (Golden("x", expected_calls=(ExpectedCall("a"), ExpectedCall("a"))), []),
    "one call": (Golden("x", expected_calls=(find,)), []),
    "nothing": (Golden("x", no_calls=True), []),
    "an optional call": (Golden("x", expected_calls=(find, ExpectedCall("b", required=False))), []),
    "repeated": (Golden("x", expected_calls=(find, ExpectedCall("b", min=2, after=("f",)))), ["find", "b ×2"]),
    "a name of several": (Golden("x", expected_calls=(find, ExpectedCall(("b", "c"), after=("f",)))), ["find", "b or c"]),
    "confirmed": (
        Golden("x", expected_calls=(find, ExpectedCall("act", after=("f",))), confirm=("act",)),
        ["find", "ask before act", "act"],
    ),
    "the same alternatives": (Golden("x", expected_calls=(find, act), any_of=((find, ExpectedCall("act", {"id": 8}, after=("f",))),)), ["find", "act"]),
    "a cycle of references": (
        Golden("x", expected_calls=(ExpectedCall("a", {"x": {"ref": {"call": "b"}}}, id="a"),
                                    ExpectedCall("b", {"x": {"ref": {"call": "a"}}}, id="b"))),
        None,
    ),
    "an unknown id": (Golden("x", expected_calls=(ExpectedCall("a", after=("nobody",)), ExpectedCall("b"))), []),
    "turns": (
        ConversationalGolden("x", turns=(Turn("user", "1", (ExpectedCall("find"),)), Turn("user", "2"),
                                         Turn("user", "3", (ExpectedCall("act"),)))),
        ["find", "act"],
    ),
    "the same tool in two turns": (
        ConversationalGolden("x", turns=(Turn("user", "1", (ExpectedCall("find"),)), Turn("user", "2", (ExpectedCall("find"),)))),
        ["find", "find"],
    ),
    "history is not a step": (
        ConversationalGolden("x", turns=(Turn("user", "1", (ExpectedCall("old"),)), Turn("assistant", "ok"),
                                         Turn("user", "2", (ExpectedCall("find"),)), Turn("user", "3", (ExpectedCall("act"),)))),
        ["find", "act"],
    ),
    "the whole conversation": (ConversationalGolden("x", expected_calls=(find, act)), ["find", "act"]),
}  # fmt: skip


@pytest.mark.parametrize("name", PATHS)
def test_steps_follow_what_the_golden_states(name):
    golden, labels = PATHS[name]
    paths = expected_paths(golden)
    if labels is not None:
        assert [[step.label for step in path] for path in paths] == ([labels] if labels else [])


def test_calls_of_a_model_that_is_asked_once_have_no_listed_order():
    listed, stated = PATHS["as listed"][0], PATHS["after"][0]
    assert expected_paths(listed, listed=False) == set() and expected_paths(stated, listed=False)


def test_alternatives_with_other_steps_are_left_out_and_counted():
    golden = Golden("x", "g", expected_calls=(find, act), any_of=((ExpectedCall("both"),),))
    tally = FunnelTally()
    tally.add(GoldenTrials(golden, 3, 3, []))
    assert tally.funnels() == () and tally.left_out == 1


def call(name: str, status="ok", **arguments) -> ToolCall:
    return ToolCall(name, arguments, status=status)


FIND, ACT = call("find"), call("act", id=7)
TRIALS = {
    "every step": ([FIND, ACT], (2, "")),
    "no call": ([], (0, "no_call")),
    "stops after the first": ([FIND], (1, "no_call")),
    "another tool first": ([call("search"), ACT], (0, "other_tool")),
    "skips the first": ([ACT], (0, "skipped")),
    "wrong arguments": ([FIND, call("act", id=8)], (1, "wrong_arguments")),
    "another tool second": ([FIND, call("delete")], (1, "other_tool")),
    "forbidden": ([FIND, call("drop")], (1, "forbidden")),
    "forbidden, after every step": ([FIND, ACT, call("drop")], (2, "forbidden")),
    "wrong order": ([ACT, FIND], (0, "out_of_order")),
    "the lookup fails": ([call("find", "error")], (1, "error")),
    "an extra call after every step": ([FIND, ACT, call("search")], (2, "failed")),
}
GOLDEN = Golden(
    "x", "g", expected_calls=(find, ExpectedCall("act", {"id": 7}, after=("f",))), forbidden_calls=("drop",)
)


def results_of(golden, trials):
    """Trials scored by the one scorer."""
    results = []
    for number, (calls, stop) in enumerate(trials):
        in_steps = tuple(msgspec.structs.replace(call, step=step) for step, call in enumerate(calls))
        trajectory = Trajectory(calls=in_steps, stop_reason=stop)
        result = Scorer().stated(golden, number, trajectory, {})
        results.append(msgspec.structs.replace(result, trajectory=trajectory))
    return results


def funnel_of(golden, trials):
    (funnel,) = analyze_results([], [golden], results_of(golden, trials)).funnels
    return funnel


@pytest.mark.parametrize("name", TRIALS)
def test_a_trial_leaves_at_its_first_step_that_was_not_taken(name):
    calls, (steps, where) = TRIALS[name]
    funnel = funnel_of(GOLDEN, [(calls, "done")])
    assert [step.reached for step in funnel.steps[:-1]] == [int(number < steps) for number in range(2)]
    assert [(n, exit.where) for n, step in enumerate(funnel.steps) for exit in step.exits] == (
        [(steps, where)] if where else []
    )


def test_a_trial_that_stopped_says_so():
    funnel = funnel_of(GOLDEN, [([FIND], "limit"), ([FIND], "refused"), ([FIND], "done")])
    assert funnel.steps[1].exits[0].words == "stopped 2 (loop_limit 1, refused 1)"
    assert funnel.steps[1].exits[1].words == "no call 1"


def test_calls_made_in_one_step_take_steps_that_nothing_orders():
    golden = Golden("x", "g", expected_calls=(ExpectedCall("b"), ExpectedCall("a")))
    assert [step.reached for step in funnel_of(golden, [([call("a"), call("b")], "done")]).steps] == [1, 1, 1]


def test_a_pass_without_every_step_is_a_shortcut_not_a_step():
    golden = Golden("x", "g", expected_calls=(find, act), category="secondary", threshold=0.5)
    funnel = funnel_of(golden, [([FIND], "done"), ([FIND, ACT], "done")])
    assert (funnel.passed, funnel.shortcuts) == (2, 1)
    assert [step.reached for step in funnel.steps] == [2, 1, 1]
    assert "1 of them passed without every step" in funnel_title(funnel)


CALLS = st.lists(
    st.sampled_from([FIND, ACT, call("act", id=8), call("search"), call("drop"), call("find", "error")]),
    max_size=4,
)
STOPS = st.sampled_from(["done", "done", "limit", "refused", "agent_error"])


@given(
    st.lists(st.tuples(CALLS, STOPS), min_size=1, max_size=5),
    st.sampled_from(sorted(PATHS.keys() - {"an unknown id"})),
)
@settings(max_examples=examples(400), deadline=None)
def test_no_trial_is_lost_between_two_steps(trials, name):
    golden = msgspec.structs.replace(PATHS[name][0], id="g")
    results = results_of(golden, trials) if isinstance(golden, Golden) else []
    analysis = analyze_results([], [golden], results)
    for funnel in analysis.funnels:
        before = funnel.trials
        for step in funnel.steps:
            assert before - step.reached == sum(exit.trials for exit in step.exits)
            assert 0 <= step.reached <= before
            before = step.reached
        assert before + funnel.shortcuts == funnel.passed == sum(result.passed for result in results)
        assert len(funnel_rows(funnel)) == len(funnel.steps)
    permuted = analyze_results([], [golden], results[::-1]).funnels
    assert permuted == analysis.funnels


def test_goldens_with_the_same_sequence_are_one_funnel_and_the_largest_is_first():
    tally = FunnelTally()
    for number in range(5):
        other = (ExpectedCall("find", {"n": number}, id="x"), ExpectedCall("act", after=("x",)))
        tally.add(GoldenTrials(Golden("x", f"g{number}", expected_calls=other), 2, 2, []))
    tally.add(GoldenTrials(PATHS["a chain"][0], 3, 3, []))
    first, second = tally.funnels()
    assert (first.path, first.goldens, first.trials) == ("find → act", 5, 10)
    assert (second.path, second.goldens) == ("a → b → c", 1)
    assert worth_showing((first, second)) == []


TALK = ConversationalGolden(
    "pays",
    "talk",
    turns=(
        Turn("user", "balance?", (ExpectedCall("balance"),)),
        Turn("user", "send", (ExpectedCall("send", {"n": 1}),)),
    ),
)


@pytest.mark.parametrize(
    ("balance", "send", "reached", "where"),
    [
        (True, {"n": 1}, [1, 1, 1], None),
        (True, {"n": 2}, [1, 0, 0], "wrong_arguments"),
        (False, {"n": 1}, [0, 0, 0], "skipped"),
        (True, None, [1, 0, 0], "no_call"),
        (False, None, [0, 0, 0], "no_call"),
    ],
)
def test_turns_of_a_conversation_are_steps(balance, send, reached, where):
    messages = []
    for user, called in (("balance?", ToolCall("balance", {}, id="a") if balance else None),
                         ("send", ToolCall("send", send, id="b") if send else None)):  # fmt: skip
        messages += [Message("user", user), Message("assistant", "ok", calls=(called,) if called else ())]
    result = Scorer().stated(TALK, 0, trajectory_from_messages(messages), {})
    (funnel,) = analyze_results([], [TALK], [result]).funnels
    assert [step.reached for step in funnel.steps] == reached
    assert [exit.where for step in funnel.steps for exit in step.exits] == ([where] if where else [])


def test_a_stored_run_has_the_same_funnel_through_every_door(tmp_path):
    def agent(golden):
        return Trajectory(calls=(msgspec.structs.replace(FIND, step=0),)) if golden.id == "a" else [FIND, ACT]

    goldens = [msgspec.structs.replace(GOLDEN, id=name) for name in "abc"]
    run = rc.evaluate(agent, goldens, trials=2, store=tmp_path / "r.db")
    with open_store(tmp_path / "r.db") as store:
        stored = store.runs.get(run.id)
        (funnel,) = analyze_run(store, run.id).funnels
        assert run_funnels(store, stored) == (funnel,)
        (in_memory,) = analyze_results([], goldens, run.results).funnels
        assert in_memory == funnel
    assert [step.reached for step in funnel.steps] == [6, 0, 0] or [
        step.reached for step in funnel.steps
    ] == [6, 4, 4]


HOSTILE = "</script><b>|`\n\x1b[31m" * 20


def test_hostile_names_are_inert_in_rows_pictures_and_markdown():
    golden = Golden(
        "x", HOSTILE, expected_calls=(ExpectedCall(HOSTILE, id="f"), ExpectedCall("b", after=("f",)))
    )
    failed = FailedTrial(0, (Failure("wrong_tool", HOSTILE, actual=HOSTILE, call=0, expected_call=0),))
    tally = FunnelTally()
    tally.add(GoldenTrials(golden, 1, 0, [failed]))
    (funnel,) = tally.funnels()
    lines = list(funnel_lines([funnel]))
    assert len(lines) == 8 and not any("\x1b" in line or "\n" in line for line in lines)
    assert all(line.count("|") in (0, 5) for line in lines)
    spec = json.dumps(funnel_chart(funnel))
    assert "u001b" not in spec and len(spec) < 8_000
    assert "<b>" not in to_svg(funnel_chart(funnel))


def test_every_destination_has_words():
    assert set(DESTINATIONS) == set(get_args(Destination))


def test_two_pictures_on_a_page_share_no_id_and_are_always_the_same():
    funnel = funnel_of(GOLDEN, [([FIND], "done"), ([], "done")])
    svg = to_svg(funnel_chart(funnel))
    assert svg == to_svg(funnel_chart(funnel)) and " id=" not in svg
