"""DeepEval's simulator of conversations."""

from rightcall.core.seam import load

_simulator = load("services", "simulator")
ConversationSimulator, SimulationNode = _simulator.ConversationSimulator, _simulator.SimulationNode

__all__ = ["ConversationSimulator", "SimulationNode"]
