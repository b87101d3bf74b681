"""Goldens from the frames people have: pandas, polars, Arrow, Hugging Face."""

from __future__ import annotations

import pytest

from rightcall.datasets.dataset import DatasetFiles
from rightcall.model import ExpectedCall, Golden

COLUMNS = {
    "input": ["007", "b"],
    "expected_output": ["NA", None],
    "context": [["one", "two"], None],
    "expected_tools": ['[{"name": "f", "inputParameters": {"x": 1}}]', None],
    "team": ["red", "blue"],
}
EXPECTED = [
    Golden("007", expected_output="NA", context=("one", "two"), expected_calls=(ExpectedCall("f", {"x": 1}),),
           custom_columns={"team": "red"}),
    Golden("b", extra_calls="allow", custom_columns={"team": "blue"}),
]  # fmt: skip


def pandas_frame():
    import pandas

    return pandas.DataFrame(COLUMNS)


def polars_frame():
    import polars

    return polars.DataFrame(COLUMNS)


def arrow_table():
    import pyarrow

    return pyarrow.table(COLUMNS)


def hugging_face_dataset():
    import datasets

    return datasets.Dataset.from_dict(COLUMNS)


@pytest.mark.parametrize("make", [pandas_frame, polars_frame, arrow_table, hugging_face_dataset])
def test_a_frame_gives_the_same_goldens_as_a_file_would(make):
    dataset = DatasetFiles()
    dataset.add_goldens_from(make())
    assert dataset == DatasetFiles(EXPECTED)


def test_columns_of_a_frame_may_have_other_names():
    dataset = DatasetFiles()
    dataset.add_goldens_from(pandas_frame().rename(columns={"input": "question"}), input_col_name="question")
    assert dataset == DatasetFiles(EXPECTED)
