"""Who asks which model where, and what a run would send and cost, without sending anything."""

from __future__ import annotations

import math
from typing import Any

import msgspec

from rightcall.agents.agent import is_address, own_endpoint, own_prices
from rightcall.agents.agent_loop import Prompts
from rightcall.agents.conversation.dialogue_loop import Users
from rightcall.agents.conversation.model_user import UserSetup
from rightcall.providers.endpoint import ModelEndpoint, cost
from rightcall.providers.hosts import address_of, host_label, server_of
from rightcall.providers.resolver import endpoint_of
from rightcall.records.golden import ConversationalGolden, Golden
from rightcall.records.record import Record
from rightcall.records.trajectory import Usage
from rightcall.run.plan import Plan
from rightcall.run.preparation import Prepared, preflight

CHARACTERS_PER_TOKEN = 4
"""Rule of thumb for English and JSON; other scripts need more tokens."""

EXPECTED_OUTPUT_TOKENS = 60
"""Output tokens of a call and a few words; the median of tool calls in BFCL's answers is below this."""

ANSWER = EXPECTED_OUTPUT_TOKENS * CHARACTERS_PER_TOKEN
"""Characters of what was said in one turn, by either side."""


class CostEstimate(Record, frozen=True):
    """Requests, tokens and cost of a run, and its first request. A loop sends more: one request per turn.

    Conversations are counted with the maximum number of turns: those of the script, or all that a simulated user may
    take. `conversations` and `turns` are their numbers, `user_requests` the requests to the models that play
    users, `cost_usd` includes both sides and is None when the price of one is unknown.

    Tools that would have to be started or imported are missing. `hosts` has the host of every role that asks a model:
    agent, user, and each judged metric.
    """

    goldens: int
    trials: int
    requests: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    first_request: dict[str, Any]
    conversations: int = 0
    turns: int = 0
    user_requests: int = 0
    hosts: tuple[RoleHost, ...] = ()


async def estimate(plan: Plan) -> CostEstimate:
    """Counts every golden once; checks the setup as a run would."""
    async with await preflight(plan) as prepared:
        return _Count(prepared).estimate()


