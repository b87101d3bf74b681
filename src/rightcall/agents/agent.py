"""The agent under test: a model with tools and instructions, or a user-defined callable; where its model is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rightcall.agents.agent_function import further_parameters
from rightcall.agents.limits import Limits
from rightcall.agents.observed.catalog import CLIENTS, detect
from rightcall.agents.observed.observed_agent import ObservedAgent, observe
from rightcall.agents.remote.exchange import Exchange
from rightcall.agents.trial_values import example_value, parameters_without_default, type_name, value_problems
from rightcall.core.codec import convert
from rightcall.core.declared_values import require_values
from rightcall.core.errors import ConfigError, InputError
from rightcall.core.seam import load
from rightcall.providers.base import Provider, Settings
from rightcall.providers.catalog import ModelCatalog, project_models
from rightcall.providers.endpoint import ModelEndpoint, Price, Prices, overlaid
from rightcall.providers.hosts import at_address, server_of, split_address
from rightcall.providers.http import Network
from rightcall.providers.rate_limit import RateLimit
from rightcall.providers.recorded import RecordedProvider
from rightcall.providers.resolver import endpoint_of, resolve
from rightcall.providers.sdk_client import client_server, is_sdk_client
from rightcall.recording.library import Recordings
from rightcall.records.approval import ApprovalPolicy, read_approvals
from rightcall.records.golden import Golden
from rightcall.records.tool import Tool
from rightcall.tools.definitions.offer import ToolSets
from rightcall.tools.definitions.source import tool_entries
from rightcall.tools.mcp.address import McpAddress
from rightcall.tools.runtime.mocks import EVERY, runs_for_real

if TYPE_CHECKING:
    from rightcall.tools.faults.plan import FaultPlan
    from rightcall.tools.guard.policy import GuardPolicy

ADDRESSES = ("http", "https", "exec")
"""`http:URL`, a plain URL and `exec:COMMAND` name agents; every other prefix names a model."""


Mode = Literal["single_turn", "loop"]


def default_mode(mocks: Mapping[str, Any]) -> Mode:
    """The mode of an agent that states none: mocks are there to answer calls."""
    return "loop" if mocks else "single_turn"


@dataclass(frozen=True)
class Agent:
    """A model with tools and instructions.

    `model` is `provider:model`, a provider, an SDK client (with `model_name`), an agent prepared by `observe`, or any
    callable `(text) -> Trajectory | list[ToolCall] | messages | text`. In mode `single_turn` the model is asked once
    and its choice recorded; in mode `loop`, the default with `mocks`, tools are run and their results returned until it
    answers. Tools are mocked
    unless `execute="real"`; then those of an MCP server at `mcp` are called there; `mcp_server` is the name and version
    that it reported. `execute` may also be your own dispatcher, a function of a tool's name and its arguments, as
    `mocks={"*": …}` is. `faults` injects failures.
    `strict` stops the agent when a tool lacks permission, loses a connection or fails unexpectedly; by default only a
    destructive tool that fails unexpectedly does, and with False none.
    `model_name` is the model to request from an SDK client; `recordings` record answers and tool results,
    and replay them.
    `tool_sets` names sets of tools, `{"files": ["read_file", "list_files"]}`; a golden chooses one with `tool_set`.
    `http:URL` and `exec:COMMAND` are agents behind an address or a command; `exchange` describes their requests and
    replies.
    `model` may also be a name of the project's `models`, or a `ModelEndpoint`; what is written here comes before it.
    `key_env` is the environment variable with the key, `headers` are sent to the model's server and may contain
    `${NAME}`, `prices` are those of this model. `models` are endpoints that goldens may name.
    `rate` limits requests and tokens per minute over all cases. `base_urls` are servers of the same model
    for workers to share; a single process asks `base_url`. `approvals` answer when the agent asks before it runs a
    tool: `{"delete_account": {"reject": "Ask support."}, "send_email": "approve"}`. `label` is what runs are listed
    under, where that is not the name: `module:attribute` of a suite's code. `skills` are offered to the model by one
    tool, `load_skill`, which returns the body; skills among `tools` are known by name only: the agent loads them.
    `with_` is what the agent takes besides the text, `{"deps": make_deps}`: a function or a class is called for each
    trial. An agent of a known framework is observed while it runs.
    `guard` stops calls that an attacker could have caused: `auto`, `strict`, a policy or its file.
    """

    model: str | ModelEndpoint | Provider | ObservedAgent | Callable[[Golden], Any]
    tools: Sequence[Any] = ()
    system: str = ""
    mode: Mode = None  # type: ignore[assignment]  # by the mocks
    settings: Settings | Mapping[str, Any] = field(default_factory=Settings)
    base_url: str | None = None
    limits: Limits = field(default_factory=Limits)
    mocks: Mapping[str, Any] = field(default_factory=dict)
    execute: Literal["mock", "real"] | Callable[[str, dict[str, Any]], Any] = "mock"
    faults: FaultPlan | None = None
    mcp: McpAddress | None = None
    model_name: str | None = None
    tool_sets: ToolSets = field(default_factory=dict)
    strict: bool | None = None
    exchange: Exchange = field(default_factory=Exchange)
    recordings: Recordings | None = None
    rate: RateLimit | None = None
    base_urls: Sequence[str] = ()
    key_env: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    prices: Price | None = None
    models: Mapping[str, ModelEndpoint] = field(default_factory=dict)
    approvals: ApprovalPolicy | Mapping[str, Any] | None = None
    mcp_server: str = ""
    label: str = ""
    skills: Sequence[Tool] = ()
    guard: GuardPolicy | str | Path | None = None
    with_: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if callable(self.execute):
            object.__setattr__(self, "mocks", {EVERY: self.execute, **self.mocks})
            object.__setattr__(self, "execute", "mock")
        states_mode = self.mode is not None
        if not states_mode:
            object.__setattr__(self, "mode", default_mode(self.mocks))
        require_values("Agent", Agent, vars(self))
        as_settings(self.settings, "Agent: settings")
        for name, setting in self.layers.items():
            object.__setattr__(self, name, load("limbs", name)().setting(setting))
        if self.approvals is not None:
            read_approvals(self.approvals)
        if isinstance(self.model, str):
            name, url = at_address(self.model, self.base_url)
            object.__setattr__(self, "model", name)
            object.__setattr__(self, "base_url", url)
        if is_framework_agent(self.model):
            object.__setattr__(self, "model", observe(self.model))
        if states_mode and self.asks_once and self.mocks:
            raise ConfigError(
                "mocks answer calls of a loop, and single_turn runs no tools; set agent.mode: loop"
            )

    @property
    def runs_tools(self) -> bool:
        """Whether tools run for real: all of them, or one whose mock is `{real: true}`."""
        return self.execute == "real" or any(map(runs_for_real, self.mocks.values()))

    @property
    def tool_execution(self) -> Literal["mock", "real"]:
        """Whether tools without a mock run for real."""
        return "real" if self.execute == "real" else "mock"

    @property
    def layers(self) -> dict[str, Any]:
        """What stands around the calls of its tools, by the names of the layers."""
        settings = {"guard": self.guard, "faults": self.faults}
        return {name: setting for name, setting in settings.items() if setting is not None}

    @property
    def name(self) -> str:
        if isinstance(self.model, str):
            return self.model
        if isinstance(self.model, ModelEndpoint):
            return self.model.model
        name = getattr(self.model, "name", None) or getattr(self.model, "__name__", None)
        return str(name or type(self.model).__name__)

    @property
    def asks_once(self) -> bool:
        """Whether calls have no results, except in conversations: a model is asked here, once."""
        runs_itself = (
            is_function(self.model) or isinstance(self.model, ObservedAgent) or is_address(self.model)
        )
        return self.mode == "single_turn" and not runs_itself

    @property
    def server(self) -> str:
        """The server its model is asked at; "" is the provider's own, or none."""
        if isinstance(self.model, str | ModelEndpoint):
            own = self.model.base_url if isinstance(self.model, ModelEndpoint) else None
            return self.base_url or own or server_of(self.name)
        if hasattr(self.model, "complete"):
            return server_of(self.model)
        return "" if isinstance(self.model, ObservedAgent) else client_server(self.model)


