"""DeepEval's simulator of conversations."""

from rightcall.core.seam import load

ConversationSimulator = load("services", "simulator")

__all__ = ["ConversationSimulator"]
