"""DeepEval's files: read to the source values, written byte for byte, and laws about both."""

from __future__ import annotations

import io
import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

from rightcall.core.errors import InputError
from rightcall.datasets.deepeval.reader import golden_of, read_deepeval
from rightcall.datasets.deepeval.writer import write_deepeval
from rightcall.datasets.goldens import load_goldens, save_goldens
from rightcall.records import ConversationalGolden, ExpectedCall, Golden, ToolCall
from tests.datasets.strategies import conversations, goldens
from tests.support.examples import examples

FILES = Path(__file__).parent / "data" / "deepeval"
NAMES = sorted(path.name for path in FILES.iterdir())


def read(name: str) -> list:
    return [golden for _, golden in read_deepeval(FILES / name)]


def written(items, file_type: str) -> bytes:
    file = io.BytesIO()
    write_deepeval(items, file, file_type)
    return file.getvalue()


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_written_again_byte_for_byte(name):
    assert written(read(name), name.rpartition(".")[2]) == (FILES / name).read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_a_file_opens_without_a_word_about_its_dialect(name):
    assert [msgspec.structs.replace(g, id="") for g in load_goldens(FILES / name)] == read(name)


def test_the_source_values_are_there():
    hello, booking, calendar, delims, zeros, lists = read("single_goldens.json")
    assert hello == Golden("Hello", extra_calls="allow")
    assert booking.expected_calls[0] == ExpectedCall(
        "search_flights", {"from": "HAN", "to": "DAD", "max_price": 2000000}
    )
    assert booking.metadata["none"] is None
    assert booking.custom_columns == {"priority": "cao"}
    assert calendar.expected_calls[0].args is None
    assert calendar.tools_called[0].output == {"ok": True, "items": [1, 2.5, None, "三"]}
    assert calendar.tools_called[0].notes == {"description": "更新日历", "reasoning": "用户想改时间"}
    assert calendar.tools_called[1].notes == {"type": "MCP"}
    assert delims.context[0] == "ctx with | pipe"
    assert (zeros.input, zeros.expected_output, zeros.name) == ("007", "NA", "null")
    assert (lists.context, lists.retrieval_context, lists.expected_output) == ((), (), "")
    assert lists.expectations.must == ("mention the refund policy",)


def test_json_lines_and_json_say_the_same_where_nothing_was_lost():
    as_json = read("single_goldens.json")
    as_lines = read("single_goldens.jsonl")
    assert [a for a in as_json if a.name != "delims"] == [b for b in as_lines if b.name != "delims"]


def test_a_table_never_guesses_a_number():
    (zeros,) = (
        golden for golden in read("single_goldens.csv") if golden.comments == "pandas coerces these cells"
    )
    assert (zeros.input, zeros.expected_output, zeros.name) == ("007", "NA", "null")


def test_conversations_keep_turns_persona_and_expectations():
    refund, change, weather = read("multi_goldens.json")
    assert refund == ConversationalGolden("User wants a refund", extra_calls="allow")
    assert change.persona == {
        "name": "Chị Lan",
        "characteristics": change.user_description,
        "metadata": {"age": 41},
    }
    assert change.turns[1].tools_called[0] == ToolCall(
        "get_booking", {"pnr": "ABC|123"}, status="ok", output={"status": "đã xuất vé"}
    )
    assert change.turns[2].user_id == "u-1"
    assert weather.expectations.must_not == ("ask for password",)


@pytest.mark.parametrize("file_type", ["json", "jsonl", "csv"])
@settings(max_examples=examples(200, few=12))
@given(items=st.lists(goldens, min_size=1, max_size=3) | st.lists(conversations, min_size=1, max_size=3))
def test_whatever_is_written_is_read_back_or_refused(file_type, items):
    try:
        data = written(items, file_type)
    except InputError as refusal:
        assert refusal.hint
        return
    assert _read_bytes(data, file_type) == items


def _read_bytes(data: bytes, file_type: str) -> list:
    import csv

    text = data.decode()
    if file_type == "json":
        return [golden_of(row, "here") for row in json.loads(text)]
    if file_type == "jsonl":
        return [golden_of(json.loads(line), "here") for line in text.split("\n") if line]
    return [golden_of(row, "here", cells=True) for row in csv.DictReader(io.StringIO(text, newline=""))]


@pytest.mark.parametrize("file_type", ["jsonl", "csv"])
def test_a_bar_inside_a_context_is_refused_where_it_would_cut(tmp_path, file_type):
    golden = Golden("x", id="bar", context=("a|b",))
    with pytest.raises(InputError, match=r"golden 1 \('bar'\): context\[0\] contains '\|'.*save as JSON"):
        save_goldens([golden], tmp_path / f"x.{file_type}", dialect="deepeval")
    save_goldens([golden], tmp_path / "x.json", dialect="deepeval")
    assert list(load_goldens(tmp_path / "x.json")) == [golden]


def test_a_pattern_of_names_is_refused(tmp_path):
    golden = Golden("x", expected_calls=(ExpectedCall(("a", "b")),))
    with pytest.raises(InputError, match=r"expected_calls\[0\]: DeepEval needs a single tool name"):
        save_goldens([golden], tmp_path / "x.json", dialect="deepeval")


def test_camel_case_bom_and_list_cells_are_read(tmp_path):
    (tmp_path / "x.json").write_text(
        '\ufeff[{"input": "a", "expectedOutput": "b", "expectedTools": null}]', "utf-8"
    )
    (tmp_path / "x.csv").write_text(
        'input,context,expected_tools\na,"[""b|c"", ""d""]",search;book\n', "utf-8"
    )
    assert next(load_goldens(tmp_path / "x.json")).expected_output == "b"
    found = next(load_goldens(tmp_path / "x.csv"))
    assert found.context == ("b|c", "d")
    assert [call.tool for call in found.expected_calls] == ["search", "book"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{not json", "x.csv:2: column additional_metadata: not valid JSON"),
        ("[1]", "x.csv:2: additional_metadata: must be an object"),
    ],
)
def test_a_bad_cell_is_reported_with_line_and_column(tmp_path, row, message):
    (tmp_path / "x.csv").write_text(f'input,additional_metadata\na,"{row}"\n', "utf-8")
    with pytest.raises(InputError) as caught:
        list(load_goldens(tmp_path / "x.csv"))
    assert message in str(caught.value)


def test_a_near_miss_of_a_field_is_refused_and_other_columns_are_kept():
    with pytest.raises(InputError, match="did you mean 'expected_tools'"):
        golden_of({"input": "a", "expected_toolz": None}, "here")
    assert golden_of({"input": "a", "team": "red", "size": 3}, "here").custom_columns == {"team": "red"}