def as_tools(tools: Sequence[Any]) -> list[Any]:
    """Tools unchanged, definitions in any provider's format converted to tools, those of frameworks read."""
    return tool_entries(tools, "tools")


def as_settings(settings: Settings | Mapping[str, Any], where: str = "settings") -> Settings:
    """Settings from a plain mapping, with a clear error for a misspelt one."""
    if isinstance(settings, Settings):
        return settings
    try:
        return convert(dict(settings), Settings, where)
    except InputError as error:
        raise ConfigError(str(error)) from None


def unread_tools(observed: ObservedAgent, tools: Sequence[Any]) -> str:
    """Why it is not known which tools an observed agent has; empty when it is."""
    return (
        ""
        if tools
        else f"the tools of {observed.name} cannot be read from it; name them in the suite's tools"
    )


def desk_problem(observed: ObservedAgent, tools: Sequence[Any]) -> str:
    """Why the tools of an observed agent cannot be run here; empty when they can."""
    if problem := unread_tools(observed, tools):
        return problem
    if not observed.can_mock:
        return (
            f"the tools of {observed.name} are run by its own code, so they cannot be mocked;"
            " `rightcall list frameworks` says where that is possible"
        )
    return ""


def guard_problem(agent: Agent) -> str:
    """Why no guard can stop the agent's calls; empty when one can, or there is none."""
    if agent.guard is None:
        return ""
    if isinstance(agent.model, ObservedAgent):
        unguarded = f"guard: the tools of {agent.name} are run by its own code, so no call can be stopped"
        return "" if agent.model.can_mock else f"{unguarded}; see `rightcall list frameworks`"
    elsewhere = "runs its tools elsewhere, so no call can be stopped"
    return _own_loop_problem(agent, "guard", elsewhere, "calls tools")


