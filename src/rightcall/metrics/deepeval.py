"""DeepEval's metrics under their own names, built on RightCall's metrics.

    ToolCorrectnessMetric                             the expected tools were called
    ExactMatchMetric, PatternMatchMetric, JsonCorrectnessMetric                                    the answer's text
    ArgumentCorrectnessMetric, TaskCompletionMetric, AnswerRelevancyMetric, GEval                 judged by a model
    ConversationalGEval, ConversationCompletenessMetric, TurnRelevancyMetric, KnowledgeRetentionMetric,
    RoleAdherenceMetric                               the same of a conversation

A metric that asks a model takes it from `model`, `provider:model` or a name of the project's `models`, and without one
from their `default_judge`; any other bare name, such as `gpt-4.1`, is OpenAI's. Settings that only affect how DeepEval runs or prints are accepted and ignored; `strict_mode` is a
threshold of 1.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypedDict, Unpack

from rightcall.metrics.base import Metric
from rightcall.metrics.deepeval_form import MirroredMetric, mirror_metric
from rightcall.metrics.deepeval_numbers import ExactMatch, JsonCorrectness, PatternMatch, ToolCorrectness
from rightcall.metrics.judged.form import Part
from rightcall.metrics.judged.rubric import (
    AnswerRelevancy,
    ArgumentCorrectness,
    ConversationCompleteness,
    KnowledgeRetention,
    RoleAdherence,
    Rubric,
    TaskCompletion,
    TurnRelevancy,
)
from rightcall.providers.catalog import bare_model


class WithoutEffect(TypedDict, total=False):
    """DeepEval's settings that only affect how it runs or prints."""

    include_reason: bool
    async_mode: bool
    verbose_mode: bool
    evaluation_template: object
    flaky: bool


class JudgedMetricSettings(WithoutEffect, total=False):
    """The settings of every metric that asks a model."""

    model: object
    threshold: float
    strict_mode: bool
    votes: int
    seed: int
    cache: str
    base_url: str


class JudgedMetric(Protocol):
    """The constructor of such a metric."""

    def __call__(self, **settings: Unpack[JudgedMetricSettings]) -> MirroredMetric: ...


CONVERSATION: tuple[Part, ...] = ("conversation",)


class ToolCallParams(enum.Enum):
    """The parts of a call that `ToolCorrectnessMetric` compares besides the tool's name."""

    INPUT_PARAMETERS = "input_parameters"
    OUTPUT = "output"


@mirror_metric("Tool Correctness")
def ToolCorrectnessMetric(  # noqa: N802
    threshold: float | None = 0.5,
    evaluation_params: Sequence[ToolCallParams] = (),
    should_exact_match: bool = False,
    should_consider_ordering: bool = False,
    strict_mode: bool = False,
    **others: Unpack[WithoutEffect],
) -> Metric:
    """The share of the expected tools that were called, with DeepEval's settings and numbers."""
    _no_others("ToolCorrectnessMetric", others)
    return ToolCorrectness(
        threshold=1.0 if strict_mode else threshold,
        arguments=ToolCallParams.INPUT_PARAMETERS in evaluation_params,
        outputs=ToolCallParams.OUTPUT in evaluation_params,
        exact=should_exact_match,
        ordered=should_consider_ordering,
        strict=strict_mode,
    )


@mirror_metric("Exact Match")
def ExactMatchMetric(threshold: float = 1.0, **others: Unpack[WithoutEffect]) -> Metric:  # noqa: N802
    """Whether the answer is `expected_output`, apart from spaces around it."""
    _no_others("ExactMatchMetric", others)
    return ExactMatch(threshold=threshold)


@mirror_metric("Pattern Match")
def PatternMatchMetric(  # noqa: N802
    pattern: str, ignore_case: bool = False, threshold: float = 1.0, **others: Unpack[WithoutEffect]
) -> Metric:
    """Whether a regular expression matches the whole answer, apart from spaces around it."""
    _no_others("PatternMatchMetric", others)
    return PatternMatch(pattern=pattern.strip(), ignore_case=ignore_case, threshold=threshold)


