"""RightCall: did your agent make the right call?

Importing this does nothing and costs next to nothing: each public name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rightcall.api import aevaluate, evaluate, judge, load_dataset, load_tools, open_store, rescore, tool
    from rightcall.errors import (
        CheckFailed,
        ConfigError,
        InfrastructureError,
        InputError,
        MissingExtraError,
        ProviderError,
        RightCallError,
    )
    from rightcall.executor.agent import Agent
    from rightcall.executor.conversation.model_user import UserSetup
    from rightcall.executor.limits import Limits, RunLimits
    from rightcall.metrics.base import Metric
    from rightcall.metrics.deepeval import (
        AnswerRelevancyMetric,
        ArgumentCorrectnessMetric,
        ConversationalGEval,
        ConversationalRelevancyMetric,
        ConversationCompletenessMetric,
        GEval,
        KnowledgeRetentionMetric,
        RoleAdherenceMetric,
        TaskCompletionMetric,
        ToolCallParams,
        ToolCorrectnessMetric,
        TurnRelevancyMetric,
    )
    from rightcall.metrics.matching.verdict import Rules, Verdict
    from rightcall.model import (
        CaseResult,
        ConversationalGolden,
        ConversationalTestCase,
        Expectations,
        ExpectedCall,
        Failure,
        Golden,
        LLMTestCase,
        Message,
        Score,
        Summary,
        TestCase,
        Tool,
        ToolCall,
        ToolResult,
        Trajectory,
        Turn,
        Usage,
    )
    from rightcall.synthesis.simulator import ConversationSimulator
    from rightcall.testing.assertion import assert_test
    from rightcall.testing.evaluation_dataset import EvaluationDataset
    from rightcall.tools.runtime.errors import Abort, ToolError

HOMES = {
    "rightcall.api": ("aevaluate", "evaluate", "judge", "load_dataset", "load_tools", "open_store", "rescore", "tool"),
    "rightcall.errors": (
        "CheckFailed", "ConfigError", "InfrastructureError", "InputError", "MissingExtraError",
        "ProviderError", "RightCallError",
    ),
    "rightcall.executor.agent": ("Agent",),
    "rightcall.executor.conversation.model_user": ("UserSetup",),
    "rightcall.executor.limits": ("Limits", "RunLimits"),
    "rightcall.metrics.base": ("Metric",),
    "rightcall.metrics.deepeval": (
        "AnswerRelevancyMetric", "ArgumentCorrectnessMetric", "ConversationCompletenessMetric",
        "ConversationalGEval", "ConversationalRelevancyMetric", "GEval", "KnowledgeRetentionMetric",
        "RoleAdherenceMetric", "TaskCompletionMetric", "ToolCallParams", "ToolCorrectnessMetric", "TurnRelevancyMetric",
    ),
    "rightcall.metrics.matching.verdict": ("Rules", "Verdict"),
    "rightcall.model": (
        "CaseResult", "ConversationalGolden", "ConversationalTestCase", "Expectations", "ExpectedCall",
        "Failure", "Golden", "LLMTestCase", "Message", "Score", "Summary", "TestCase", "Tool", "ToolCall", "ToolResult",
        "Trajectory", "Turn", "Usage",
    ),
    "rightcall.synthesis.simulator": ("ConversationSimulator",),
    "rightcall.testing.assertion": ("assert_test",),
    "rightcall.testing.evaluation_dataset": ("EvaluationDataset",),
    "rightcall.tools.runtime.errors": ("Abort", "ToolError"),
}  # fmt: skip
"""Where each public name lives."""

_HOME = {name: module for module, names in HOMES.items() for name in names}

__all__ = [
    "Abort", "Agent", "AnswerRelevancyMetric", "ArgumentCorrectnessMetric", "CaseResult", "CheckFailed",
    "ConfigError", "ConversationCompletenessMetric", "ConversationSimulator", "ConversationalGEval",
    "ConversationalGolden",
    "ConversationalRelevancyMetric", "ConversationalTestCase", "EvaluationDataset", "Expectations",
    "ExpectedCall", "Failure", "GEval", "Golden", "InfrastructureError", "InputError",
    "KnowledgeRetentionMetric", "LLMTestCase",
    "Limits", "Message", "Metric", "MissingExtraError", "ProviderError", "RightCallError",
    "RoleAdherenceMetric", "Rules",
    "RunLimits", "Score", "Summary", "TaskCompletionMetric", "TestCase", "Tool", "ToolCall",
    "ToolCallParams", "ToolCorrectnessMetric", "ToolError", "ToolResult", "Trajectory", "Turn",
    "TurnRelevancyMetric", "Usage", "UserSetup", "Verdict", "aevaluate", "assert_test", "evaluate", "judge",
    "load_dataset", "load_tools", "open_store", "rescore", "tool",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        if name.endswith(("Metric", "Eval")):  # one of DeepEval's, perhaps: then say what to write instead
            deepeval = import_module("rightcall.metrics.deepeval")
            if name in deepeval.INSTEAD:
                return deepeval.refused(name)
        raise AttributeError(f"module 'rightcall' has no attribute '{name}'")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value  # found without this function from now on
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
