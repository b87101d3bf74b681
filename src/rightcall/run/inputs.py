"""Everything that reaches the model, by hash: the basis for comparing runs and for finding what a change affects.

Kept with every run, so that two runs, or a run and a working copy, can be compared without git, in shallow clones and
with uncommitted work. Texts are kept as hashes only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from rightcall.agents.agent import Agent, as_settings
from rightcall.agents.observed.observed_agent import OTEL, ObservedAgent
from rightcall.core.codec import fingerprint_value, to_plain
from rightcall.core.digest import file_digest, json_digest
from rightcall.core.errors import RightCallError
from rightcall.files.file_digests import canonical_digest, file_digests
from rightcall.files.project_files import content_hash
from rightcall.providers.endpoint import ModelEndpoint
from rightcall.records.approval import read_approvals
from rightcall.records.dialects import read_tool
from rightcall.records.golden import AnyGolden, ConversationalGolden, canonical_golden, request_of
from rightcall.records.record import Record
from rightcall.records.tool import Tool
from rightcall.run.agent_sources import AgentSources, object_file
from rightcall.run.watched_inputs import hash_variables, variables_of_sources
from rightcall.tools.worlds.base import World

FORMAT = "rightcall/inputs/1"
PARTS = ("title", "description", "input_schema", "output_schema", "annotations", "roles")


class Inputs(Record, frozen=True):
    """The inputs of an agent: short values as they are, texts as hashes.

    `tools` has the hash of each part of a definition, `order` the order in which they are offered. `code` has the hash
    of each file that code of the agent imports, by its name in the project, `variables` that of each environment
    variable that these files read, `tool_code` that of each tool that runs for real, and of the body and the files of
    each skill. `worlds` has the hash of
    each fake world's initial state, `world_tools` the tools that act on it. `user` names how users of conversations
    are played. `models` has the hash of each named model that goldens may choose.
    """

    agent: dict[str, str] = {}
    system: str = ""
    settings: str = ""
    limits: str = ""
    tools: dict[str, dict[str, str]] = {}
    order: tuple[str, ...] = ()
    mocks: dict[str, str] = {}
    faults: str = ""
    code: dict[str, str] = {}
    variables: dict[str, str] = {}
    tool_code: dict[str, str] = {}
    metrics: str = ""
    worlds: dict[str, str] = {}
    world_tools: dict[str, tuple[str, ...]] = {}
    user: str = ""
    models: dict[str, str] = {}
    format: str = FORMAT

    @property
    def hash(self) -> str:
        """One hash of all inputs."""
        return digest(self)

    def definition(self, tool: str) -> str:
        """The hash of a tool's definition without its name; "" when there is no such tool."""
        return digest(self.tools[tool]) if tool in self.tools else ""


def inputs_of(
    agent: Agent,
    sources: AgentSources,
    definitions: Iterable[Tool],
    *,
    metrics: str = "",
    user: str = "",
    models: Mapping[str, ModelEndpoint] = {},
) -> Inputs:
    """The inputs of an agent. `metrics` and `user` are hashes; `models` are those that goldens choose."""
    tools = {tool.name: tool for tool in definitions}
    loop = agent.mode == "loop"
    worlds = {world.name: world for world in agent.tools if isinstance(world, World)} if loop else {}
    real_tools = _tool_files(agent.tools) if loop and agent.runs_tools else {}
    return Inputs(
        agent={
            "model": agent.name,
            "base_url": agent.server,
            "mode": agent.mode,
            "execute": agent.tool_execution,
            # What is not stated has the word it had when it could only be true or false.
            "strict": "true" if agent.strict else "false" if agent.strict is None else "never",
            **({"approvals": digest(rules)[:24]} if (rules := approval_rules(agent)) else {}),
            **({"guard": digest(guard)[:24]} if (guard := guard_rules(agent)) else {}),
            **({"with": digest(agent.with_)[:24]} if agent.with_ else {}),
            **({"exchange": digest(exchange)[:24]} if (exchange := exchange_shapes(agent)) else {}),
            **_server(agent),
        },
        system=digest(agent.system),
        settings=digest(as_settings(agent.settings)),
        limits=digest(agent.limits),
        tools={name: definition_parts(tool) for name, tool in tools.items()},
        order=tuple(tools),
        mocks={name: digest(mock) for name, mock in agent.mocks.items()} if loop else {},
        faults=agent.faults.hash if agent.faults else "",
        code=_code(sources, real_tools),
        variables={} if sources.ownership == "owned" else variables_of_sources(sources),
        tool_code={
            **_tool_code(sources, real_tools),
            **{name: tool.skill.hash[:24] for name, tool in tools.items() if tool.skill is not None},
        },
        metrics=metrics,
        worlds={name: digest([world.start(), world.idempotent])[:24] for name, world in worlds.items()},
        world_tools={name: tuple(tool.name for tool in world.tools()) for name, world in worlds.items()},
        user=user,
        models={name: digest(endpoint.identity)[:24] for name, endpoint in models.items()},
    )


def guard_rules(agent: Agent) -> dict[str, Any]:
    """The guard policy as plain data; empty without one."""
    policy: Any = agent.guard  # read when the agent was made
    return {} if policy is None else {"base": policy.base, **to_plain(policy)}


