"""The kind of agent that is a function, a callable object or a class of the user."""

from __future__ import annotations

from rightcall.agents.agent_function import AgentFunction, UserAgent
from rightcall.agents.conversation.turn_function import FunctionSession
from rightcall.agents.open_agent import OpenAgent


class OpenFunction(OpenAgent):
    """A function of a golden holds conversations itself; any other is led through them."""

    runs_code = True

    @property
    def acts_in_replay(self) -> str:
        return "it is a function"

    def _perform(self) -> None:
        assert callable(self.agent.model)
        function = AgentFunction.of(self.agent.model, self.agent.with_)
        single_turn = UserAgent(function, self.agent.limits, self.lag)
        if function.takes_turns:
            self._perform_turns(single_turn, lambda golden, *_: FunctionSession(function, golden))
        else:
            self._perform_by(single_turn)
