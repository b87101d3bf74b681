"""Who asks which model where: shown before a run, in its header and by `providers check`."""

from __future__ import annotations

from rightcall.agents.agent import own_endpoint
from rightcall.agents.conversation.model_user import UserSetup
from rightcall.agents.remote.remote_agent import is_address
from rightcall.model.record import Record
from rightcall.models.endpoint import ModelEndpoint
from rightcall.models.hosts import address_of, host_label, server_of
from rightcall.models.resolver import endpoint_of
from rightcall.run.plan import Plan


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
        asked += [("user", model) for model in plan.user.bound().models]
    for metric in (*plan.metrics, *plan.observe):
        model = getattr(metric, "model", None)
        if getattr(metric, "asks_model", False) and model:
            asked.append((metric.name, model))
    return asked
