"""The agent of a suite: what it tests, its tools, and how a service or a program is asked."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from inspect import formatannotation
from itertools import chain
from pathlib import Path
from typing import Any

from rightcall.agents.agent import Agent, Mode, default_mode, is_address, is_askable, is_framework_agent
from rightcall.agents.agent_function import naming_hint
from rightcall.agents.observed.catalog import adapter_of_class
from rightcall.agents.observed.observed_agent import OTEL, ObservedAgent, observe
from rightcall.agents.remote.exchange import Exchange
from rightcall.agents.trial_values import EXAMPLE
from rightcall.core.codec import convert, to_plain
from rightcall.core.errors import ConfigError, RightCallError
from rightcall.core.seam import Limb
from rightcall.files.python_object import is_object_name, load_object, object_from_factory
from rightcall.recording.canonical import scrub_value
from rightcall.recording.library import Recordings
from rightcall.recording.listener import placeholder_keys
from rightcall.records.approval import read_approvals
from rightcall.records.dialects import read_tool
from rightcall.records.golden import Golden
from rightcall.records.tool import Annotations, Tool
from rightcall.run.suite import AgentConfig, Suite, beside
from rightcall.run.suite_actions import is_code, record_settings, suite_address, suite_recordings
from rightcall.run.suite_document import tool_sources
from rightcall.schema.skill_definition import load_skills
from rightcall.tools.definitions.source import from_module, list_server_tools, load_tools
from rightcall.tools.mcp.address import McpAddress

STANDARD = "127.0.0.1:4318"
ANY_PORT = "127.0.0.1:0"
"""Services are configured with this address before the run, programs get theirs when they are started."""

_TOOL_FIELDS = frozenset((*Tool.__struct_fields__, *Annotations.__struct_fields__))


def suite_agent(
    suite: Suite,
    folder: Path,
    problems: list[str],
    *,
    limbs: Sequence[tuple[Limb, Any]],
    model: str | None,
    start_nothing: bool,
) -> Agent:
    """The agent of a suite, with its tools and what limbs change of it."""
    config = suite.agent
    replays = record_settings(suite).mode == "replay"
    recordings = None if start_nothing else try_part(problems, lambda: suite_recordings(suite, folder))
    with placeholder_keys() if replays else nullcontext():  # modules may make their clients when imported
        listed = try_part(problems, lambda: _tools(suite, folder, recordings, limbs))
        tools, mcp, server = listed or ([], None, "")
        tested = _load_subject(model, config, folder, problems, start_nothing=start_nothing)
        values = {} if start_nothing else _loaded_values(config, problems)
    loops = suite_mode(suite) == "loop" or isinstance(tested, ObservedAgent)
    agent = Agent(
        model=tested,
        tools=tools,
        system=config.system,
        mode=config.mode,  # type: ignore[arg-type]  # by the mocks
        settings=config.settings,
        base_url=config.base_url[0] if isinstance(config.base_url, tuple) else config.base_url,
        base_urls=config.base_url if isinstance(config.base_url, tuple) else (),
        headers=config.headers,
        limits=suite.limits,
        mocks=suite.mocks,
        execute=config.execute or ("real" if mcp is not None and mcp.replays else "mock"),
        strict=config.strict,
        mcp=mcp,
        mcp_server=server,
        tool_sets=suite.tool_sets,
        recordings=recordings,
        exchange=_exchange(config, tested, folder),
        approvals=try_part(problems, lambda: read_approvals(suite.approvals)) if suite.approvals else None,
        skills=try_part(problems, lambda: _model_skills(config, folder)) or (),
        label="" if isinstance(tested, str) else model or config.model,
        with_={} if model is not None and isinstance(tested, str) else values,  # a typed model takes none
    )
    for limb, block in limbs:
        changed = try_part(problems, partial(limb.agent, agent, block, folder, loops=loops))
        agent = changed or agent
    return agent


def _load_subject(
    model: str | None, config: AgentConfig, folder: Path, problems: list[str], *, start_nothing: bool
) -> Any:
    """What the suite tests: a model's name, a function, or an agent that is observed while it runs."""
    if start_nothing:
        return _not_imported(model or config.model, folder)
    typed_here = model is not None and Path(model.partition(":")[2]).is_file()
    name = model if model and typed_here else beside(model or config.model, folder)
    named: Any = name
    if is_code(name, folder):  # a name of a provider's model stays one
        named = try_part(problems, lambda: agent_object(name)) or placeholder_agent
    return try_part(problems, lambda: _observe_if_requested(named, config, typed_model=model)) or named


