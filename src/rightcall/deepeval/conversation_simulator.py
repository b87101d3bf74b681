"""DeepEval's former path of `ConversationSimulator`."""

from rightcall.wings.generate.simulator import ConversationSimulator

__all__ = ["ConversationSimulator"]
