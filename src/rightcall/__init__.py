"""RightCall: did your agent make the right call?

Importing this does nothing and costs next to nothing: each public name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rightcall.api import (
        aevaluate,
        evaluate,
        judge,
        load_dataset,
        load_tools,
        observe,
        open_store,
        tool,
    )
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
    from rightcall.executor.limits import Limits, RunLimits
    from rightcall.metrics.base import Metric
    from rightcall.metrics.matching.verdict import Rules, Verdict
    from rightcall.model import (
        CaseResult,
        ConversationalGolden,
        ConversationalTestCase,
        Expectations,
        ExpectedCall,
        Failure,
        Golden,
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
    from rightcall.testing.asserting import assert_test
    from rightcall.testing.evaluation_dataset import EvaluationDataset
    from rightcall.tools.errors import Abort, ToolError

HOMES = {
    "rightcall.api": ("aevaluate", "evaluate", "judge", "load_dataset", "load_tools", "observe", "open_store", "tool"),
    "rightcall.errors": (
        "CheckFailed", "ConfigError", "InfrastructureError", "InputError", "MissingExtraError",
        "ProviderError", "RightCallError",
    ),
    "rightcall.executor.agent": ("Agent",),
    "rightcall.executor.limits": ("Limits", "RunLimits"),
    "rightcall.metrics.base": ("Metric",),
    "rightcall.metrics.matching.verdict": ("Rules", "Verdict"),
    "rightcall.model": (
        "CaseResult", "ConversationalGolden", "ConversationalTestCase", "Expectations", "ExpectedCall",
        "Failure", "Golden", "Message", "Score", "Summary", "TestCase", "Tool", "ToolCall", "ToolResult",
        "Trajectory", "Turn", "Usage",
    ),
    "rightcall.testing.asserting": ("assert_test",),
    "rightcall.testing.evaluation_dataset": ("EvaluationDataset",),
    "rightcall.tools.errors": ("Abort", "ToolError"),
}  # fmt: skip
"""Where each public name lives."""

_HOME = {name: module for module, names in HOMES.items() for name in names}

__all__ = [
    "Abort", "Agent", "CaseResult", "CheckFailed", "ConfigError", "ConversationalGolden",
    "ConversationalTestCase", "EvaluationDataset", "Expectations", "ExpectedCall", "Failure", "Golden",
    "InfrastructureError", "InputError", "Limits", "Message", "Metric", "MissingExtraError",
    "ProviderError", "RightCallError", "Rules", "RunLimits", "Score", "Summary", "TestCase", "Tool",
    "ToolCall", "ToolError", "ToolResult", "Trajectory", "Turn", "Usage", "Verdict", "aevaluate",
    "assert_test", "evaluate", "judge", "load_dataset", "load_tools", "observe", "open_store", "tool",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'rightcall' has no attribute '{name}'")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value  # found without this function from now on
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
