"""DeepEval's simulator of conversations."""

from rightcall.synthesis import ConversationSimulator, SimulationNode

__all__ = ["ConversationSimulator", "SimulationNode"]
