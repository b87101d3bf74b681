"""How the definitions of two runs differ, tool by tool."""

from rightcall.improve.changes import tool_changes
from rightcall.records import Tool


def a_tool(name: str, text: str, *parameters: str) -> Tool:
    return Tool(name, text, {"type": "object", "properties": {name: {} for name in parameters}})


def changes(before: list[Tool], after: list[Tool]) -> list[tuple[str, str]]:
    return [(item.tool, item.what) for item in tool_changes(tuple(before), tuple(after))]


def test_swapped_descriptions_are_no_two_sentences_that_changed():
    before = [a_tool("find", "Finds an order."), a_tool("refund", "Refunds it.")]
    after = [a_tool("find", "Refunds it."), a_tool("refund", "Finds an order.")]
    assert changes(before, after) == [
        ("find", "description swapped with that of refund"),
        ("refund", "description swapped with that of find"),
    ]


def test_a_tool_with_the_text_of_another_that_is_gone_was_renamed_also_with_other_parameters():
    before = [a_tool("find", "Finds it.", "id")]
    after = [a_tool("seek", "Finds it.", "id", "limit")]
    assert changes(before, after) == [("seek", "renamed"), ("seek", "parameter added")]
