"""Goldens of one template are found, distinct requests are left apart, and the order of the goldens does not matter."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from rightcall.datasets.goldens import load_goldens
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.golden import ConversationalGolden, Golden
from rightcall.run.request_templates import template_groups, template_notice

ROOT = Path(__file__).parents[2]


def golden(text: str, tool: str = "", **args) -> Golden:
    return Golden(text, text, expected_calls=(ExpectedCall(tool, args),) if tool else (), no_calls=not tool)


def refund(order: str, text: str) -> Golden:
    return golden(text, "refund", order_id=order)


SAME = {
    "other values": [refund("A1", "Refund order A1"), refund("B22", "refund order B22!")],
    "values without digits": [
        golden("Weather in Paris?", "weather", city="Paris"),
        golden("Weather in New York?", "weather", city="New York"),
    ],
    "the same task in other words": [
        refund("A-1042", "Refund A-1042"),
        refund("A-1042", "I never got my parcel, give me the money for A-1042 back"),
    ],
    "nearly the same words": [
        golden("Please find a housekeeper who irons shirts in the old town", "find"),
        golden("Please find a housekeeper who irons shirts in the old towns", "find"),
    ],
    "quoted texts": [golden('Translate "good day" into French'), golden('Translate "see you" into French')],
    "letters without case or spaces": [
        golden("取消订单A1001", "cancel", id="A1001"),
        golden("取消订单B2002", "cancel", id="B2002"),
    ],
    "conversations": [
        ConversationalGolden("Wants to return order A1", "c1"),
        ConversationalGolden("Wants to return order B2", "c2"),
    ],
    "the same text": [golden("hi"), Golden("Hi!", "hi2", no_calls=True)],
}
APART = {
    "other tools": [refund("A1", "Handle order A1"), golden("Handle order B2", "cancel", order_id="B2")],
    "calls and no calls": [refund("A1", "Refund order A1"), golden("Refund order B2")],
    "other words": [
        refund("A1", "Refund order A1"),
        refund("B2", "My parcel broke, B2, I want the price back"),
    ],
    "values alone": [golden("A1001", "find", id="A1001"), golden("B2002", "find", id="B2002")],
    "short requests": [golden("What is 5?"), golden("What is 7?")],
    "another category": [
        Golden("Call me at noon", "x"),
        Golden("Call me at noon", "y", category="secondary"),
    ],
    "common values": [
        golden("Will it rain in Paris?", "weather", city="Paris"),
        golden("How warm does Paris get today?", "weather", city="Paris"),
    ],
}


@pytest.mark.parametrize("name", SAME)
def test_goldens_of_one_template_are_one_group(name):
    (group,) = template_groups(SAME[name])
    assert group.goldens == tuple(sorted(one.id for one in SAME[name]))


@pytest.mark.parametrize("name", APART)
def test_distinct_requests_stay_apart(name):
    assert template_groups(APART[name]) == []


@given(st.permutations([golden for goldens in SAME.values() for golden in goldens]))
def test_the_order_of_goldens_does_not_matter(goldens):
    every = [golden for goldens in SAME.values() for golden in goldens]
    assert template_groups(goldens) == template_groups(every)


def test_examples_have_templates_only_where_requests_were_filled_in():
    found = {
        path.parent.name: sum(len(group.goldens) for group in template_groups(load_goldens(path)))
        for path in sorted(ROOT.glob("examples/*/goldens.jsonl"))
    }
    assert [found.pop(name) for name in ("pull-request", "node", "shop", "judging")] == [77, 2, 38, 60]
    assert set(found.values()) == {0}


def test_a_declared_cluster_is_kept():
    declared = [
        Golden(f"Please refund order A{i}", f"g{i}", cluster="mine" if i < 2 else None) for i in range(4)
    ]
    assert [group.goldens for group in template_groups(declared)] == [("g2", "g3")]


def test_the_notice_names_templates_goldens_and_the_way_out():
    goldens = [golden(f"{verb} order {i}", "act", id=i) for verb in ("Refund", "Cancel") for i in range(6)]
    notice = template_notice(template_groups(goldens))
    assert notice.startswith(
        "12 goldens look like 2 templates (“cancel order …”: Cancel order 0, Cancel order 1,"
    )
    assert notice.endswith("declare `cluster`")
    assert template_notice([]) == ""


def test_requests_that_share_a_long_text_are_compared_with_few_others(monkeypatch):
    compared = 0

    def count(one, other):
        nonlocal compared
        compared += 1
        return 0.0

    monkeypatch.setattr("rightcall.datasets.near_duplicates.jaccard", count)
    names = [f"{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(300)]
    shared = " ".join(f"word{name}" for name in names[:100])
    template_groups([golden(f"{shared} only {name}") for name in names])
    assert 0 < compared <= len(names) * 16 * 4 < len(names) ** 2 / 2
