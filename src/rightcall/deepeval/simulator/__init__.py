"""DeepEval's simulator of conversations.

controller  what a stopping controller returns
"""

from rightcall.core.seam import load

_simulator = load("services", "simulator")
ConversationSimulator, SimulationNode = _simulator.ConversationSimulator, _simulator.SimulationNode

__all__ = ["ConversationSimulator", "SimulationNode"]
