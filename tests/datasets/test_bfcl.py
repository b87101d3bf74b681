"""BFCL's files to goldens: what each part of a question becomes, and what is said of a broken file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rightcall.core.codec import encode
from rightcall.core.errors import InputError
from rightcall.datasets.importers.bfcl import import_bfcl
from rightcall.records import ExpectedCall, Golden

FUNCTION = {
    "name": "weather.get",
    "description": "Weather of a city.",
    "parameters": {
        "type": "dict",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer", "default": 1},
            "limit": {"type": "float"},
            "at": {"type": "tuple", "items": {"type": "float"}},
            "where": {"type": "dict", "properties": {"type": {"type": "any", "optional": True}}},
        },
        "required": ["city"],
    },
}


def a_question(identifier: str = "simple_python_0", *said: tuple[str, str], **other: Any) -> dict[str, Any]:
    messages = [{"role": role, "content": content} for role, content in said or [("user", "Weather?")]]
    return {"id": identifier, "question": [messages], "function": [FUNCTION]} | other


def an_answer(identifier: str = "simple_python_0", **parameters: list[Any]) -> dict[str, Any]:
    return {"id": identifier, "ground_truth": [{"weather.get": parameters or {"city": ["Hanoi"]}}]}


def imported(folder: Path, questions: list[Any], answers: list[Any] | None = None) -> list[Golden]:
    lines = [b"\n".join(line if isinstance(line, bytes) else encode(line) for line in questions)]
    (folder / "q.json").write_bytes(lines[0])
    if answers is not None:
        (folder / "a.json").write_bytes(b"\n".join(encode(answer) for answer in answers))
    return list(import_bfcl(folder / "q.json", None if answers is None else folder / "a.json"))


def test_a_function_becomes_a_tool_in_json_schema(tmp_path: Path) -> None:
    (golden,) = imported(tmp_path, [a_question()], [an_answer()])
    assert golden.tools is not None
    (tool,) = golden.tools
    assert isinstance(tool, dict)
    assert (tool["name"], tool["description"]) == ("weather.get", "Weather of a city.")
    assert tool["input_schema"] == {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer", "default": 1},
            "limit": {"type": "number"},
            "at": {"type": "array", "items": {"type": "number"}},
            "where": {"type": "object", "properties": {"type": {}}},
        },
        "required": ["city"],
    }


def test_answers_become_plain_matchers_where_these_say_the_same(tmp_path: Path) -> None:
    answer = an_answer(city=["Hanoi"], days=[1, ""], limit=[0.5], where=[{"type": ["x"]}, ""], gone=[""])
    (golden,) = imported(tmp_path, [a_question()], [answer])
    assert golden.defaults == "strict"
    assert golden.expected_calls == (
        ExpectedCall(
            "weather.get",
            {
                "city": {"bfcl": {"type": "string", "values": ["Hanoi"]}},
                "days": {"optional": {"bfcl": {"type": "integer", "values": [1, ""]}}},
                "limit": 0.5,
                "where": {"optional": {"bfcl": {"type": "dict", "values": [{"type": ["x"]}, ""]}}},
                "gone": {"absent": True},
            },
        ),
    )


def test_what_was_said_becomes_system_and_input(tmp_path: Path) -> None:
    said = [("system", "Be brief."), ("user", "Hi"), ("assistant", "Hello"), ("user", "Weather?")]
    (golden,) = imported(tmp_path, [a_question("irrelevance_0", *said)])
    assert (golden.system, golden.input) == ("Be brief.", "User: Hi\n\nAssistant: Hello\n\nUser: Weather?")


def test_relevance_needs_no_answers(tmp_path: Path) -> None:
    none, some = imported(
        tmp_path, [a_question("live_irrelevance_0-0-0"), a_question("live_relevance_0-0-0")]
    )
    assert (none.category, none.no_calls, none.tags) == ("negative", True, ("bfcl", "live_irrelevance"))
    assert (some.category, some.no_calls, some.extra_calls) == ("golden", False, "allow")


def test_answers_are_found_in_any_order(tmp_path: Path) -> None:
    names = ["multiple_0", "multiple_1", "multiple_2"]
    answers = [an_answer(name, city=[name]) for name in names]
    goldens = imported(tmp_path, [a_question(name) for name in names], answers[::-1])
    cities = [golden.expected_calls[0].args["city"] for golden in goldens]  # type: ignore[index]
    assert [city["bfcl"]["values"] for city in cities] == [[name] for name in names]


BROKEN: list[tuple[list[Any], list[Any] | None, str]] = [
    ([a_question()], None, "q.json:1: the category simple_python requires answers; also pass"),
    ([a_question("multiple_1")], [an_answer()], r"q.json:1: .*a.json has no answer to 'multiple_1'; pass"),
    ([a_question("simple_java_0")], None, "q.json:1: the id 'simple_java_0' has no BFCL category"),
    ([a_question("multi_turn_base_0")], None, "no BFCL category that can be imported"),
    ([a_question("irrelevance_0", question=[[], []])], None, "q.json:1: question must have one turn, got 2"),
    ([a_question("irrelevance_0")] * 2, None, "q.json:2: duplicate id 'irrelevance_0'"),
    ([b'{"id": "simple_python_0"'], None, "q.json:1: not valid JSON: unexpected end of input"),
    ([{"id": "simple_python_0"}], None, "q.json:1: missing required field 'question'"),
    ([a_question()], [an_answer() | {"ground_truth": [{}]}], r"a.json:1: ground_truth\[0\] must name one"),
    (
        [a_question()],
        [an_answer() | {"ground_truth": [{"get": {}}]}],
        "question 'simple_python_0' has no 'get'",
    ),
    ([a_question()], [an_answer() | {"ground_truth": [{"weather.get": {"city": "x"}}]}], "must be a list"),
]


@pytest.mark.parametrize(("questions", "answers", "message"), BROKEN)
def test_a_broken_file_is_reported_by_place(
    tmp_path: Path, questions: list[Any], answers: list[Any] | None, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        imported(tmp_path, questions, answers)


def test_a_type_bfcl_does_not_have_is_refused(tmp_path: Path) -> None:
    function = {
        "name": "weather.get",
        "parameters": {"properties": {"city": {"type": "text"}}, "required": []},
    }
    with pytest.raises(InputError, match=r"a.json:1: ground_truth\[0\].city: 'text' is not a BFCL type"):
        imported(tmp_path, [a_question(function=[function])], [an_answer()])


def test_a_missing_file_is_reported_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        import_bfcl(tmp_path / "BFCL_v4_multiple.json", None)