def approval_rules(agent: Agent) -> dict[str, Any]:
    """What the approver answers, as plain data; empty without one."""
    policy = None if agent.approvals is None else read_approvals(agent.approvals)
    return msgspec.to_builtins(policy.rules) if policy else {}


def exchange_shapes(agent: Agent) -> list[Any]:
    """How an agent that is not a model is run and read, without its secrets."""
    if isinstance(agent.model, ObservedAgent):
        watched = agent.model
        return [watched.via, watched.calls, watched.handoffs, watched.tools_run]
    shapes = [agent.exchange.request, agent.exchange.response, agent.exchange.reuse]
    if agent.exchange.spans:
        shapes += [OTEL, agent.exchange.calls]
    return shapes if any(shapes) else []


def ask_hash(golden: AnyGolden, inputs: Inputs) -> str:
    """A hash of the request that a golden makes: equal when the model sees exactly the same."""
    offered: list[Any] = []
    names: list[str] = []
    for item in inputs.order if golden.tools is None else golden.tools:
        if isinstance(item, str):
            if item in inputs.tools:
                offered.append([item, inputs.tools[item]])
                names.append(item)
        else:
            offered.append(digest(item))
            names.append(_name(item))
    asked = [
        request_of(golden),
        golden.context,
        [msgspec.to_builtins(turn) for turn in golden.turns],
    ]
    system = inputs.system if golden.system is None else digest(golden.system)
    model = getattr(golden, "model", None)
    own = [inputs.models.get(model, model) if model else None, getattr(golden, "settings", None)]
    own += [golden.as_.roles] if golden.as_ else []
    seen = [
        {name: hashes[name] for name in names if name in hashes}
        for hashes in (inputs.mocks, inputs.tool_code)
    ]
    rest = [inputs.agent, inputs.settings, inputs.limits, inputs.faults, inputs.code]
    acted_on = {
        world: inputs.worlds[world] for world, tools in inputs.world_tools.items() if {*tools} & {*names}
    }
    played = inputs.user if isinstance(golden, ConversationalGolden) else ""
    if acted_on or played:  # suites without either keep their existing hashes
        rest += [acted_on, played]
    if inputs.variables:
        rest += [inputs.variables]
    return digest([system, offered, asked, own, seen, rest])[:24]


def golden_hash(golden: AnyGolden) -> str:
    """A hash of what a golden asks and expects; labels, groups and the names of offered tools may change."""
    bare = msgspec.structs.replace(canonical_golden(golden), tags=(), cluster=None, metadata={})
    if golden.tools is not None and all(isinstance(tool, str) for tool in golden.tools):
        bare = msgspec.structs.replace(bare, tools=None)
    return digest(bare)[:24]


def definition_parts(tool: Tool) -> dict[str, str]:
    """The hash of each non-empty part of a definition."""
    plain = msgspec.to_builtins(tool)
    return {part: digest(plain[part])[:24] for part in PARTS if plain.get(part)}


def digest(value: Any) -> str:
    """SHA-256 of a value as JSON; the order of keys does not matter."""
    return json_digest(value, enc_hook=fingerprint_value)


def _code(sources: AgentSources, real_tools: Mapping[str, Path]) -> dict[str, str]:
    """The files of the agent's code, without those of tools: who calls a tool is known."""
    of_tools = {
        sources.project.name(path) for path in real_tools.values() if path not in sources.agent_entries
    }
    texts = {name: sources.project.hash(name) for name in sources.closure if name not in of_tools}
    code = [path for path in sources.closure.values() if path.suffix == ".py"]
    return {n: canonical_digest(d) for n, d in file_digests(texts, sources.project, code).items()}


def _tool_code(sources: AgentSources, real_tools: Mapping[str, Path]) -> dict[str, str]:
    """The digest of the file of each tool that runs for real."""
    files = {name: sources.project.name(path) for name, path in real_tools.items()}
    texts = {name: sources.project.hash(name) for name in files.values() if name is not None}
    code = [path for path in (*sources.closure.values(), *real_tools.values()) if path.suffix == ".py"]
    digests = file_digests(texts, sources.project, code)
    return {
        tool: content_hash(real_tools[tool]) if name is None else canonical_digest(digests[name])
        for tool, name in files.items()
    }


def _server(agent: Agent) -> dict[str, str]:
    """How the MCP server whose tools run for real is started; its definitions may be equal all the same."""
    server = agent.mcp
    if server is not None and server.replays:
        return {"server": file_digest(server.recording, 24)}
    if server is None or not server.command or agent.mode != "loop" or agent.execute != "real":
        return {}
    started = [server.command, server.cwd, hash_variables(server.env, server.env)]
    return {"server": digest(started)[:24]}


def _tool_files(tools: Any) -> dict[str, Path]:
    """The file of each tool that is a function."""
    files = {}
    for tool in tools:
        function = getattr(tool, "function", tool if callable(tool) else None)
        if function is not None and (file := object_file(function)) is not None:
            name = getattr(tool, "name", None) or getattr(tool, "__name__", "")
            files[str(name)] = file
    return files


def _name(item: Any) -> str:
    try:
        return read_tool(item, "tool").name
    except RightCallError:
        return ""