@mirror_metric("Json Correctness")
def JsonCorrectnessMetric(  # noqa: N802
    expected_schema: Any,
    threshold: float = 0.5,
    strict_mode: bool = True,
    model: object = None,
    **others: Unpack[WithoutEffect],
) -> Metric:
    """Whether the answer is JSON of a Pydantic model. `model` is not asked: the reason is the validation error."""
    _no_others("JsonCorrectnessMetric", others)
    return JsonCorrectness(1.0 if strict_mode else threshold, expected_schema)


@mirror_metric("Task Completion")
def TaskCompletionMetric(task: str = "", **settings: Unpack[JudgedMetricSettings]) -> Metric:  # noqa: N802
    """Whether the task was done, judged by a model; `task` says what it was when the input does not."""
    told: dict[str, Any] = {"rubric": f"This task was fully carried out: {task}"} if task else {}
    return TaskCompletion(**told, **_judge_settings("TaskCompletionMetric", settings))


@mirror_metric("")
def GEval(  # noqa: N802
    name: str,
    criteria: str = "",
    evaluation_steps: Sequence[str] = (),
    evaluation_params: Any = (),
    **settings: Unpack[JudgedMetricSettings],
) -> Metric:
    """A custom rubric, judged by a model."""
    rubric = "\n".join(filter(None, (criteria, *evaluation_steps)))
    return Rubric(label=name, rubric=rubric, **_judge_settings("GEval", settings))


@mirror_metric("")
def ConversationalGEval(  # noqa: N802
    name: str,
    criteria: str = "",
    evaluation_steps: Sequence[str] = (),
    evaluation_params: Any = (),
    **settings: Unpack[JudgedMetricSettings],
) -> Metric:
    """A custom rubric for a whole conversation, judged by a model."""
    rubric = "\n".join(filter(None, (criteria, *evaluation_steps)))
    chosen = _judge_settings("ConversationalGEval", settings)
    return Rubric(label=name, rubric=rubric, parts=CONVERSATION, **chosen)


def _metric_of_rubric(label: str, judged: type[Rubric]) -> JudgedMetric:
    """A judged metric of ours that has no settings but those of every one, under DeepEval's name."""
    name = f"{label.replace(' ', '')}Metric"

    @mirror_metric(label)
    def constructor(**settings: Unpack[JudgedMetricSettings]) -> Metric:
        return judged(**_judge_settings(name, settings))

    constructor.__name__ = name
    constructor.__doc__ = judged.__doc__
    return constructor


ArgumentCorrectnessMetric = _metric_of_rubric("Argument Correctness", ArgumentCorrectness)
AnswerRelevancyMetric = _metric_of_rubric("Answer Relevancy", AnswerRelevancy)
ConversationCompletenessMetric = _metric_of_rubric("Conversation Completeness", ConversationCompleteness)
TurnRelevancyMetric = _metric_of_rubric("Turn Relevancy", TurnRelevancy)
KnowledgeRetentionMetric = _metric_of_rubric("Knowledge Retention", KnowledgeRetention)
RoleAdherenceMetric = _metric_of_rubric("Role Adherence", RoleAdherence)
ConversationalRelevancyMetric = TurnRelevancyMetric
"""DeepEval's former name."""


def _judge_settings(metric: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """DeepEval's settings of a metric that asks a model, as ours."""
    chosen: dict[str, Any] = dict(settings)
    model = chosen.pop("model", None) or ""
    threshold = 1.0 if chosen.pop("strict_mode", False) else chosen.pop("threshold", 0.5)
    chosen.pop("threshold", None)
    ours: dict[str, Any] = {
        name: chosen.pop(name) for name in ("votes", "seed", "cache", "base_url") if name in chosen
    }
    _no_others(metric, chosen)
    if isinstance(model, str) and model and ":" not in model:
        model = bare_model(model)
    return {"model": model, "threshold": threshold, **ours}


def _no_others(metric: str, others: Mapping[str, Any]) -> None:
    for setting in others.keys() - WithoutEffect.__annotations__.keys():
        raise TypeError(f"{metric}() does not support '{setting}'; remove it")
