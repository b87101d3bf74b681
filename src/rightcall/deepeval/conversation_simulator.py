"""DeepEval's former path of `ConversationSimulator`."""

from rightcall import ConversationSimulator

__all__ = ["ConversationSimulator"]