def approval_problem(agent: Agent) -> str:
    """Why nobody can answer the agent's requests for approval; empty when the approver can, or there is none."""
    if agent.approvals is None or not read_approvals(agent.approvals):
        return ""
    return _approvals_problem(agent, "approvals cannot be given")


def confirm_problem(agent: Agent) -> str:
    """Why no golden can say that the agent must ask; empty when its requests can be observed, or recorded by itself."""
    if is_address(agent.model) or is_function(agent.model):
        return ""
    return _approvals_problem(agent, "confirm cannot be checked")


def agents_problem(agent: Agent) -> str:
    """Why no golden can say which agent makes a call; empty when calls may say so."""
    model = agent.model
    if isinstance(model, ObservedAgent):
        if model.info is None or model.info.naming:
            return ""
        return f"agents cannot be checked: {model.info.title} does not say which agent makes a call"
    if is_address(model) or is_function(model):
        return ""
    return (
        f"agents cannot be checked: {agent.name} is one model that works alone; "
        "observe a team of agents (rc.observe), or leave out what the golden says about agents"
    )


def _approvals_problem(agent: Agent, what: str) -> str:
    if isinstance(agent.model, ObservedAgent):
        unseen = f"requests for approval of {agent.name} are not observed; see `rightcall list frameworks`"
        return "" if agent.model.sees_approvals else f"{what}: {unseen}"
    return _own_loop_problem(agent, what, "runs elsewhere, and asks whoever is there", "asks")


