"""The laws of labels: what they are about, what several people say together, who labels what."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings, strategies as st

from rightcall.decide.label_rules import (
    Assignment,
    Target,
    case_labels,
    plan_kind,
    plan_name,
    population_name,
    run_labels,
)
from rightcall.records.label import BY_HAND, SETTLED, CasePlace, Label, case_id, rule_hash
from tests.support.examples import examples

RULE = rule_hash("The answer is kind.")
TARGETS = {f"g{number}": Target(f"m{number}", RULE) for number in range(10)}
POPULATION = population_name(TARGETS)


def label(case="g0", word="pass", by="ana", at="2026-01-01T00:00:00Z", **fields) -> Label:
    fields = {"material": f"m{case[1:]}", "rule": RULE, "plan": plan_name("random", POPULATION)} | fields
    return Label(CasePlace(case), metric="kind", label=word, by=by, at=at, **fields)


def word(*labels: Label) -> str:
    return run_labels(TARGETS, labels).cases["g0"].word


@pytest.mark.parametrize(
    ("answers", "together"),
    [
        (["pass"], "pass"),
        (["pass", "pass"], "pass"),
        (["pass", "fail"], "disputed"),
        (["pass", "fail", "fail"], "fail"),
        (["pass", "fail", "fail", "pass"], "disputed"),
        (["unsure"], "unsure"),
        (["unsure", "unsure"], "unsure"),
        (["unsure", "pass"], "pass"),
        (["unsure", "pass", "fail"], "disputed"),
    ],
)
def test_what_people_say_together_does_not_depend_on_the_order(answers, together):
    for order in itertools.permutations(answers):
        assert word(*(label(word=answer, by=f"p{place}") for place, answer in enumerate(order))) == together


def test_a_changed_rule_makes_labels_stale_and_a_changed_trajectory_another_case():
    rows = [label(), label(rule=rule_hash("The answer is short.")), label(material="m99")]
    labelling = run_labels(TARGETS, rows)
    assert (list(labelling.cases), labelling.stale, labelling.other) == (["g0"], rows[1:2], rows[2:])


def test_a_later_answer_of_the_same_person_replaces_the_earlier_one():
    assert word(label(word="fail"), label(at="2026-01-02T00:00:00Z")) == "pass"
    assert (
        word(label(at="2026-01-02T00:00:00Z"), label(word="fail")) == "pass"
    )  # merged files are in any order
    assert word(label(word="fail"), label(word="pass")) == "pass"  # in the same second: the later line


def test_a_settlement_ends_a_dispute_and_keeps_what_the_settler_answered():
    answers = [label(word="pass"), label(word="fail", by="ben"), label(word="fail", plan=SETTLED)]
    labels = run_labels(TARGETS, answers).cases["g0"]
    assert labels.word == "fail" and {answer.by: answer.label for answer in labels.answers} == {
        "ana": "pass",
        "ben": "fail",
    }


def test_a_label_given_with_the_judges_verdict_in_view_does_not_rate_the_judge():
    assert case_labels([label()]).blind and not case_labels([label(saw_judge=True)]).blind
    settled = [label(saw_judge=True), label(by="ben", word="fail"), label(by="cy", plan=SETTLED)]
    assert case_labels(settled).blind


def test_only_cases_drawn_from_these_cases_estimate_their_rate():
    other = population_name({**TARGETS, "g11": Target("m11", RULE)})
    drawn_by_b = plan_name("chosen", POPULATION, "another")
    rows = [
        label("g0"),
        label("g1", plan=BY_HAND),
        label("g2", plan=plan_name("random", other)),
        label("g3", plan=plan_name("chosen", POPULATION, "judge"), stratum="split"),
        label("g4", plan=SETTLED),
        label("g5", plan=drawn_by_b, stratum="split"),
    ]
    assert list(run_labels(TARGETS, rows).plan_labels(POPULATION, "judge")) == ["g0", "g3"]
    drawn = [plan_kind(row, POPULATION, "judge") for row in rows]
    assert drawn == ["random", "", "", "chosen", "", "by another judge"]


def test_cases_that_look_the_same_share_an_answer_and_are_drawn_one_by_one():
    targets = {"g0": Target("m0", RULE), "twin": Target("m0", RULE)}
    labelling = run_labels(targets, [label("g0", plan=plan_name("random", population_name(targets)))])
    assert {case: labels.word for case, labels in labelling.cases.items()} == {"g0": "pass", "twin": "pass"}
    assert list(labelling.plan_labels(population_name(targets), "")) == ["g0"]


@given(st.permutations(list(TARGETS)))
@settings(max_examples=examples(60, 10))
def test_the_name_of_a_population_does_not_depend_on_the_order(order):
    assert population_name({case: TARGETS[case] for case in order}) == POPULATION


def assign(by: str, rows: list[Label], **options) -> list[str]:
    return Assignment(by, **options).open_cases(list(TARGETS), run_labels(TARGETS, rows))


def test_the_first_person_gets_every_case_and_continues_where_they_were():
    assert assign("ana", []) == list(TARGETS)
    assert assign("ana", [label("g0"), label("g1", "unsure")]) == list(TARGETS)[2:]


def test_a_second_person_gets_what_is_left_and_a_fifth_again():
    rows = [label(f"g{number}") for number in range(6)]
    assert assign("ben", rows) == ["g4", "g6", "g7", "g8", "g9"]
    assert assign("ben", rows, overlap=0.0) == ["g6", "g7", "g8", "g9"]
    assert assign("ben", rows, overlap=1.0) == list(TARGETS)


def test_a_third_person_sees_disputed_cases_first():
    rows = [label(f"g{number}") for number in range(10)] + [label("g9", "fail", by="ben")]
    assert assign("cy", rows)[0] == "g9"


@given(st.integers(1, 60), st.integers(1, 4), st.sampled_from([0.0, 0.2, 0.5, 1.0]))
@settings(max_examples=examples(200, 30))
def test_people_share_the_cases_out_without_a_gap(cases, people, overlap):
    names = tuple("abcd"[:people])
    targets = {f"g{number}": Target(f"m{number}", RULE) for number in range(cases)}
    nobody = run_labels(targets, [])
    shares = [Assignment(name, overlap, names).open_cases(list(targets), nobody) for name in names]
    counts = {case: sum(case in share for share in shares) for case in targets}
    assert set(counts.values()) <= {1, people}
    assert sum(count == people for count in counts.values()) >= int(cases * overlap)
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


@given(*[st.tuples(st.text("a#1", max_size=4), st.integers(0, 12))] * 2)
@settings(max_examples=examples(300, 60))
def test_no_two_cases_share_a_name(one, other):
    assert (case_id(*one) == case_id(*other)) == (one == other)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("The answer is kind.", "  The answer\r\n is   kind. ", True),
        ("caf\u00e9", "cafe\u0301", True),
        ("The answer is kind.", "The answer is kind!", False),
        ("kind", "Kind", False),
    ],
)
def test_a_rule_is_its_words(one, other, same):
    assert (rule_hash(one) == rule_hash(other)) is same
