"""DeepEval's former path of `ConversationSimulator`."""

from rightcall.deepeval.simulator import ConversationSimulator

__all__ = ["ConversationSimulator"]
