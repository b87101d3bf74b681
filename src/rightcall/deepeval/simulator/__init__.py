"""DeepEval's simulator of conversations."""

from rightcall import ConversationSimulator
from rightcall.core.seam import load

SimulationNode = load("services", "simulation_node")

__all__ = ["ConversationSimulator", "SimulationNode"]
