"""Conversations held live: an agent on one side, a user on the other, turn by turn.

turn_taking   the loop of both sides, until somebody ends it
agent_side    the agent's: a model with tools, a function called for each turn, or an agent that opens sessions
user_side     the user's: what a user is, and the scripted one
model_user    a user played by a model; user_prompt: what that model is told
user_graph    a user that follows a graph
personas      manners to play a user in, and a golden as one conversation for each
"""

from rightcall.executor.conversation.agent_side import AgentSession
from rightcall.executor.conversation.model_user import ModelUsers, UserSetup
from rightcall.executor.conversation.personas import PERSONAS, Persona, played_by
from rightcall.executor.conversation.turn_taking import ConversationPerformer
from rightcall.executor.conversation.user_graph import GraphUsers, SimulationNode
from rightcall.executor.conversation.user_side import Said, SimulatedUser, UserFault, Users

__all__ = [
    "PERSONAS",
    "AgentSession",
    "ConversationPerformer",
    "GraphUsers",
    "ModelUsers",
    "Persona",
    "Said",
    "SimulatedUser",
    "SimulationNode",
    "UserFault",
    "UserSetup",
    "Users",
    "played_by",
]
