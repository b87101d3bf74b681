"""Datasets as files: JSON, JSON Lines, CSV or YAML, in RightCall's format or DeepEval's, with custom field names."""

import json
from pathlib import Path

from rightcall import Golden, ToolCall
from rightcall.deepeval.dataset import EvaluationDataset
from rightcall.deepeval.test_case import LLMTestCase

dataset = EvaluationDataset(
    [Golden(input="What is your name?", expected_output="Ada", context=("Names", "People"))]
)
dataset.add_test_case(
    LLMTestCase(
        input="Find Ada",
        actual_output="Found.",
        tools_called=[ToolCall(name="find", input_parameters={"q": "Ada"})],
    )
)

# Saved: goldens alone, or with the test cases; the name of the file is the time when none is given.
for file_type in ("json", "csv"):
    path = dataset.save_as(file_type=file_type, directory="./saved", file_name="names")
    again = EvaluationDataset.load(path)
    print(path, again)
    assert again.goldens == dataset.goldens
timed = dataset.save_as(file_type="json", directory="./saved", include_test_cases=True)
assert len(EvaluationDataset.load(timed)) == 2 and Path(timed).stem[:2] == "20"

# Loaded: a JSON file whose keys have other names, as goldens and as test cases.
Path("example.json").write_text(json.dumps([{"query": "Who?", "actual_output": "Ada", "context": ["Names"]}]))
loaded = EvaluationDataset()
loaded.add_goldens_from_json_file(file_path="example.json", input_key_name="query")
loaded.add_test_cases_from_json_file(
    file_path="example.json",
    input_key_name="query",
    actual_output_key_name="actual_output",
    expected_output_key_name="expected_output",
    context_key_name="context",
    retrieval_context_key_name="retrieval_context",
)
assert loaded.goldens[0].input == "Who?" and loaded.test_cases[0].trajectory.output == "Ada"

# A table: a list in one cell needs a delimiter. Cells are texts: 007 stays 007.
Path("example.csv").write_text(
    "query,actual_output,context,retrieval_context\n007,Bond,spies;films,a page;another\n"
)
table = EvaluationDataset()
table.add_goldens_from_csv_file(file_path="example.csv", input_col_name="query", context_col_delimiter=";")
table.add_test_cases_from_csv_file(
    file_path="example.csv",
    input_col_name="query",
    actual_output_col_name="actual_output",
    expected_output_col_name="expected_output",
    context_col_name="context",
    context_col_delimiter=";",
    retrieval_context_col_name="retrieval_context",
    retrieval_context_col_delimiter=";",
)
print(table.goldens[0].input, table.goldens[0].context, table.test_cases[0].golden.retrieval_context)
assert table.goldens[0].input == "007" and table.goldens[0].context == ("spies", "films")
assert table.test_cases[0].golden.retrieval_context == ("a page", "another")
