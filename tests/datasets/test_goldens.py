"""Goldens come back from every format as they were, and ids survive reordering."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings, strategies as st

from rightcall.core.errors import InputError
from rightcall.datasets.formats import FORMATS
from rightcall.datasets.goldens import load_goldens, save_goldens
from rightcall.records import ConversationalGolden, ExpectedCall, Golden
from tests.support.examples import examples

from .strategies import HARD_TEXTS, conversations, goldens

suffixes = pytest.mark.parametrize("suffix", sorted(FORMATS.keys() - {".yml", ".txt"}))


def saved_and_loaded(items: list, suffix: str) -> list:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"goldens{suffix}"
        save_goldens(items, path)
        return list(load_goldens(path))


@suffixes
@settings(max_examples=examples(200, few=12))
@given(items=st.lists(goldens, max_size=3))
def test_goldens_survive_a_round_trip_exactly(suffix: str, items: list[Golden]):
    assert saved_and_loaded(items, suffix) == items


@suffixes
@settings(max_examples=examples(200, few=12))
@given(items=st.lists(conversations, min_size=1, max_size=3))
def test_conversational_goldens_survive_too(suffix: str, items: list[ConversationalGolden]):
    assert saved_and_loaded(items, suffix) == items


@suffixes
def test_every_hard_text_survives_in_text_and_structured_fields(suffix: str):
    items = [
        Golden(
            text,
            id=f"g{i}",
            expected_output=text,
            tags=(text,),
            metadata={text: text, "deep": [[{"x": text}]]},
        )
        for i, text in enumerate(HARD_TEXTS)
    ]
    assert saved_and_loaded(items, suffix) == items


@suffixes
def test_types_survive_and_are_not_confused(suffix: str):
    kept = {
        "one": 1,
        "one point": 1.0,
        "true": True,
        "text": "1",
        "none": None,
        "list": [],
        "object": {},
        "big": 2**80,
    }
    [golden] = saved_and_loaded([Golden("x", id="a", metadata=kept)], suffix)
    assert repr(golden.metadata) == repr(kept)


def test_ordinary_yaml_readers_see_the_same_texts(tmp_path: Path):
    items = [Golden(text, id=f"g{i}") for i, text in enumerate(HARD_TEXTS) if text.isprintable()]
    save_goldens(items, tmp_path / "g.yaml")
    seen = yaml.safe_load((tmp_path / "g.yaml").read_text("utf-8"))["goldens"]
    assert [item["input"] for item in seen] == [golden.input for golden in items]


def test_yaml_written_by_people_keeps_text_that_is_not_json(tmp_path: Path):
    text = "- input: 007\n  id: NO\n  name: 2026-01-01\n  comments: 1_000\n"
    text += "  no_calls: true\n  max_calls: 5\n  system: ~\n"
    (tmp_path / "g.yaml").write_text(text, "utf-8")
    [golden] = load_goldens(tmp_path / "g.yaml")
    assert golden == Golden("007", id="NO", name="2026-01-01", comments="1_000", no_calls=True, max_calls=5)


def test_several_lines_of_text_stay_readable_in_yaml(tmp_path: Path):
    save_goldens([Golden("Dòng một\nDòng hai", id="a")], tmp_path / "g.yaml")
    assert "input: |-\n    Dòng một\n    Dòng hai\n" in (tmp_path / "g.yaml").read_text("utf-8")


def test_a_csv_made_in_a_spreadsheet_is_read_cell_by_cell(tmp_path: Path):
    table = (
        "\ufeffid,input,expected_calls,tags,no_calls,max_calls\r\n"
        '007,"Hello, ""you""\nthere","[{""tool"": ""f"", ""args"": {""n"": 1}}]",,,5\r\n'
        "\r\n"
        'b,NA,,"[]",true,\r\n'
    )
    (tmp_path / "g.csv").write_bytes(table.encode())
    assert list(load_goldens(tmp_path / "g.csv")) == [
        Golden('Hello, "you"\nthere', id="007", expected_calls=(ExpectedCall("f", {"n": 1}),), max_calls=5),
        Golden("NA", id="b", no_calls=True),
    ]


@pytest.mark.parametrize(
    "text", ['[{"input":"a"}]', '{"format":"rightcall/goldens/1","goldens":[{"input":"a"}]}']
)
def test_json_may_be_a_bare_list_or_a_document(tmp_path: Path, text: str):
    (tmp_path / "g.json").write_text(text, "utf-8")
    [golden] = load_goldens(tmp_path / "g.json")
    assert golden.input == "a" and golden.id.startswith("g-")


def test_jsonl_takes_a_header_blank_lines_a_byte_order_mark_and_crlf(tmp_path: Path):
    lines = '\ufeff\r\n{"format": "rightcall/goldens/1"}\r\n\r\n{"input": "a"}\r\n   \r\n{"input": "b"}'
    (tmp_path / "g.jsonl").write_bytes(lines.encode())
    assert [golden.input for golden in load_goldens(tmp_path / "g.jsonl")] == ["a", "b"]


def test_an_id_made_of_the_content_does_not_depend_on_the_place_or_the_format(tmp_path: Path):
    (tmp_path / "a.jsonl").write_text('{"input": "x"}\n{"input": "y", "tags": ["t"]}\n', "utf-8")
    (tmp_path / "b.yaml").write_text("- {tags: [t], input: y}\n- input: x\n", "utf-8")
    first, second = ([g.id for g in load_goldens(tmp_path / name)] for name in ("a.jsonl", "b.yaml"))
    assert first == second[::-1]


def test_what_is_written_names_its_format(tmp_path: Path):
    save_goldens([Golden("a", id="1")], tmp_path / "g.json")
    document = json.loads((tmp_path / "g.json").read_text("utf-8"))
    assert document == {"format": "rightcall/goldens/1", "goldens": [{"input": "a", "id": "1"}]}


@suffixes
def test_a_failed_save_leaves_the_old_file_and_no_other(tmp_path: Path, suffix: str):
    path = tmp_path / f"g{suffix}"
    save_goldens([Golden("old", id="1")], path)
    before = path.read_bytes()

    def breaking():
        yield Golden("new", id="1")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        save_goldens(breaking(), path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


@suffixes
def test_two_kinds_are_not_saved_into_one_file(tmp_path: Path, suffix: str):
    with pytest.raises(InputError, match=r"golden 2 \('b'\) is a ConversationalGolden.*separate files"):
        save_goldens([Golden("x", id="a"), ConversationalGolden("y", id="b")], tmp_path / f"g{suffix}")
    assert not list(tmp_path.iterdir())


def test_a_file_may_be_converted_into_itself(tmp_path: Path):
    path = tmp_path / "g.jsonl"
    save_goldens([Golden("a", id="1"), Golden("b", id="2")], path)
    save_goldens(load_goldens(path), path)
    assert [golden.id for golden in load_goldens(path)] == ["1", "2"]


@pytest.mark.parametrize("suffix", ["jsonl", "json"])
@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('{"id": "a", "input": "x", "input": "y"}', "input"),
        ('{"input": "x", "expected_calls": [{"tool": "t", "args": {"city": "a", "city" : "b"}}]}', "city"),
        ('{"input": "x", "inp\\u0075t": "y"}', "input"),
        ('{"input": "x", "metadata": {"k": 1, "k"\t: 2}}', "k"),
        ('{"input": "x", "metadata": {"a/b": 1, "a\\/b": 2}}', "a/b"),
        ('{"input": "x", "metadata": {":k": 1, ":k": 2}}', ":k"),
        ('{"input": "x", "metadata": {"l": ["a", ":"], "k": 1, "k": 2}}', "k"),
    ],
)
def test_a_key_that_occurs_twice_in_one_object_is_an_error(tmp_path, suffix, text, key):
    path = tmp_path / f"goldens.{suffix}"
    path.write_text(f"[{text}]" if suffix == "json" else text)
    with pytest.raises(InputError, match=f"the key '{key}' occurs twice in one object"):
        list(load_goldens(path))


def test_equal_keys_in_different_objects_are_none_of_that(tmp_path):
    path = tmp_path / "goldens.jsonl"
    call = '{"tool": "t", "args": {"tool": "x", "text": "\\"tool\\":"}}'
    path.write_text(f'{{"input": "x", "expected_calls": [{call}, {call}]}}')
    assert len(next(iter(load_goldens(path))).expected_calls) == 2