def agent_object(name: str) -> Any:
    """What `module:attribute` names, or makes if it is a function without parameters or a class of a framework."""
    named = load_object(name)
    if isinstance(named, type) and adapter_of_class(named) is None:
        return named  # each trial has an object of its own
    agent = object_from_factory(named, name)
    if not is_askable(agent):
        called = name if agent is named else f"{name}()"
        hint = (
            naming_hint(agent, called)
            or "an agent is a function, an object of a framework, or one with __call__"
        )
        raise ConfigError(
            f"{called} is not an agent but a value of type {formatannotation(type(agent))}; {hint}"
        )
    return agent


def _observe_if_requested(model: Any, config: AgentConfig, typed_model: str | None) -> Any:
    """The observed agent, when the suite requests it or its framework is known; otherwise the agent itself.

    `typed_model` is a model named on the command line instead of the suite's, which need not be observed.
    """
    if model is placeholder_agent or isinstance(model, str | ObservedAgent):
        if config.observe is not None and isinstance(model, str) and typed_model is None:
            if is_address(model):
                _require_spans(config, model)
                return model
            raise ConfigError(f"agent.observe requires module:agent, http: or exec:, got '{model}'")
        return model
    if config.observe is None and not is_framework_agent(model):
        return model
    via = config.observe or "auto"
    return observe(
        model, via=via, calls=config.calls, handoffs=config.handoffs, tools=config.execute or "real"
    )


def _loaded_values(config: AgentConfig, problems: list[str]) -> dict[str, Any]:
    """The values of `agent.with`, loaded where they are named as `module:attribute`."""
    values = dict(config.with_)
    for name, value in values.items():
        if value == EXAMPLE:
            problems.append(f"agent.with.{name}: write the name of a function that returns it, not {EXAMPLE}")
            values[name] = None
        elif isinstance(value, str) and is_object_name(value):
            values[name] = try_part(problems, lambda: load_object(value, f"agent.with.{name}"))  # noqa: B023
    return values


def _require_spans(config: AgentConfig, model: str) -> None:
    """Refuse any way to observe an agent behind an address or a command other than the spans it sends."""
    if config.observe != OTEL:
        raise ConfigError(
            f"agent.observe of '{model}' must be otel: code that runs elsewhere cannot be watched"
        )
    port = config.otlp.rpartition(":")[2] if config.otlp else "0"
    if not (port.isdecimal() and int(port) < 65536):
        raise ConfigError(f"agent.otlp must be HOST:PORT, got '{config.otlp}'")


def _exchange(config: AgentConfig, model: Any, folder: Path) -> Exchange:
    """The exchange with the agent that a suite describes."""
    watched = config.observe == OTEL and is_address(model)
    listen = config.otlp or (ANY_PORT if str(model).startswith("exec:") else STANDARD)
    return Exchange(
        config.request,
        config.response,
        config.headers,
        config.reuse,
        folder=str(folder),
        spans=listen if watched else "",
        settle=config.settle,
        calls=config.calls,
        preset=config.preset or "",
    )


def placeholder_agent(golden: Golden) -> None:
    """A placeholder for an agent that could not be loaded, so that no further problems are reported for it."""


