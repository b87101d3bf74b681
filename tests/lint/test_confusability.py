"""The score of a pair: its parts, its reasons, and what changes it."""

from __future__ import annotations

from hypothesis import given, strategies as st

from rightcall.lint.confusability.pairs import ALL_PAIRS, WARN, confusable_pairs
from rightcall.lint.confusability.similarity import common_length, edit_distance, name_likeness, ratio
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.source.tools import SourceTool

words = st.text("abcd", max_size=8)


def a_tool(name: str, description: str, *parameters: str) -> ToolFeatures:
    properties = {
        name: {"type": "string", "description": f"The {name} that is meant."} for name in parameters
    }
    return ToolFeatures(SourceTool(name, description, {"type": "object", "properties": properties}))


@given(words, words)
def test_common_length_is_that_of_the_longest_common_subsequence(one: str, two: str) -> None:
    table = [[0] * (len(two) + 1) for _ in range(len(one) + 1)]
    for i, a in enumerate(one, start=1):
        for j, b in enumerate(two, start=1):
            table[i][j] = table[i - 1][j - 1] + 1 if a == b else max(table[i - 1][j], table[i][j - 1])
    assert common_length(one, two) == table[-1][-1]


@given(words, words)
def test_likeness_of_texts_is_symmetric_and_one_only_for_equal_ones(one: str, two: str) -> None:
    assert ratio(one, two) == ratio(two, one)
    assert (ratio(one, two) == 1) == (one == two)


@given(words, words)
def test_the_distance_is_capped_symmetric_and_zero_for_equal_names(one: str, two: str) -> None:
    assert edit_distance(one, two, 2) == edit_distance(two, one, 2) <= 3
    assert (edit_distance(one, two, 2) == 0) == (one == two)


@given(st.lists(words, max_size=4), st.lists(words, max_size=4))
def test_likeness_of_names_does_not_depend_on_order(one: list[str], two: list[str]) -> None:
    first = tuple(filter(None, one))
    second = tuple(filter(None, two))
    assert name_likeness(first, second) == name_likeness(second, first) == name_likeness(first[::-1], second)
    assert 0 <= name_likeness(first, second) <= 1


def test_a_pair_says_which_words_and_parameters_make_it() -> None:
    first = a_tool("find_customer", "Finds a customer of the shop by e-mail.", "email", "shop")
    second = a_tool("find_client", "Finds a client of the shop by e-mail.", "email", "shop")
    (pair,) = confusable_pairs([first, second])
    assert pair.score > WARN
    assert pair.shared_parameters == ("email", "shop") and "shop" in pair.shared_words
    assert "both take email, shop" in pair.why


def test_a_contrast_lowers_the_score() -> None:
    plain = a_tool("find_client", "Finds a client of the shop by e-mail.", "email", "shop")
    telling = a_tool(
        "find_client",
        "Finds a client of the shop by e-mail; for customers use find_customer.",
        "email",
        "shop",
    )
    other = a_tool("find_customer", "Finds a customer of the shop by e-mail.", "email", "shop")
    (unsaid,) = confusable_pairs([other, plain])
    (said,) = confusable_pairs([other, telling])
    assert said.told_apart and not unsaid.told_apart
    assert said.score < unsaid.score


def test_tools_without_common_parameters_are_not_a_pair() -> None:
    assert (
        confusable_pairs(
            [a_tool("get_tide", "Returns tides.", "port"), a_tool("get_news", "Returns news.", "topic")]
        )
        == []
    )


def test_requests_that_resemble_the_wrong_tool_raise_the_score() -> None:
    tools = [
        a_tool("find_customer", "Finds a person in the list of buyers.", "email"),
        a_tool("find_contact", "Finds a person in the list of suppliers.", "email"),
    ]
    (plain,) = confusable_pairs(tools)
    (asked,) = confusable_pairs(tools, [("Who are our suppliers in Hue?", "find_customer")])
    assert asked.score > plain.score and asked.queries == ("Who are our suppliers in Hue?",)
    assert "1 requests resemble the wrong one" in asked.why


def test_similar_tools_are_found_in_a_large_set() -> None:
    many = [
        a_tool(f"get_item{n}", f"Returns number {n} of the {n * 7919}th catalogue.", f"key{n}")
        for n in range(ALL_PAIRS)
    ]
    twins = [
        a_tool("wipe_ledger", "Empties the ledger of the fiscal year.", "ledger"),
        a_tool("clear_ledger", "Empties the ledger of a fiscal year.", "ledger"),
    ]
    assert ("wipe_ledger", "clear_ledger") in {
        (p.first.name, p.second.name) for p in confusable_pairs([*many, *twins])
    }
