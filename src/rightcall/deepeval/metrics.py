"""DeepEval's metrics, and the base classes of custom ones.

A metric without an equivalent can be imported; its constructor says what to use instead.
"""

from typing import Any

import rightcall
from rightcall import (
    AnswerRelevancyMetric,
    ArgumentCorrectnessMetric,
    ConversationalGEval,
    ConversationCompletenessMetric,
    ExactMatchMetric,
    GEval,
    JsonCorrectnessMetric,
    KnowledgeRetentionMetric,
    PatternMatchMetric,
    RoleAdherenceMetric,
    TaskCompletionMetric,
    ToolCorrectnessMetric,
    TurnRelevancyMetric,
)
from rightcall.metrics.deepeval_form import BaseConversationalMetric, BaseMetric

__all__ = [
    "AnswerRelevancyMetric",
    "ArgumentCorrectnessMetric",
    "BaseConversationalMetric",
    "BaseMetric",
    "ConversationCompletenessMetric",
    "ConversationalGEval",
    "ExactMatchMetric",
    "GEval",
    "JsonCorrectnessMetric",
    "KnowledgeRetentionMetric",
    "PatternMatchMetric",
    "RoleAdherenceMetric",
    "TaskCompletionMetric",
    "ToolCorrectnessMetric",
    "TurnRelevancyMetric",
]


def __getattr__(name: str) -> Any:
    if name.endswith(("Metric", "Eval")):
        return getattr(rightcall, name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
