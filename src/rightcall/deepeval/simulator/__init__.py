"""DeepEval's simulator of conversations."""

from rightcall.wings.generate.simulator import ConversationSimulator, SimulationNode

__all__ = ["ConversationSimulator", "SimulationNode"]