def with_problems(agent: Agent) -> Iterator[str]:
    """What is wrong with the values of `with`: unknown keys, wrong types, missing ones with the line to write."""
    model: Any = agent.model
    parameters: dict[str, Any] = {}
    if isinstance(model, ObservedAgent):
        parameters = model.parameters()
    elif is_function(model):
        parameters = further_parameters(model)
    name = agent.label or agent.name
    yield from value_problems(agent.with_, parameters, name)
    if not isinstance(model, ObservedAgent) or model.info is None:
        return  # how a function is called says what is missing
    for key, declared in parameters_without_default(parameters).items():
        if key in agent.with_:
            continue
        line = f'rc.Agent(…, with_={{"{key}": make_{key}}})'
        if agent.label:
            line = f"agent: {{model: {agent.label}, with: {{{key}: {example_value(declared)}}}}}"
        yield f"{name} needs {key} ({type_name(declared)}): {line}"


def _own_loop_problem(agent: Agent, what: str, elsewhere: str, deed: str) -> str:
    """Why an agent does not run its tools in our loop, or none at all; empty when it does."""
    if is_address(agent.model):
        return f"{what}: '{agent.name}' {elsewhere}"
    if is_function(agent.model):
        return (
            f"{what}: '{agent.name}' is a function; observe the agent object that {deed}: rc.observe(agent)"
        )
    return "" if agent.mode == "loop" else f"{what}: single_turn runs no tools; set agent.mode: loop"


def is_function(model: Any) -> bool:
    """Whether an agent is a function of the user, and not a model that is asked here."""
    return callable(model) and not hasattr(model, "complete")


def is_framework_agent(model: Any) -> bool:
    """Whether a model is an agent object of a known framework; clients and providers are models."""
    if isinstance(model, str | ModelEndpoint | ObservedAgent) or hasattr(model, "complete"):
        return False
    framework = detect(model)
    return framework is not None and framework.name not in CLIENTS


def is_askable(value: Any) -> bool:
    """Whether an object is an agent or a model: it can be called, it answers, or its framework or SDK is known."""
    known = (
        is_framework_agent(value) or is_sdk_client(value) or isinstance(value, ObservedAgent | ModelEndpoint)
    )
    return known or callable(value) or callable(getattr(value, "complete", None))


def is_address(model: Any) -> bool:
    """Whether a model name is that of a remote agent."""
    return isinstance(model, str) and model.partition(":")[0] in ADDRESSES and ":" in model


def tools_of(agent: Agent) -> list[Any]:
    """The tools of an agent, those of its framework if it names none, then its skills."""
    tools = as_tools(agent.tools)
    plain = [tool for tool in tools if getattr(tool, "kind", "tool") == "tool"]
    if not plain and isinstance(agent.model, ObservedAgent):
        tools = [*agent.model.tools(), *tools]
    return [*tools, *agent.skills] if agent.skills else tools


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
    bare, url = split_address(model)
    if ":" not in bare and (endpoint := (named or project_models().endpoints).get(bare)):
        return endpoint.at(url)
    name = full_name(bare, agent.model)
    if not isinstance(agent.model, str) or name.partition(":")[0] != agent.model.partition(":")[0]:
        return endpoint_of(name, base_url=url)
    return ModelEndpoint(name, agent.base_url, agent.key_env, dict(agent.headers)).at(url)


def other_provider(agent: Agent, model: str, concurrency: int) -> Provider:
    network = Network(connections=concurrency)
    return with_recordings(resolve(other_endpoint(agent, model), network=network), agent)


def with_recordings(provider: Provider, agent: Agent) -> Provider:
    """The provider, with its answers recorded or replayed when the agent asks for it."""
    return RecordedProvider(provider, agent.recordings) if agent.recordings else provider


def full_name(model: str, of_agent: object) -> str:
    """`provider:model` of a golden's model; a bare name is a model of the agent's provider."""
    if ":" in model or not isinstance(of_agent, str):
        return model
    return f"{of_agent.partition(':')[0]}:{model}"
