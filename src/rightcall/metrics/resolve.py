"""Resolves metric names, and lists all metrics with the pages made of their docstrings.

Built-in table first, then entry points (`rightcall.metrics`), then `module:Class` or `module:function`. Settings go
in parentheses: `tool_selection(threshold=0.5)`. Nothing registers by being imported.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from rightcall.core.errors import ConfigError, suggestion
from rightcall.core.seam import load, name_clashes, plugin_errors, plugins
from rightcall.files.python_object import load_object
from rightcall.metrics.base import FunctionMetric, Metric, metric_name
from rightcall.metrics.deepeval_form import as_deepeval_metric
from rightcall.metrics.dimensions import STANDARD
from rightcall.records.record import Record

if TYPE_CHECKING:
    from rightcall.providers.catalog import ModelCatalog

DIMENSIONS = tuple(STANDARD)
"""Measured for every case."""

JUDGED = {
    "rubric": "rubric:Rubric",
    "task_completion": "rubric:TaskCompletion",
    "answer_relevancy": "rubric:AnswerRelevancy",
    "argument_correctness": "rubric:ArgumentCorrectness",
    "turn_relevancy": "rubric:TurnRelevancy",
    "knowledge_retention": "rubric:KnowledgeRetention",
    "role_adherence": "rubric:RoleAdherence",
    "conversation_completeness": "rubric:ConversationCompleteness",
}
"""Metrics that require a model: `rubric(model='openai:gpt-5-mini', rubric='…')`."""


def metric_names() -> list[str]:
    """Every metric that is available by name."""
    return [*DIMENSIONS, *on_request(), *sorted(plugins("metrics", _builtin_names()))]


@cache
def on_request() -> dict[str, type[Metric]]:
    """Built-in metrics that are measured only when named: all that the files of `builtin/` define."""
    import rightcall.metrics.builtin as shelf

    files = [import_module(f"{shelf.__name__}.{file.name}") for file in iter_modules(shelf.__path__)]
    classes = {
        metric_name(value): value
        for file in files
        for value in vars(file).values()
        if isinstance(value, type) and issubclass(value, Metric) and value.__module__ == file.__name__
    }
    return dict(sorted(classes.items()))


def resolve_metric(text: str, models: ModelCatalog | None = None) -> Metric:
    """The metric for a name, `module:Class(setting=value)` or `module:function`.

    An unknown name raises a `ConfigError` with a suggestion. `models` has the names that a judge's model may have
    [default: the project's].
    """
    name, settings = parse_metric(text)
    if ":" in name:
        loaded = load_object(name, "metric")
        if not isinstance(loaded, type) and callable(loaded):
            parameters = inspect.signature(FunctionMetric).parameters.keys() - {"function"}
            return _build_metric(text, partial(FunctionMetric, loaded), settings, parameters)
    constructor = metric_class(name)
    brings_judge = "model" not in settings and bool(getattr(constructor, "model", ""))
    if models is not None and getattr(constructor, "asks_model", False) and not brings_judge:
        settings = _with_judge(text, name, settings, models)
    return _build_metric(text, constructor, settings, inspect.signature(constructor).parameters)


def as_metrics(named: Iterable[Any], models: ModelCatalog | None = None) -> list[Metric]:
    """Metrics from names, metrics and plain functions; one `ConfigError` lists every problem.

    Two different metrics with the same name are an error. `models` are those that names of metrics may use.
    """
    metrics: list[Metric] = []
    problems: list[str] = []
    for entry in named if isinstance(named, Iterable) and not isinstance(named, str) else [named]:
        try:
            metric = _as_metric(entry, models)
        except ConfigError as error:
            problems += error.problems
            continue
        twin = next((other for other in metrics if other.name == metric.name), None)
        if twin is None:
            metrics.append(metric)
        elif twin != metric:
            problems.append(f"two metrics are named '{metric.name}'; rename one or give it a label")
    if problems:
        raise ConfigError(*problems)
    return metrics


def metrics_to_observe(
    observe: Iterable[Any], metrics: Sequence[Metric], models: ModelCatalog | None = None
) -> list[Metric]:
    """Observed metrics, without those that also decide."""
    named = {metric.name for metric in metrics}
    return [metric for metric in as_metrics(observe, models) if metric.name not in named]


def _as_metric(entry: Any, models: ModelCatalog | None) -> Metric:
    if isinstance(entry, str):
        return resolve_metric(entry, models)
    if isinstance(entry, type):
        raise ConfigError(f"metric {entry.__name__} is a class; use an instance: {entry.__name__}()")
    if hasattr(entry, "is_successful"):
        deepeval_metric = as_deepeval_metric(entry)
        if deepeval_metric is not None:
            return deepeval_metric
    if hasattr(entry, "measure"):
        metric: Metric = entry
        return metric
    if callable(entry):
        return FunctionMetric(entry)
    raise ConfigError(f"a metric is a name, a Metric or a function, got {type(entry).__name__}")


def _with_judge(text: str, name: str, settings: dict[str, Any], models: ModelCatalog) -> dict[str, Any]:
    """The settings of a judged metric with its model found among the names of a suite."""
    from rightcall.metrics.judged.rubric import judge_endpoint

    who = str(settings.get("label") or name)
    try:
        model = judge_endpoint(settings.get("model", ""), str(settings.get("base_url", "")), who, models)
    except ConfigError as error:
        raise ConfigError(*(f"metric '{text}': {problem}" for problem in error.problems)) from None
    return {**settings, "model": model}


def _build_metric(
    text: str, make: Callable[..., Metric], settings: dict[str, Any], parameters: Iterable[str]
) -> Metric:
    for setting in settings:
        if setting not in parameters:
            hint = suggestion(setting, parameters) or f"settings: {', '.join(sorted(parameters)) or 'none'}"
            raise ConfigError(f"metric '{text}' has no setting '{setting}'; {hint}")
    try:
        return make(**settings)
    except (TypeError, ValueError) as error:
        problem = re.sub(r"^\w+\.__init__\(\) ", "", str(error))
        raise ConfigError(f"metric '{text}': {problem}") from None


def metric_class(name: str) -> type[Metric]:
    if name in STANDARD:
        return type(STANDARD[name])
    if name in on_request():
        return on_request()[name]
    if name in JUDGED:
        module, _, attribute = JUDGED[name].partition(":")
        loaded = getattr(import_module(f"rightcall.metrics.judged.{module}"), attribute)
    elif ":" in name:
        loaded = load_object(name, "metric")
    elif name in plugins("metrics"):
        loaded = load("metrics", name)
    else:
        hint = suggestion(name, [*metric_names(), *JUDGED]) or "see `rightcall list metrics`"
        raise ConfigError(f"unknown metric '{name}'; {hint}")
    if not (isinstance(loaded, type) and issubclass(loaded, Metric)):
        attribute = name.rpartition(":")[2]
        problem = f"metric '{name}' is not a subclass of rightcall.Metric; write class {attribute}(Metric)"
        raise ConfigError(problem)
    return loaded


def parse_metric(text: str) -> tuple[str, dict[str, Any]]:
    """`pkg.mod:Class(limit=3)` → the name and its settings; settings are literals, never evaluated."""
    name, bracket, rest = text.strip().partition("(")
    if not bracket:
        return name, {}
    try:
        call = ast.parse(f"f({rest}", mode="eval").body
        if not isinstance(call, ast.Call) or call.args:
            raise ValueError("settings must be keyword arguments")
        return name, {str(k.arg): _literal(k.value) for k in call.keywords if k.arg}
    except (SyntaxError, ValueError) as error:
        detail = getattr(error, "msg", str(error))
        raise ConfigError(f"metric '{text}': {detail}; write it as name(setting=value)") from None


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise ValueError(f"{ast.unparse(node)} is not a number, a quoted string or a list of them") from None


EXAMPLE_LABELS = ("Tools", "Golden", "Fails", "Passes")


class MetricPage(Record, frozen=True):
    """A metric for a reader. `example` holds JSON under the labels Tools, Golden, Fails and Passes."""

    name: str
    summary: str
    explanation: str
    example: dict[str, str]
    settings: dict[str, Any]
    measured: str


def metric_pages() -> list[MetricPage]:
    """The pages of all metrics: those of every case, those on request, those that ask a model."""
    added = [name for name, plugin in plugins("metrics", _builtin_names()).items() if not plugin.problem]
    return [metric_page(name) for name in (*DIMENSIONS, *on_request(), *sorted(added), *JUDGED)]


def metric_notes() -> list[str]:
    """Why metrics of installed packages are not listed."""
    return [*name_clashes("metrics", _builtin_names()), *plugin_errors("metrics", _builtin_names())]


def _builtin_names() -> set[str]:
    return {*DIMENSIONS, *on_request(), *JUDGED}


def metric_page(name: str) -> MetricPage:
    """The page of one metric: a name, `module:Class` or `module:function`. Unknown ones raise a `ConfigError`."""
    if ":" in name and ("(" in name or not isinstance(load_object(name, "metric"), type)):
        metric: Metric | type[Metric] = resolve_metric(name)
    else:  # a class is not called unless settings are given: it may have required ones
        metric = metric_class(name)
    described = metric.function if isinstance(metric, FunctionMetric) else metric
    summary, _, rest = _own_text(described).partition("\n\n")
    example = {
        label: line[1] for label in EXAMPLE_LABELS if (line := re.search(rf"^{label}: (.*)$", rest, re.M))
    }
    explanation = re.sub(rf"^({'|'.join(EXAMPLE_LABELS)}): .*$\n?", "", rest, flags=re.M).strip()
    return MetricPage(
        name=name,
        summary=summary.replace("\n", " "),
        explanation=explanation,
        example=example,
        settings=_settings(metric),
        measured="always" if name in DIMENSIONS else "by a model" if name in JUDGED else "on request",
    )


def _own_text(described: Any) -> str:
    """The docstring of a metric that has its own: neither that of its base class nor the one dataclasses write."""
    kind = described if inspect.isfunction(described) or isinstance(described, type) else type(described)
    text = vars(kind).get("__doc__") or "" if isinstance(kind, type) else kind.__doc__ or ""
    written = not (dataclasses.is_dataclass(kind) and text.startswith(f"{kind.__name__}("))
    return inspect.cleandoc(text) if text and written else "(no docstring)"


def _settings(metric: Any) -> dict[str, Any]:
    """Each setting with its value: that given in parentheses, else its default."""
    fields = dataclasses.fields(metric) if dataclasses.is_dataclass(metric) else ()
    defaults = {field.name: field.default for field in fields if field.name != "function"}
    return defaults if isinstance(metric, type) else {name: getattr(metric, name) for name in defaults}