def _not_imported(name: str, folder: Path) -> Any:
    """A placeholder with the same name for an agent defined in code."""
    if not is_code(name, folder):
        return name

    def agent(golden: Golden) -> None:
        raise ConfigError(f"'{name}' was not imported, so it cannot be run")

    agent.__name__ = name
    return agent


def at_typed_server(agent: Agent, suite: Suite, model: str | None, base_url: str | None) -> Agent:
    """The agent at the server that was typed; a typed model of another provider is not at the suite's server."""
    own = suite.agent.model
    if (
        model is not None
        and model != own
        and (":" not in model or model.partition(":")[0] != own.partition(":")[0])
    ):
        agent = replace(agent, base_url=None, base_urls=(), key_env=None, headers={})
    if not base_url:
        return agent
    if agent.base_url != base_url:  # key and headers belong to the server they were written with
        agent = replace(agent, key_env=None, headers={})
    return replace(agent, base_url=base_url, base_urls=())


def suite_mode(suite: Suite) -> Mode:
    """The mode of a suite's agent."""
    return suite.agent.mode or default_mode(suite.mocks)


def _tools(
    suite: Suite, folder: Path, recordings: Recordings | None, limbs: Sequence[tuple[Limb, Any]]
) -> tuple[list[Any], McpAddress | None, str]:
    """The tools of a suite, and the MCP server they come from, with its name and version, if they do."""
    sources = tool_sources(suite.tools)
    others = list(chain.from_iterable(limb.tools(block) for limb, block in limbs))
    if sources.skills:
        others += load_skills([folder / skills for skills in sources.skills], sources.ignore)
    listed = _file_tools(sources.listed, folder)
    if sources.mcp is None:
        return [*listed, *others], None, ""
    address = suite_address(sources.mcp, folder)
    if (
        address.recording
        and not address.replays
        and suite_mode(suite) == "loop"
        and suite.agent.execute != "real"
    ):
        raise ConfigError(
            f"tools.mcp.record: {address.record} asks the server, which requires agent.execute: real; "
            "use record: replay to answer from the recording alone"
        )
    served, server = _server_tools(address, recordings)
    return [*served, *listed, *others], address, server


def _file_tools(tools: str | list[dict[str, Any]] | None, folder: Path) -> list[Any]:
    """The tools of a file or a module, or definitions in the suite itself."""
    if isinstance(tools, str) and is_object_name(tools) and not (folder / tools).exists():
        return from_module(tools)
    if isinstance(tools, str):
        return list(load_tools(folder / tools))
    return [read_tool(raw, f"tools[{i}]") for i, raw in enumerate(tools or ())]


def _model_skills(config: AgentConfig, folder: Path) -> list[Tool]:
    """The skills that the suite offers to its model."""
    if config.skills is None:
        return []
    folders = (config.skills,) if isinstance(config.skills, str) else config.skills
    return load_skills([folder / name for name in folders])


def _server_tools(address: McpAddress, recordings: Recordings | None) -> tuple[list[Tool], str]:
    """The tools that an MCP server lists, and its name; a replay does not start it, and has them recorded."""
    if address.recording:
        from rightcall.tools.mcp.recorded_server import recorded_session, session_tools

        if (session := recorded_session(address)) is not None:
            return session_tools(session, address), session.label
    if recordings is not None and recordings.replays_only:
        recorded = recordings.server_tools()
        return convert(recorded["tools"], list[Tool], f"{recordings.folder}: tools"), recorded["server"]
    tools, server = list_server_tools(address)
    if recordings is not None:
        recordings.tool_list = {
            "server": server,
            "tools": scrub_value(to_plain(tools), recordings.clean, _TOOL_FIELDS),
        }
    return tools, server


def try_part(problems: list[str], make: Any) -> Any:
    """The result of `make`; or None, with the error added to the problems."""
    try:
        return make()
    except ConfigError as error:
        problems += error.problems
    except RightCallError as error:
        problems.append(str(error))
    return None