class _Count:
    """What one trial of every golden takes, in characters and requests."""

    def __init__(self, prepared: Prepared) -> None:
        plan = prepared.plan
        session = prepared.session
        self._plan = plan
        self._settings = session.settings
        self._prompts = Prompts(plan.agent.system, session.request_tools, session.settings, plan.seed)
        self._goldens = prepared.goldens
        self._sizes: dict[int, int] = {}
        self._first: dict[str, Any] = {}
        self._requests = self._characters = self._conversations = self._turns = 0
        self._user_requests = 0  # to the model that plays users
        self._heard = 0  # and the characters in them

    def estimate(self) -> CostEstimate:
        plan = self._plan
        for golden in plan.goldens():
            if isinstance(golden, Golden):
                self._requests += 1
                self._characters += self._prompt_size(golden) + len(golden.input)
            else:
                self._add_conversation(golden)
        usage = self._usage(self._requests, self._characters)
        costs = [cost(plan.agent.name, usage, own_prices(plan.agent))]
        every = [usage]
        if self._user_requests and isinstance(plan.user, UserSetup):
            every.append(self._usage(self._user_requests, self._heard))
            costs.append(cost(plan.user.name, every[1], getattr(plan.user.model, "price_list", None)))
        return CostEstimate(
            goldens=self._goldens,
            trials=plan.trials,
            requests=self._requests * plan.trials,
            input_tokens=sum(spent.input_tokens or 0 for spent in every),
            output_tokens=sum(spent.output_tokens or 0 for spent in every),
            cost_usd=None if None in costs else math.fsum(cost for cost in costs if cost is not None),
            first_request=self._first,
            conversations=self._conversations * plan.trials,
            turns=self._turns * plan.trials,
            user_requests=self._user_requests * plan.trials,
            hosts=tuple(role_hosts(plan)),
        )

    def _usage(self, requests: int, characters: int) -> Usage:
        trials = self._plan.trials
        return Usage(trials * characters // CHARACTERS_PER_TOKEN, trials * requests * EXPECTED_OUTPUT_TOKENS)

    def _add_conversation(self, golden: ConversationalGolden) -> None:
        asked = first_turn(golden)
        turns = most_turns(golden, self._plan.user)
        prompt = self._prompt_size(asked)
        spoken = [len(turn.content) for turn in golden.script]
        characters = sum(len(turn.content) for turn in golden.given)  # repeated in every request
        for number in range(turns):
            characters += spoken[number] if number < len(spoken) else ANSWER
            self._characters += prompt + characters
            characters += ANSWER
        self._conversations += 1
        self._turns += turns
        self._requests += turns
        if golden.is_simulated and isinstance(self._plan.user, UserSetup):
            times = turns - len(spoken) + 1  # the last one says that it is over
            self._user_requests += times
            self._heard += times * (len(golden.scenario) + characters // 2)

    def _prompt_size(self, golden: Golden) -> int:
        prompt = self._prompts.prompt_of(golden)
        if not self._first:
            self._first = {
                "model": self._plan.agent.name,
                "system": prompt.system,
                "messages": [{"role": "user", "content": golden.input}],
                "tools": [tool.name for tool in prompt.tools],
                "settings": msgspec.to_builtins(self._settings),
            }
        if any(not isinstance(tool, str) for tool in golden.tools or ()):
            return len(msgspec.json.encode(prompt))  # made for this golden alone
        if id(prompt) not in self._sizes:
            self._sizes[id(prompt)] = len(msgspec.json.encode(prompt))
        return self._sizes[id(prompt)]


def most_turns(golden: ConversationalGolden, user: UserSetup | Users | None) -> int:
    """Maximum number of user turns in a conversation."""
    scripted = len(golden.script)
    if not golden.is_simulated:
        return min(scripted, golden.max_turns or scripted)
    return golden.max_turns or (user.max_turns if user is not None else scripted or 1)


def first_turn(golden: ConversationalGolden) -> Golden:
    """What an agent is asked first in a conversation; a simulated user may say anything about its scenario."""
    words = golden.script[0].content if golden.script else golden.scenario
    return Golden(words, id=golden.id, tools=golden.tools, system=golden.system)


class RoleHost(Record, frozen=True):
    """Who asks which model where: `role` is agent, user or the name of a metric."""

    role: str
    model: str
    host: str

    @property
    def words(self) -> str:
        """`agent openai:gpt-5-mini at api.openai.com`."""
        return f"{self.role} {self.model}" + (f" at {self.host}" if self.host else "")


def role_hosts(plan: Plan) -> list[RoleHost]:
    """The host of every role of a plan that asks a model; "" where no server is asked."""
    hosts = []
    for role, model in role_models(plan):
        if isinstance(model, str | ModelEndpoint):
            endpoint = endpoint_of(model)
            address = address_of(endpoint.prefix, endpoint.base_url)
            host = host_label(address.url) if address else ""
            hosts.append(RoleHost(role, endpoint.model, host))
        else:
            name = str(getattr(model, "name", "") or type(model).__name__)
            hosts.append(RoleHost(role, name, host_label(server_of(model))))
    return list(dict.fromkeys(hosts))


def role_models(plan: Plan) -> list[tuple[str, object]]:
    """The model of every role of a plan that asks one: an endpoint, `provider:model` or an object."""
    asked: list[tuple[str, object]] = []
    agent = plan.agent
    replays = agent.recordings is not None and agent.recordings.replays_only
    if replays:
        pass  # nobody is asked
    elif isinstance(agent.model, str) and not is_address(agent.model):
        asked.append(("agent", own_endpoint(agent)))
    elif hasattr(agent.model, "complete"):
        asked.append(("agent", agent.model))
    if isinstance(plan.user, UserSetup):
        asked.append(("user", plan.user.bound().model))
    for metric in (*plan.metrics, *plan.observe):
        model = getattr(metric, "model", None)
        if getattr(metric, "asks_model", False) and model:
            asked.append((metric.name, model))
    return asked
