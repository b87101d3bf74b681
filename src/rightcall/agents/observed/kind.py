"""The kind of agent that runs unchanged in its framework, and is observed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rightcall.agents.agent import desk_problem, tools_of
from rightcall.agents.agent_function import AgentFunction
from rightcall.agents.agent_session import SessionPerformer, framework_tool
from rightcall.agents.conversation.agent_side import session_opener
from rightcall.agents.observed.observed_agent import ObservedAgent
from rightcall.agents.observed.request_desk import RequestChange, RequestDesks, tools_of_requests
from rightcall.agents.open_agent import OpenAgent
from rightcall.core.errors import ConfigError
from rightcall.records.approval import read_approvals
from rightcall.records.score import Note
from rightcall.tools.runtime.policy import ToolRules, approval_problems
from rightcall.tools.runtime.toolbox import Toolbox


class OpenObserved(OpenAgent):
    """An agent with its own tools: they are run here when they are mocked, or where something stands around them and
    the framework lets go of them. Otherwise it stands where the results leave, in requests to the model.
    """

    runs_code = True
    _desk: Toolbox
    """Runs the tools in place of the framework, or stands where their results leave."""
    _at_tools = False

    @property
    def acts_in_replay(self) -> str:
        own = desk_problem(self._model, list(self.tools.values()))
        return "its tools are run by its own code" if own else ""

    @property
    def _model(self) -> ObservedAgent:
        assert isinstance(self.agent.model, ObservedAgent)
        return self.agent.model

    def notices(self) -> list[Note]:
        return [*(Note("observed", text) for text in self._model.notices()), *super().notices()]

    def _toolbox_of(self, tools: Sequence[Any]) -> Toolbox:
        agent = self.agent
        observed = self._model
        if observed.info is None:
            AgentFunction.of(observed.target, agent.with_)
        tools_seen = tools_of(replace(agent, tools=tools))
        layers = agent.layers
        settings: Any = {"mocks": agent.mocks, "execute": observed.tools_run, "seed": self._seed, **layers}
        toolbox = Toolbox(tools_seen, **settings)
        approvals = read_approvals(agent.approvals)
        if approvals and (wrong := approval_problems(approvals, {t.name: t for t in toolbox.definitions})):
            raise ConfigError(*wrong)
        with_roles = observed.can_mock and any(getattr(tool, "roles", ()) for tool in tools_seen)
        problem = desk_problem(observed, tools_seen)
        mocked = observed.tools_run == "mock" or with_roles
        if problem and (mocked or (layers and not tools_seen)):
            raise ConfigError(problem)
        if problem and layers and observed.request_problem:
            raise ConfigError(observed.request_problem)
        self._at_tools = not problem and (mocked or bool(layers) or agent.recordings is not None)
        # the framework runs the agent: only its author can stop it
        rules = ToolRules(strict=False, approvals=approvals if "guard" in layers else None)
        if not self._at_tools:
            settings |= {"mocks": None, "execute": "real"}
        own = map(framework_tool, tools_seen) if self._at_tools else tools_of_requests(toolbox.bound_tools)
        self._desk = Toolbox(own, rules=rules, idempotency=self._keys, **settings)
        if not self._at_tools and (unreachable := self._desk.unreachable()):
            raise ConfigError(*unreachable)
        return toolbox

    def _perform(self) -> None:
        agent = self.agent
        skills = tuple(tool for tool in self.toolbox.skills if tool.kind == "skill")
        observed = replace(self._model, values=agent.with_, skills=skills or self._model.skills)
        always = self._at_tools or bool(agent.layers) or observed.change != RequestChange()
        desks = RequestDesks(
            self._desk, self._run_id, observed.change, at_tools=self._at_tools, always=always
        )
        approvals = read_approvals(agent.approvals)
        single_turn = SessionPerformer(observed, agent.limits, desks, lag=self.lag, approvals=approvals)
        self._perform_turns(single_turn, session_opener(observed, desks, approvals=approvals))

    async def _check(self) -> list[str]:
        return self._model.check()
