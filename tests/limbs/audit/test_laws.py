"""The laws of an audit, over random datasets: seeds are hypothesis's own and printed on failure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st

from rightcall.core.codec import encode
from rightcall.limbs.audit.sections import headline
from rightcall.metrics.base import Metric
from rightcall.metrics.case_result import score_trajectory
from rightcall.metrics.deepeval_numbers import ExactMatch
from rightcall.metrics.judged.rubric import Rubric
from rightcall.metrics.matching.expectation import unsound
from rightcall.metrics.resolve import as_metrics
from rightcall.metrics.score_case import Scorer
from rightcall.records import ExpectedCall, Golden, Score, TestCase
from rightcall.run.rehearsal.known_good import KnownBehaviour
from rightcall.run.rehearsal.trial import reads_expected_output
from tests.limbs.audit.shop import REFUND, TOOLS, audit_goldens, call, mutants, scene, trajectory

IDS = st.from_regex(r"[A-C]-[0-9]{2}", fullmatch=True)
CITIES = st.sampled_from(["Hanoi", "Paris", "Rome", "New York"])


@st.composite
def cases(draw: st.DrawFn) -> tuple[Golden, Any]:
    """A golden of any strength, and behaviour that passes it."""
    order = draw(IDS)
    amount = draw(st.integers(1, 99))
    origin = draw(CITIES)
    target = draw(CITIES)
    request = f"Refund {amount} of {order}, fly from {origin} to {target} on 2027-05-05, tell a@b.c."
    calls = draw(
        st.lists(
            st.sampled_from(
                [
                    call("refund_order", order_id=order, amount=amount),
                    call("cancel_order", order_id=order, reason="late"),
                    call("book_flight", from_city=origin, to_city=target, date="2027-05-05"),
                    call("list_orders", email="a@b.c", limit=draw(st.integers(1, 20))),
                    call("set_alarm", minutes=amount, volume=7),
                ]
            ),
            min_size=1,
            max_size=3,
        )
    )
    strength = draw(st.sampled_from(["names", "half", "all", "present"]))
    expected = [
        ExpectedCall(c.name, _expectation(c.arguments or {}, strength), **_openness(strength)) for c in calls
    ]
    golden = Golden(
        request,
        id=draw(st.from_regex(r"g-[a-z]{4}", fullmatch=True)),
        expected_calls=expected,
        extra_calls=draw(st.sampled_from(["forbid", "allow"])),
    )
    return golden, trajectory(*calls)


def _expectation(arguments: dict[str, Any], strength: str) -> dict[str, Any] | None:
    match strength:
        case "names":
            return None
        case "half":
            return dict(list(arguments.items())[::2])
        case "present":
            return {name: {"present": True} for name in arguments}
    return dict(arguments)


def _openness(strength: str) -> dict[str, Any]:
    return {"extra_args": "ignore"} if strength == "half" else {}


@given(cases())
def test_no_mutant_is_right_behaviour_and_ids_are_stable(case: tuple[Golden, Any]) -> None:
    golden, good = case
    made = mutants(golden, good)
    again = mutants(golden, good)
    right = scene(golden, good)
    assert [m.id for m in made] == [m.id for m in again] and len({m.id for m in made}) == len(made)
    assert all(right.key(m.trajectory) != right.key(good) for m in made if m.operator != "wrong_order")
    assert len(made) <= 40
    counts = {m.operator: sum(o.operator == m.operator for o in made) for m in made}
    assert max(counts.values(), default=0) <= 3


@given(cases())
def test_proposals_catch_keep_and_never_weaken(case: tuple[Golden, Any]) -> None:
    golden, good = case
    before, changes = audit_goldens(golden, known={golden.id: [KnownBehaviour("a", good)]})
    tightened = changes.get(golden.id)
    if tightened is None:
        assert not any(survivor.proposal for survivor in before.survivors)
        return
    assert score_trajectory(tightened, good, TOOLS).passed
    assert not list(unsound(tightened))
    assert msgspec.json.decode(encode(tightened), type=Golden) == tightened  # as `--write` writes it
    caught = {
        m.id: m for m in mutants(golden, good) if not score_trajectory(golden, m.trajectory, TOOLS).passed
    }
    assert all(not score_trajectory(tightened, m.trajectory, TOOLS).passed for m in caught.values())
    after, _ = audit_goldens(tightened, known={golden.id: [KnownBehaviour("a", good)]})
    closed = sum(survivor.proposal is not None for survivor in before.survivors)
    assert len(after.survivors) <= len(before.survivors) - closed


@given(st.lists(cases(), min_size=2, max_size=4, unique_by=lambda case: case[0].id), st.randoms())
def test_order_changes_nothing(drawn: list[tuple[Golden, Any]], rng: Any) -> None:
    goldens = [golden for golden, _ in drawn]
    shuffled = rng.sample(goldens, len(goldens))
    mixed_tools = dict(rng.sample(list(TOOLS.items()), len(TOOLS)))
    known = {golden.id: [KnownBehaviour("a", good)] for golden, good in drawn}
    first, _ = audit_goldens(*goldens, known=known)
    second, _ = audit_goldens(*shuffled, tools=mixed_tools, known=known)
    again, _ = audit_goldens(*goldens, known=known)
    assert msgspec.json.encode(first) == msgspec.json.encode(again) == msgspec.json.encode(second)


@dataclass(frozen=True)
class AlwaysRaises(Metric):
    def measure(self, case: TestCase) -> Score:
        raise RuntimeError("broken")


def test_a_metric_that_raises_catches_nothing() -> None:
    result, _ = audit_goldens(REFUND, scorer=Scorer([AlwaysRaises()]), known={"refund": []})
    assert (result.sure.caught, result.sure.survived, result.audited) == (0, 0, 0)
    assert "broken" in result.not_audited[0].why


@dataclass(frozen=True)
class RaisesForBugs(Metric):
    def measure(self, case: TestCase) -> Score:
        if case.trajectory.calls != GOOD_REFUND.calls:
            raise RuntimeError("broken")
        return Score(1.0, True)


GOOD_REFUND = trajectory(call("refund_order", order_id="A-17", amount=12.5))


def test_mutants_whose_score_is_an_error_are_in_no_rate() -> None:
    known = {"refund": [KnownBehaviour("a", GOOD_REFUND)]}
    result, _ = audit_goldens(REFUND, scorer=Scorer([RaisesForBugs()]), known=known)
    assert (result.audited, result.sure.caught, result.sure.survived) == (1, 0, 0)
    assert sum(result.not_judged.values()) > 5
    assert headline(result) == "Nothing could be judged: no bug was planted whose score is known."


def test_a_mutant_is_compared_with_the_behaviour_that_it_was_made_from() -> None:
    """In the second agent's world the order is already refunded once, by another call than the first agent's."""
    golden = Golden(
        "Refund 12.5 euros of A-17.",
        id="g",
        extra_calls="allow",
        expected_calls=[ExpectedCall("refund_order")],
    )
    first = trajectory(call("refund_order", order_id="A-17", amount=12.5))
    second = trajectory(
        call("find_order", {"order": "A-17"}, order_id="A-17"),
        call("refund_order", order_id="A-17", amount=12.5),
    )
    known = {"g": [KnownBehaviour("a", first), KnownBehaviour("b", second)]}
    result, changes = audit_goldens(golden, known=known)
    made = mutants(golden, first, second)
    assert {mutant.origin for mutant in made} == {0, 1}
    for mutant in made:
        assert mutant.call is None or mutant.origin or mutant.call <= len(first.calls)
    expected = changes["g"].expected_calls[0]
    assert expected.args == {"order_id": "A-17", "amount": 12.5}
    assert not [s for s in result.survivors if s.tool == "find_order" and s.proposal]


def test_a_function_of_the_golden_that_raises_judges_nothing() -> None:
    def moody(value: Any) -> bool:
        if value != "A-17":
            raise ValueError("moody")
        return True

    golden = Golden(
        "Refund A-17", id="g", expected_calls=[ExpectedCall("refund_order", {"order_id": moody, "amount": 5})]
    )
    good = trajectory(call("refund_order", order_id="A-17", amount=5))
    result, _ = audit_goldens(golden, known={"g": [KnownBehaviour("a", good)]})
    assert any("moody" in why for why in result.not_judged)
    assert not any(survivor.parameter == "order_id" for survivor in result.survivors)


def test_a_golden_that_cannot_be_met_gets_no_mutants() -> None:
    golden = Golden(
        "Refund",
        id="g",
        max_calls=0,
        expected_calls=[ExpectedCall("refund_order", {"order_id": "A", "amount": 1})],
    )
    result, _ = audit_goldens(golden)
    assert result.audited == 0 and result.cannot_be_met[0].golden_id == "g" and result.sure.caught == 0


def test_goldens_without_a_value_are_listed_with_the_reason() -> None:
    golden = Golden(
        "Find it", id="g", expected_calls=[ExpectedCall("find_order", {"order_id": {"regex": "[A-Z]-1"}})]
    )
    result, _ = audit_goldens(golden)
    assert result.not_audited[0].why == "find_order.order_id: 'regex' states no value"
    known = {"g": [KnownBehaviour("a", trajectory(call("find_order", order_id="A-1")))]}
    assert audit_goldens(golden, known=known)[0].audited == 1


def test_stored_behaviour_that_fails_or_is_not_known_is_not_right() -> None:
    wrong = KnownBehaviour("a", trajectory(call("refund_order", order_id="B-1", amount=12.5)))
    unknown = KnownBehaviour("b", trajectory(call("refund_order")))
    unknown = KnownBehaviour("b", msgspec.structs.replace(unknown.trajectory, calls=tuple(
        msgspec.structs.replace(c, arguments=None) for c in unknown.trajectory.calls)))  # fmt: skip
    result, _ = audit_goldens(REFUND, known={"refund": [wrong, unknown]})
    assert result.audited == 1 and all(s.proposal is None or s.proposal.agents == 0 for s in result.survivors)


def test_mutants_that_the_user_calls_harmless_stay_out() -> None:
    golden = msgspec.structs.replace(REFUND, extra_calls="allow")
    first, _ = audit_goldens(golden)
    survivor = first.survivors[0]
    second, _ = audit_goldens(golden, equivalent=survivor.mutants)
    assert second.equivalent == len(survivor.mutants)
    assert survivor.id not in {s.id for s in second.survivors}


def test_a_weak_golden_is_tightened_by_what_is_known_and_no_more() -> None:
    golden = Golden("Refund 12.5 euros of A-17 and tell Ann.", id="g", extra_calls="allow",
                    expected_calls=[ExpectedCall("refund_order"), ExpectedCall("send_email")])  # fmt: skip
    good = trajectory(
        call("refund_order", order_id="A-17", amount=12.5),
        call("send_email", to="ann@x.y", subject="About your refund"),
    )
    result, changes = audit_goldens(golden, known={"g": [KnownBehaviour("a", good)]})
    first, second = changes["g"].expected_calls
    assert first.args == {"order_id": "A-17", "amount": 12.5} and first.extra_args == "ignore"
    assert "subject" not in (second.args or {})  # its wording is free
    assert changes["g"].extra_calls == "forbid"
    assert [s.harm for s in result.survivors][:2] == ["double_effect", "double_effect"]


def test_judged_metrics_leave_the_rest_of_a_suite_audited() -> None:
    scorer = Scorer([Rubric(rubric="The answer is polite.", model="keyword:")])
    result, _ = audit_goldens(REFUND, scorer=scorer)
    assert result.audited == 1 and result.sure.caught and not result.sure.survived
    weak = msgspec.structs.replace(REFUND, extra_calls="allow")
    result, _ = audit_goldens(weak, scorer=scorer)
    assert any("asks a model" in why for why in result.not_judged) and not result.survivors


def same_as_target(output: str, target: str) -> bool:
    return output == target


def says_hello(output: str) -> bool:
    return "Hello" in output


@pytest.mark.parametrize(
    ("metric", "sure"), [(ExactMatch(), True), (same_as_target, True), (says_hello, False)]
)
def test_an_empty_answer_is_surely_wrong_where_a_metric_reads_the_expected_one(
    metric: Any, sure: bool
) -> None:
    golden = Golden("Greet me.", id="g", no_calls=True, expected_output="Hello Ann")
    metrics = as_metrics([metric])
    result, _ = audit_goldens(
        golden, scorer=Scorer(metrics), needs_content=any(map(reads_expected_output, metrics))
    )
    assert result.audited == 1 and ("no_content" in result.by_operator) == sure
    assert not sure or result.by_operator["no_content"].caught


def test_stored_behaviour_that_a_proposal_would_fail_is_listed() -> None:
    golden = Golden("Refund 12.5 euros of A-17.", id="g", expected_calls=[ExpectedCall("refund_order")])
    usual = trajectory(call("refund_order", order_id="A-17", amount=12.5))
    odd = trajectory(call("refund_order", order_id="A-17", amount=12.49))
    known = {
        "g": [
            KnownBehaviour("a", usual),
            *(KnownBehaviour("a", usual) for _ in range(4)),
            KnownBehaviour("a", odd),
        ]
    }
    result, _ = audit_goldens(golden, known=known)
    proposals = [s.proposal for s in result.survivors if s.parameter == "amount" and s.proposal]
    assert [proposal.would_fail for proposal in proposals] == [("a",)]


def test_names_alone_never_catch_everything():
    """A golden that names a tool and none of its arguments lets any order and any amount through."""
    golden = Golden(
        "Refund 20 euros of order A-17.", id="names", expected_calls=[ExpectedCall("refund_order")]
    )
    result, _ = audit_goldens(golden)
    assert {survivor.parameter for survivor in result.survivors} == {"amount", "order_id"}
    assert all("the golden does not state it" in survivor.sentence for survivor in result.survivors)
    assert all("run the suite once" in survivor.none_because for survivor in result.survivors)
