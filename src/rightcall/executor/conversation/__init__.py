"""Live conversations: an agent on one side, a user on the other, turn by turn.

dialogue_loop the loop of both sides, until one ends it
agent_side    the agent's: a model with tools, a function called for each turn, or an agent that opens sessions
user_side     the user's: what a user is, and the scripted one
model_user    a user played by a model; user_prompt: its prompt
user_graph    a user that follows a graph
personas      the personas of simulated users, and a golden as one conversation for each
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.executor.conversation.agent_side import (
        NO_BEGINNING as NO_BEGINNING,
        TalkSession as TalkSession,
        opened_by as opened_by,
    )
    from rightcall.executor.conversation.dialogue_loop import ConversationPerformer as ConversationPerformer
    from rightcall.executor.conversation.model_user import ModelUsers as ModelUsers, UserSetup as UserSetup
    from rightcall.executor.conversation.personas import (
        DEFAULT_PERSONAS as DEFAULT_PERSONAS,
        PERSONAS as PERSONAS,
        Persona as Persona,
        played_by as played_by,
    )
    from rightcall.executor.conversation.turn_function import (
        HISTORY as HISTORY,
        INPUT as INPUT,
        WORDS as WORDS,
        turn_parameters as turn_parameters,
    )
    from rightcall.executor.conversation.user_graph import (
        GraphUsers as GraphUsers,
        SimulationNode as SimulationNode,
    )
    from rightcall.executor.conversation.user_side import (
        SimulatedUser as SimulatedUser,
        UserFault as UserFault,
        Users as Users,
        UserTurn as UserTurn,
    )
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "agent_side": "NO_BEGINNING TalkSession opened_by",
            "dialogue_loop": "ConversationPerformer",
            "model_user": "ModelUsers UserSetup",
            "personas": "DEFAULT_PERSONAS PERSONAS Persona played_by",
            "turn_function": "HISTORY INPUT WORDS turn_parameters",
            "user_graph": "GraphUsers SimulationNode",
            "user_side": "SimulatedUser UserFault UserTurn Users",
        },
    )
