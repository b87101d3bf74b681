"""Where test cases come from.

simulator   ConversationSimulator: conversations with simulated users, as test cases
profiles    users made up once, before the conversation; control: who may stop one
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.executor.conversation import SimulationNode as SimulationNode
    from rightcall.synthesis.control import end as end, proceed as proceed
    from rightcall.synthesis.simulator import ConversationSimulator as ConversationSimulator
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "control": "end proceed",
            "simulator": "ConversationSimulator SimulationNode",
        },
    )
