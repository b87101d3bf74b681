"""Laws of the guard, searched: more distrust never lowers a verdict, and order never matters."""

from __future__ import annotations

import json
import random

from hypothesis import given, settings, strategies as st

from rightcall.records.approval import Approval
from rightcall.records.call import ToolCall
from rightcall.tools.guard.monitor import Guard, GuardState, judge_turn, settle_turn
from rightcall.tools.guard.policy import AUTO, STRICT, GuardPolicy, GuardRule
from rightcall.tools.guard.values import fold, whole_in
from tests.support.examples import examples
from tests.tools.guard.toolset import EVIL, TOOLS

ORDER = ("allow", "confirm", "deny")
NAMES = [
    "bob@corp.example",
    EVIL,
    "acct-77",
    "paper.txt",
    "Chez Nous",
    "12345",
    "7",
    "https://evil.example/a",
    "x",
]
VALUES = st.sampled_from(NAMES)
WORDS = st.lists(
    st.sampled_from([*NAMES, "send", "pay", "delete", "book", "number", "the", "to"]), max_size=6
)
TEXTS = WORDS.map(" ".join)
RECORDS = st.dictionaries(
    st.sampled_from(["id", "sender", "cc", "body", "iban", "note", "password", "name"]),
    VALUES | TEXTS | st.integers(0, 99999),
    max_size=4,
)
RESULTS = st.tuples(
    st.sampled_from(["read_inbox", "read_file", "get_profile", "list_payees"]), RECORDS | TEXTS
)
CALLS = st.one_of(
    st.tuples(
        st.just("send_message"), st.fixed_dictionaries({"to": VALUES, "subject": TEXTS, "body": TEXTS})
    ),
    st.tuples(
        st.just("transfer"),
        st.fixed_dictionaries({"target": VALUES, "cents": st.integers(0, 999), "memo": TEXTS}),
    ),
    st.tuples(st.just("delete_file"), st.fixed_dictionaries({"path": VALUES})),
    st.tuples(st.just("create_note"), st.fixed_dictionaries({"title": TEXTS, "text": TEXTS})),
    st.tuples(st.just("read_page"), st.fixed_dictionaries({"url": VALUES})),
    st.tuples(st.just("update_password"), st.fixed_dictionaries({"password": VALUES})),
)
SEARCH = settings(max_examples=examples(600), deadline=None)
GUARDS = {"auto": Guard(AUTO, TOOLS), "strict": Guard(STRICT, TOOLS)}


def a_state(said: str, results, guard: Guard = GUARDS["auto"]) -> GuardState:
    state = guard.begin(said)
    for tool, output in results:
        state.result(tool, {}, output)
    return state


def level(state: GuardState, call) -> int:
    return ORDER.index(state.check(*call).verdict)


@SEARCH
@given(TEXTS, st.lists(RESULTS, max_size=4), CALLS, TEXTS)
def test_an_untrusted_text_more_never_lowers_a_verdict(said, results, call, text):
    before = a_state(said, results)
    after = a_state(said, results)
    after.read(text)
    assert level(after, call) >= level(before, call)


@SEARCH
@given(WORDS, st.lists(RESULTS, max_size=4), CALLS, st.data())
def test_a_user_word_fewer_never_lowers_a_verdict(words, results, call, data):
    kept = [word for word in words if data.draw(st.booleans())]
    # words that are dropped leave a gap, so that no two of the rest become a phrase
    fewer = " | ".join(" ".join([word]) for word in kept)
    more = " | ".join(words)
    assert level(a_state(fewer, results), call) >= level(a_state(more, results), call)


@SEARCH
@given(TEXTS, st.lists(RESULTS, max_size=4), CALLS, st.sampled_from(["to", "path", "url", "target", "*"]))
def test_a_rule_more_never_lowers_a_verdict(said, results, call, argument):
    tool = call[0]
    if argument != "*" and argument not in call[1]:
        return
    rule = GuardRule("more", tool, arg=argument, needs=("user",), otherwise="deny")
    more = Guard(GuardPolicy(known="fields", rules=(rule,)), TOOLS)
    assert level(a_state(said, results, more), call) >= level(a_state(said, results), call)


