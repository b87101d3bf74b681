"""EvaluationDataset as its users know it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings, strategies as st

import rightcall as rc
from rightcall.core.errors import ConfigError
from rightcall.datasets.dataset import DatasetFiles
from rightcall.records import (
    ConversationalGolden,
    ConversationalTestCase,
    Golden,
    TestCase,
    ToolCall,
    Trajectory,
    Turn,
)
from rightcall.records.expected_call import ExpectedCall
from tests.datasets.strategies import conversations, goldens
from tests.support.examples import examples


def some(count: int, **fields) -> DatasetFiles:
    return DatasetFiles(Golden(f"question {i}", id=f"g{i}", **fields) for i in range(count))


def test_the_first_golden_decides_the_kind():
    dataset = DatasetFiles([Golden("a")])
    with pytest.raises(TypeError, match="contains Goldens, got a ConversationalGolden"):
        dataset.add_golden(ConversationalGolden("b"))
    with pytest.raises(TypeError):
        dataset.add_test_case(ConversationalTestCase(ConversationalGolden("b"), Trajectory()))
    assert not dataset.multi_turn


def test_goldens_get_ids_and_are_iterated_in_order():
    dataset = DatasetFiles([Golden("a"), Golden("b", id="named")])
    first, second = dataset
    assert re.fullmatch("g-[0-9a-f]{12}", first.id)
    assert (second.id, len(dataset)) == ("named", 2)


@pytest.mark.parametrize("file_type", ["json", "jsonl", "csv", "yaml"])
@settings(max_examples=examples(100, few=10))
@given(items=st.lists(goldens, min_size=1, max_size=3) | st.lists(conversations, min_size=1, max_size=3))
def test_what_is_saved_is_loaded(tmp_path_factory, file_type, items):
    dataset = DatasetFiles(items)
    path = dataset.save_as(file_type, tmp_path_factory.mktemp("saved"), "x")
    assert DatasetFiles.load(path) == dataset


def test_a_file_without_a_name_is_named_by_the_time(tmp_path):
    path = some(1).save_as("json", tmp_path / "new" / "folder")
    assert re.fullmatch(r".*/new/folder/\d{8}_\d{6}\.json", path)


def test_saving_nothing_or_as_something_unknown_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="no goldens to save"):
        DatasetFiles().save_as("json", tmp_path)
    with pytest.raises(ConfigError, match="one of json, jsonl, csv, yaml, got 'xlsx'"):
        some(1).save_as("xlsx", tmp_path)


def test_columns_of_any_name_are_read(tmp_path):
    (tmp_path / "x.csv").write_text(
        "question,answer,docs,calls\nWhy?,Because,a;b,search,\n".replace(",\n", "\n")
    )
    dataset = DatasetFiles()
    dataset.add_goldens_from_csv_file(
        tmp_path / "x.csv",
        input_col_name="question",
        expected_output_col_name="answer",
        context_col_name="docs",
        context_col_delimiter=";",
        expected_tools_col_name="calls",
    )
    (golden,) = dataset.goldens
    assert (golden.input, golden.expected_output, golden.context) == ("Why?", "Because", ("a", "b"))
    assert golden.expected_calls == (ExpectedCall("search"),)


def test_a_misspelt_argument_is_reported(tmp_path):
    with pytest.raises(ConfigError, match="did you mean 'input_col_name'"):
        DatasetFiles().add_goldens_from_csv_file(tmp_path / "x.csv", inputt_col_name="q")


def test_test_cases_are_read_with_what_the_agent_did(tmp_path):
    (tmp_path / "x.json").write_text(
        '[{"query": "a", "response": "b", "tools_called": [{"name": "f", "inputParameters": {"x": 1}}],'
        ' "expected_tools": [{"name": "f"}], "additional_metadata": null}]'
    )
    dataset = DatasetFiles()
    dataset.add_test_cases_from_json_file(
        tmp_path / "x.json", input_key_name="query", actual_output_key_name="response"
    )
    (case,) = dataset.test_cases
    assert case.trajectory == Trajectory(calls=(ToolCall("f", {"x": 1}),), output="b")
    assert case.golden.actual_output is None


def test_test_cases_are_saved_as_goldens_with_their_calls(tmp_path):
    dataset = some(1)
    dataset.add_test_case(
        TestCase(Golden("b", id="b"), Trajectory(calls=(ToolCall("f", {"x": 1}),), output="c"))
    )
    loaded = DatasetFiles.load(dataset.save_as("jsonl", tmp_path, "x", include_test_cases=True))
    assert loaded.goldens[1].tools_called == (ToolCall("f", {"x": 1}),)
    assert loaded.goldens[1].actual_output == "c"


@given(share=st.floats(0.05, 0.95), seed=st.integers(0, 5))
def test_a_split_loses_nothing_and_parts_no_cluster(share, seed):
    whole = DatasetFiles(Golden(f"q{i}", id=f"g{i}", cluster=f"c{i % 7}") for i in range(40))
    first, second = whole.split(share, seed=seed)
    assert {g.id for g in first} | {g.id for g in second} == {g.id for g in whole}
    assert {g.cluster for g in first}.isdisjoint(g.cluster for g in second)
    assert abs(len(first) - share * 40) <= 6


def test_calls_of_a_conversation_with_a_history_are_saved_with_the_turn_that_made_them(tmp_path):
    history = (
        Turn("user", "Who?"),
        Turn("assistant", "Ann", tools_called=(ToolCall("find", {"name": "Ann"}),)),
    )
    golden = ConversationalGolden("Pay Ann", id="pay", turns=(*history, Turn("user", "Pay her")))

    def agent(input, history):
        return Turn("assistant", "Paid", tools_called=(ToolCall("pay", {"to": "Ann"}),))

    run = rc.evaluate(agent, [golden], store=tmp_path / "s.db")
    (result,) = run.store.runs.results(run.id, trajectories=True)
    dataset = DatasetFiles(test_cases=[ConversationalTestCase(golden, result.trajectory)])
    saved = DatasetFiles.load(dataset.save_as("jsonl", tmp_path, "x", include_test_cases=True))
    assert [[call.name for call in turn.tools_called or ()] for turn in saved.goldens[0].turns] == [
        [], ["find"], [], ["pay"]
    ]  # fmt: skip
