"""DeepEval's metrics, and the base classes of custom ones."""

from rightcall.deepeval.names import refuse_name
from rightcall.metrics.deepeval import (
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


__getattr__ = refuse_name
