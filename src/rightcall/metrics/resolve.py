"""From the name a user types to a metric.

Built-in table first, then entry points (`rightcall.metrics`), then `module:Class`. Settings go in parentheses:
`tool_selection(threshold=0.5)`. Nothing registers by being imported.
"""

from __future__ import annotations

import ast
import inspect
from functools import cache
from importlib import import_module
from typing import Any

from rightcall.errors import ConfigError, suggestion
from rightcall.metrics.base import Metric

DIMENSIONS = (
    "call_precision", "call_recall", "call_f1", "call_soft_f1", "tool_precision", "tool_recall", "tool_f1",
    "parameter_accuracy", "order", "content", "latency", "overall",
)  # fmt: skip
"""Measured for every case."""

ON_REQUEST = (
    "argument_match", "call_count", "double_effects", "final_state", "honest_report", "redundant_calls",
    "schema_validity", "tool_selection", "tools_avoided", "tools_selected", "verify_before_retry",
)  # fmt: skip


JUDGED = {
    "rubric": "Rubric",
    "task_completion": "TaskCompletion",
    "answer_relevancy": "AnswerRelevancy",
    "argument_correctness": "ArgumentCorrectness",
}
"""Metrics that ask a model, which must be named: `rubric(model='openai:gpt-5-mini', rubric='…')`."""


def metric_names() -> list[str]:
    """Every metric that can be asked for by name alone."""
    return [*DIMENSIONS, *ON_REQUEST, *sorted(_offered())]


def resolve_metric(text: str) -> Metric:
    """The metric that a name or `module:Class(setting=value)` stands for, or a `ConfigError` that suggests."""
    name, settings = _parsed(text)
    made = metric_class(name)
    known = inspect.signature(made).parameters
    for setting in settings:
        if setting not in known:
            hint = suggestion(setting, known) or f"settings: {', '.join(known) or 'none'}"
            raise ConfigError(f"metric '{text}' has no setting '{setting}'; {hint}")
    try:
        return made(**settings)
    except (TypeError, ValueError) as error:
        raise ConfigError(
            f"metric '{text}': {str(error).replace(f'{made.__name__}.__init__() ', '')}"
        ) from None


def resolve_metrics(texts: list[str]) -> list[Metric]:
    """All of them, or one `ConfigError` with every problem."""
    metrics: list[Metric] = []
    problems: list[str] = []
    for text in texts:
        try:
            metrics.append(resolve_metric(text))
        except ConfigError as error:
            problems += error.problems
    if problems:
        raise ConfigError(*problems)
    return metrics


def metric_class(name: str) -> type[Metric]:
    if name in DIMENSIONS or name in ON_REQUEST:
        return _loaded(f"rightcall.metrics.{name}", _class_name(name), name)
    if name in JUDGED:
        return _loaded("rightcall.metrics.judged.rubric", JUDGED[name], name)
    if name in _offered():
        module, _, attribute = _offered()[name].partition(":")
        return _loaded(module, attribute, name)
    if ":" in name:
        module, _, attribute = name.partition(":")
        return _loaded(module, attribute, name)
    hint = suggestion(name, [*metric_names(), *JUDGED]) or "`rightcall metrics list` shows them all"
    raise ConfigError(f"unknown metric '{name}'; {hint}")


def _loaded(module: str, attribute: str, name: str) -> type[Metric]:
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"metric '{name}' cannot be loaded: {error}") from None
    if not (isinstance(found, type) and issubclass(found, Metric)):
        raise ConfigError(
            f"metric '{name}' is not a subclass of rightcall.Metric; write class {attribute}(Metric)"
        )
    return found


def _class_name(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


@cache
def _offered() -> dict[str, str]:
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group="rightcall.metrics")}


def _parsed(text: str) -> tuple[str, dict[str, Any]]:
    """`pkg.mod:Class(limit=3)` → the name and its settings; settings are literals, never evaluated."""
    name, bracket, rest = text.strip().partition("(")
    if not bracket:
        return name, {}
    try:
        call = ast.parse(f"f({rest}", mode="eval").body
        if not isinstance(call, ast.Call) or call.args:
            raise ValueError("settings are given by name")
        return name, {str(k.arg): _literal(k.value) for k in call.keywords if k.arg}
    except (SyntaxError, ValueError) as error:
        detail = getattr(error, "msg", str(error))
        raise ConfigError(f"metric '{text}': {detail}; write it as name(setting=value)") from None


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise ValueError(f"{ast.unparse(node)} is not a number, a text in quotes or a list of them") from None
