"""DeepEval's former path of `ConversationSimulator`."""

from rightcall.synthesis import ConversationSimulator

__all__ = ["ConversationSimulator"]
