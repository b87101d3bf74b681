"""Where test cases come from.

simulator   ConversationSimulator: conversations with simulated users, as test cases
profiles    users made up once, before the conversation; control: who may stop one
"""

from rightcall.synthesis.simulator import ConversationSimulator, SimulationNode, end, proceed

__all__ = ["ConversationSimulator", "SimulationNode", "end", "proceed"]
