"""DeepEval's test cases."""

import enum

from rightcall.deepeval.names import refuse_name
from rightcall.metrics.deepeval import ToolCallParams
from rightcall.records import ConversationalTestCase, Expectations, LLMTestCase, ToolCall, ToolCallType, Turn

__all__ = [
    "ConversationalTestCase",
    "Expectations",
    "LLMTestCase",
    "LLMTestCaseParams",
    "MultiTurnParams",
    "SingleTurnParams",
    "ToolCall",
    "ToolCallParams",
    "ToolCallType",
    "Turn",
    "TurnParams",
]


class SingleTurnParams(enum.Enum):
    """The fields of a test case, for `evaluation_params`."""

    INPUT = "input"
    ACTUAL_OUTPUT = "actual_output"
    EXPECTED_OUTPUT = "expected_output"
    CONTEXT = "context"
    RETRIEVAL_CONTEXT = "retrieval_context"
    METADATA = "metadata"
    TAGS = "tags"
    TOOLS_CALLED = "tools_called"
    EXPECTED_TOOLS = "expected_tools"


class MultiTurnParams(enum.Enum):
    """The fields of a conversation, for `evaluation_params`."""

    ROLE = "role"
    CONTENT = "content"
    METADATA = "metadata"
    TAGS = "tags"
    SCENARIO = "scenario"
    EXPECTED_OUTCOME = "expected_outcome"
    CONTEXT = "context"
    USER_DESCRIPTION = "user_description"
    RETRIEVAL_CONTEXT = "retrieval_context"
    CHATBOT_ROLE = "chatbot_role"
    TOOLS_CALLED = "tools_called"


LLMTestCaseParams = SingleTurnParams
TurnParams = MultiTurnParams
"""DeepEval's former names."""

__getattr__ = refuse_name
