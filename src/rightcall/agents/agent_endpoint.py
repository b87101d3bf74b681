"""Where the model of an agent is asked: names of `models:` replaced by what they stand for, and its endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rightcall.agents.agent import Agent, as_settings
from rightcall.agents.performers import full_name
from rightcall.models.base import Provider
from rightcall.models.catalog import ModelCatalog, project_models
from rightcall.models.endpoint import ModelEndpoint, overlaid
from rightcall.models.http import Network
from rightcall.models.prices import Prices
from rightcall.models.recorded import RecordedProvider
from rightcall.models.resolver import endpoint_of, resolve


def with_endpoint(agent: Agent, catalog: ModelCatalog | None = None) -> Agent:
    """The agent with `provider:model` in place of a name, and with what that name stands for.

    What the agent itself says comes first. Names are those of `catalog` [default: of the project].
    """
    model = agent.model
    if not isinstance(model, str | ModelEndpoint) or (isinstance(model, str) and ":" in model):
        return agent
    endpoint = endpoint_of(model, base_url=agent.base_url, catalog=catalog)
    return replace(
        agent,
        model=endpoint.model,
        base_url=endpoint.base_url,
        key_env=agent.key_env or endpoint.key_env,
        headers={**endpoint.headers, **agent.headers},
        settings=overlaid(endpoint.settings, as_settings(agent.settings)),
        rate=agent.rate or endpoint.rate,
        prices=agent.prices or endpoint.prices,
    )


def own_endpoint(agent: Agent) -> ModelEndpoint | Any:
    """The endpoint of the agent's own model; an object that is a model stays itself.

    Settings and rate are not in it: the session applies them.
    """
    if not isinstance(agent.model, str):
        return agent.model
    return ModelEndpoint(agent.model, agent.base_url, agent.key_env, dict(agent.headers), prices=agent.prices)


def own_prices(agent: Agent) -> Prices | None:
    """Prices with that of the agent's own model among them; None when it says none."""
    endpoint = own_endpoint(agent)
    return endpoint.price_list if isinstance(endpoint, ModelEndpoint) else None


def other_endpoint(agent: Agent, model: str) -> ModelEndpoint:
    """The endpoint of a model that a golden names; the agent's server and key are for models of the same provider."""
    named: Mapping[str, ModelEndpoint] = agent.models
    if ":" not in model and (endpoint := (named or project_models().endpoints).get(model)):
        return endpoint
    name = full_name(model, agent.model)
    if not isinstance(agent.model, str) or name.partition(":")[0] != agent.model.partition(":")[0]:
        return endpoint_of(name)
    return ModelEndpoint(name, agent.base_url, agent.key_env, dict(agent.headers))


def other_provider(agent: Agent, model: str, concurrency: int) -> Provider:
    """The provider of a model that a golden names."""
    network = Network(connections=concurrency)
    return with_recordings(resolve(other_endpoint(agent, model), network=network, record=agent.record), agent)


def with_recordings(provider: Provider, agent: Agent) -> Provider:
    """The provider, with its answers recorded or replayed when the agent asks for it."""
    return RecordedProvider(provider, agent.recordings) if agent.recordings else provider
