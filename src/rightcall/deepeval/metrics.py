"""DeepEval's metrics, and the base classes of custom ones.

A metric without an equivalent can be imported; its constructor says what to use instead.
"""

from typing import Any

from rightcall.metrics.deepeval import (
    INSTEAD,
    AnswerRelevancyMetric,
    ArgumentCorrectnessMetric,
    ConversationalGEval,
    ConversationalRelevancyMetric,
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
    constructor_that_raises,
)
from rightcall.metrics.deepeval_form import BaseConversationalMetric, BaseMetric

__all__ = [
    "AnswerRelevancyMetric",
    "ArgumentCorrectnessMetric",
    "BaseConversationalMetric",
    "BaseMetric",
    "ConversationCompletenessMetric",
    "ConversationalGEval",
    "ConversationalRelevancyMetric",
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
    if name in INSTEAD:
        return constructor_that_raises(name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
