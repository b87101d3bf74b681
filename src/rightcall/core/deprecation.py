"""What was renamed: each old public name and keyword with the new one, stated once.

`rightcall.__getattr__` and `renames_keywords` read these tables, and `docs/upgrading.md` is generated from them. An old
name works for one minor version after the one that renamed it, with a `DeprecationWarning` that names the new one.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

RENAMED_IN, REMOVED_IN = "0.3", "0.4"

_METRICS = """
AnswerRelevancyMetric ArgumentCorrectnessMetric ConversationalGEval ConversationalRelevancyMetric
ConversationCompletenessMetric ExactMatchMetric GEval JsonCorrectnessMetric KnowledgeRetentionMetric PatternMatchMetric
RoleAdherenceMetric TaskCompletionMetric ToolCorrectnessMetric TurnRelevancyMetric
"""
_SYNTHESIZER_CONFIGS = """
ContextConstructionConfig ConversationalStylingConfig EvolutionConfig FiltrationConfig StylingConfig VerificationConfig
"""
_ERRORS = """
CheckError CheckFailed ConfigError InfrastructureError InputError MissingExtraError ProviderError RightCallError
"""


def _old_names(names: str, module: str) -> dict[str, str]:
    return {name: f"{module}.{name}" for name in names.split()}


NAMES: dict[str, str] = {
    "plan": "rightcall.sample_size",
    **_old_names(_ERRORS, "rightcall.errors"),
    **_old_names("LLMTestCase ToolCallParams", "rightcall.deepeval.test_case"),
    **_old_names("EvaluationDataset", "rightcall.deepeval.dataset"),
    **_old_names(_METRICS, "rightcall.deepeval.metrics"),
    **_old_names("Evolution Synthesizer", "rightcall.deepeval.synthesizer"),
    **_old_names(_SYNTHESIZER_CONFIGS, "rightcall.deepeval.synthesizer.config"),
    **_old_names("ConversationSimulator", "rightcall.deepeval.simulator"),
    **_old_names("ascore_cases", "rightcall.api.evaluation"),
    **_old_names("acheck", "rightcall.api.checks"),
    **_old_names("arun_suite", "rightcall.api.suite_run"),
    **_old_names("Approval Caller Expectations Failure Message Summary ToolResult Usage", "rightcall.model"),
    **_old_names("CaseVerdict ScoringRules", "rightcall.metrics.matching.verdict"),
    **_old_names("UserSetup", "rightcall.agents.conversation.model_user"),
    **_old_names("Trace", "rightcall.wings.traces.trace"),
}
"""Old names of `rightcall`, each with its new address."""

_MEASURE = {"observe": "measure"}
KEYWORDS: dict[str, dict[str, str]] = {
    "evaluate": {
        **_MEASURE,
        "group_name": "group",
        "identifier": "name",
        "hyperparameters": "settings",
    },
    "score_cases": _MEASURE,
    "score": _MEASURE,
    "rescore": _MEASURE,
    "assert_test": _MEASURE,
    "check fixture": _MEASURE,
}
"""Old keywords of functions, each with the new one."""

FORMS: dict[str, str] = {
    "test_cases": "rightcall.deepeval",
    "async_config": "rightcall.deepeval",
    "display_config": "rightcall.deepeval",
    "cache_config": "rightcall.deepeval",
    "data": "rightcall.laminar",
    "executor": "rightcall.laminar",
    "evaluators": "rightcall.laminar",
}
"""Keywords of `rightcall.evaluate` that are another library's, each with the module whose `evaluate` takes it."""


RESULT_NAMES: dict[str, str] = {
    "test_results": "rightcall.deepeval.evaluate.EvaluationResult.test_results",
    "test_run_id": "rightcall.RunResult.id",
}
"""Old attributes of `rightcall.RunResult`, each with where it is now."""


def old_run_attribute(run: Any, name: str) -> Any:
    """The value of an old attribute of a run, with a warning."""
    warn_deprecated(f"rightcall.RunResult.{name}", RESULT_NAMES[name])
    kind = import_module("rightcall.deepeval.evaluate").EvaluationResult
    return getattr(kind(run.id, run.summary, run.verdict, run.store), name)


def old_name_value(name: str) -> Any:
    """The value of an old name of `rightcall`, with a warning."""
    warn_deprecated(f"rightcall.{name}", NAMES[name])
    return _at(NAMES[name])


def renames_keywords(name: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """A decorator: the function accepts its old keywords of `KEYWORDS[name]`, with a warning."""
    names = KEYWORDS[name]

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def call(*args: P.args, **keywords: P.kwargs) -> T:
            __tracebackhide__ = True
            for old in names.keys() & keywords.keys():
                warn_deprecated(f"{old}= of {name}", f"{names[old]}=")
                keywords.setdefault(names[old], keywords.pop(old))
            return function(*args, **keywords)

        return call

    return decorate


def warn_deprecated(old: str, new: str) -> None:
    """Warn in the name of the first caller outside this package."""
    level, frame = 2, sys._getframe(1)
    ours = ("rightcall", "importlib", "functools")
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ours:
        level, frame = level + 1, frame.f_back
    warnings.warn(
        f"{old} is deprecated and ends with {REMOVED_IN}; use {new}", DeprecationWarning, stacklevel=level
    )


def _at(address: str) -> Any:
    """The module or attribute with this address."""
    try:
        return import_module(address)
    except ModuleNotFoundError:
        module, _, name = address.rpartition(".")
        return getattr(_at(module), name)