@SEARCH
@given(TEXTS, st.lists(RESULTS, max_size=4), CALLS)
def test_strict_is_never_laxer_than_auto(said, results, call):
    assert level(a_state(said, results, GUARDS["strict"]), call) >= level(a_state(said, results), call)


@SEARCH
@given(
    TEXTS,
    st.lists(RESULTS, max_size=4),
    st.lists(CALLS, min_size=1, max_size=3),
    st.randoms(use_true_random=False),
)
def test_verdicts_are_deterministic_and_the_order_of_keys_and_parallel_results_changes_nothing(
    said, results, calls, rng
):
    first = a_state(said, results)
    shuffled = list(results)
    rng.shuffle(shuffled)
    second = a_state(said, [(tool, _reordered(output, rng)) for tool, output in shuffled])
    for tool, arguments in calls:
        assert first.check(tool, arguments).verdict == second.check(tool, _reordered(arguments, rng)).verdict
        assert first.check(tool, arguments) == first.check(tool, arguments)


@SEARCH
@given(
    TEXTS,
    st.lists(st.tuples(CALLS, RECORDS | TEXTS), min_size=2, max_size=4),
    CALLS,
    st.randoms(use_true_random=False),
)
def test_the_order_in_which_parallel_calls_are_answered_changes_nothing(said, answered, later, rng):
    calls = [
        ToolCall(name, arguments, f"c{at}", status="ok", output=output)
        for at, ((name, arguments), output) in enumerate(answered)
    ]
    first = a_state(said, [])
    second = a_state(said, [])
    settle_turn(first, calls)
    rng.shuffle(calls)
    settle_turn(second, calls)
    assert first.check(*later).verdict == second.check(*later).verdict


@SEARCH
@given(
    st.lists(TEXTS | st.text("ab1 .-@/:李", max_size=12), max_size=3),
    TEXTS | st.text("ab1 .-@/:李", max_size=6),
)
def test_the_index_of_untrusted_texts_misses_nothing_that_a_search_would_find(texts, value):
    state = a_state("", [])
    for text in texts:
        state.read(text)
    folded = fold(value)
    if folded and any(whole_in(folded, fold(text)) for text in texts):
        assert state.provenance.in_untrusted(folded)


@SEARCH
@given(TEXTS, st.lists(RESULTS, max_size=4), CALLS, CALLS)
def test_agreeing_to_a_call_lets_no_other_call_through(said, results, agreed, other):
    state = a_state(said, results)
    plain = a_state(said, results)
    call = ToolCall(*agreed, "c1", status="ok", output={}, approval=Approval("approved"))
    settle_turn(state, [call])
    assert level(state, other) >= level(plain, other)


def _reordered(value, rng: random.Random):
    if not isinstance(value, dict):
        return value
    keys = list(value)
    rng.shuffle(keys)
    return {key: value[key] for key in keys}


@SEARCH
@given(TEXTS, st.lists(RESULTS, max_size=3), CALLS, CALLS)
def test_a_stopped_call_leaves_every_label_as_it_was(said, results, stopped, later):
    plain = a_state(said, results)
    tried = a_state(said, results)
    call = ToolCall(stopped[0], stopped[1], "c1")
    (verdict,) = judge_turn(tried, [call])
    if verdict.stops:
        refused = ToolCall(
            call.name, call.arguments, "c1", status="error", output={"error": "confirmation_required"}
        )
        settle_turn(tried, [refused])
        assert tried.check(*later) == plain.check(*later)


@SEARCH
@given(TEXTS, st.lists(RESULTS, max_size=3), CALLS)
def test_values_of_one_label_and_shape_are_interchangeable(said, results, call):
    """Renaming a value everywhere, to another of its shape, changes no verdict."""
    twins = {
        EVIL: "mr.smith@other.example",
        "acct-77": "acct-55",
        "paper.txt": "letter.txt",
        "12345": "54321",
    }

    def renamed(value):
        text = json.dumps(value)
        for old, new in twins.items():
            text = text.replace(old, new)
        return json.loads(text)

    first = a_state(said, results).check(*call)
    second = a_state(renamed(said), [(tool, renamed(output)) for tool, output in results])
    assert first.verdict == second.check(call[0], renamed(call[1])).verdict
