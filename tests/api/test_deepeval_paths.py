"""DeepEval's import paths lead to RightCall's names."""

from __future__ import annotations

from importlib import import_module

import pytest

import rightcall as rc
from rightcall.deepeval.metrics import ToolCorrectnessMetric
from rightcall.deepeval.test_case import LLMTestCase

PATHS = {
    "": "evaluate assert_test log_hyperparameters",
    "evaluate": "evaluate assert_test AsyncConfig DisplayConfig CacheConfig ErrorConfig",
    "evaluate.configs": "AsyncConfig DisplayConfig CacheConfig ErrorConfig",
    "test_case": (
        "LLMTestCase ConversationalTestCase Turn ToolCall ToolCallParams ToolCallType SingleTurnParams "
        "LLMTestCaseParams MultiTurnParams TurnParams Expectations"
    ),
    "dataset": "EvaluationDataset Golden ConversationalGolden Persona Expectations",
    "metrics": (
        "BaseMetric BaseConversationalMetric ToolCorrectnessMetric ArgumentCorrectnessMetric TaskCompletionMetric "
        "AnswerRelevancyMetric GEval ConversationalGEval ConversationCompletenessMetric TurnRelevancyMetric "
        "KnowledgeRetentionMetric RoleAdherenceMetric ExactMatchMetric PatternMatchMetric JsonCorrectnessMetric "
    ),
    "synthesizer": "Synthesizer",
    "synthesizer.config": "FiltrationConfig StylingConfig ContextConstructionConfig",
    "simulator": "ConversationSimulator",
}


@pytest.mark.parametrize("path", PATHS)
def test_a_path_has_its_names(path):
    module = import_module(f"rightcall.deepeval.{path}".rstrip("."))
    for name in PATHS[path].split():
        assert callable(getattr(module, name)), name
        if name in rc.__all__ and name != "evaluate":
            own = getattr(rc, name)
            assert getattr(module, name) is own or own.__doc__ == getattr(module, name).__doc__


def test_evaluate_stays_a_function_whatever_is_imported_first():
    import_module("rightcall.deepeval.evaluate.configs")
    from rightcall.deepeval import evaluate

    assert evaluate.__module__ == "rightcall.deepeval.evaluate.test_cases"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("test_case", "MLLMImage"),
        ("metrics", "FaithfulnessMetric"),
        ("dataset", "InterruptionBehavior"),
    ],
)
def test_a_name_without_an_equivalent_leads_to_the_page_about_it(path, name):
    with pytest.raises(ImportError, match=f"{name} has no equivalent here; docs/coming-from-deepeval.md"):
        exec(f"from rightcall.deepeval.{path} import {name}", {})


def test_metrics_are_never_skipped(tmp_path):
    from rightcall.deepeval.evaluate import ErrorConfig, evaluate

    cases = [LLMTestCase(input="?", actual_output="!")]
    with pytest.raises(TypeError, match="cannot skip metrics"):
        evaluate(cases, [], error_config=ErrorConfig(skip_on_missing_params=True))
    run = evaluate(
        cases,
        [ToolCorrectnessMetric()],
        error_config=ErrorConfig(ignore_errors=True),
        store=tmp_path / "s",
    )
    (result,) = run.test_results
    assert run.verdict.word == "ERROR" and result.metrics_data[0].error and not result.success


def test_a_result_reads_as_deepevals_and_as_ours(tmp_path):
    from rightcall.deepeval import evaluate

    case = LLMTestCase(
        input="Hi",
        actual_output="Hello",
        name="greeting",
        tools_called=["a"],
        expected_tools=["a"],
        context=["c"],
    )
    run = evaluate([case], [ToolCorrectnessMetric()], store=tmp_path / "s.db")
    (result,) = run.test_results
    assert (result.name, result.success, result.conversational) == ("greeting", True, False)
    assert (result.input, result.actual_output, result.context) == ("Hi", "Hello", ["c"])
    (data,) = result.metrics_data
    assert (data.name, data.score, data.success, data.error) == ("tool_correctness", 1.0, True, None)
    assert result.passed and result.metrics["tool_f1"].value == 1 and run.test_run_id == run.id


def test_hyperparameters_of_a_test_file_are_accepted_with_and_without_arguments():
    from rightcall.deepeval import log_hyperparameters

    @log_hyperparameters
    def plain():
        return {"temperature": 1}

    @log_hyperparameters(model="m", prompt_template="…")
    def named():
        return {"temperature": 2}

    assert (plain(), named()) == ({"temperature": 1}, {"temperature": 2})
