"""Every adapter: how its agents are recognized, which versions were tested, what it can and cannot observe."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from inspect import signature
from typing import Any, Literal

from rightcall.agents.observed.adapter import Adapter
from rightcall.core.errors import ConfigError, suggestion
from rightcall.core.seam import import_target, missing_limb, name_clashes, plugin_errors, plugins
from rightcall.records.record import Record
from rightcall.records.tool import Tool


class AdapterInfo(Record, frozen=True):
    """What is known about an adapter without importing its framework.

    `modules` are the beginnings of `type(agent).__module__`. `loads` is the module whose presence in a process says
    that a function may be using the framework. `tools` says how far tools can be controlled:
    `mock` they can be mocked, `watch` they run unchanged. `marker` is a name that distinguishes
    the framework's module from another one of the same name. `beside` are packages tested with it. `needs` are the
    hooks, `module:name.attribute` or `module:function(parameter)`: a version without one is too old. `approvals` says
    that requests for approval are observed, and can be answered. `naming` is the line that gives an agent its name;
    it is empty if calls cannot say which agent made them.
    """

    name: str
    title: str
    package: str
    loads: str
    modules: tuple[str, ...]
    tested: str
    hook: str
    loses: tuple[str, ...]
    tools: Literal["mock", "watch"] = "watch"
    functions: bool = True
    marker: str = ""
    beside: str = ""
    needs: tuple[str, ...] = ()
    approvals: bool = False
    naming: str = ""
    in_process: bool = True
    """Whether the model is asked from this process."""
    adapter: str = ""
    """`module:attribute` of the `Adapter`, for adapters of other packages."""


_SHARED_NAMES = (
    "agents of a team with different tools under one name: arguments are checked against any of them"
)
_OWN_LOOP = (
    "tools are run by your own loop: they cannot be mocked, and their latency is unknown",
    "calls in the last answer have no result unless another request follows",
    "a loop that a tool runs is not told apart: its calls are the agent's own and have no parent",
)
_NO_ERRORS = "a result does not say whether it is an error"

ADAPTERS: tuple[AdapterInfo, ...] = (
    AdapterInfo(
        "openai_agents", "OpenAI Agents SDK", "openai-agents", "agents", modules=("agents",), tested="0.24.0",
        hook="run hooks, added by the default runner",
        loses=(
            "hosted tools (web search, code interpreter) run at the provider and are not calls",
            "with tracing disabled and a custom error function, a tool's failure is read as a result",
            "realtime and voice agents are not observed",
        ),
        tools="mock", marker="Runner", approvals=True,
        needs=(
            "agents.run:AgentRunner", "agents.run:set_default_agent_runner", "agents.run:get_default_agent_runner",
            "agents.tool_context:ToolContext.tool_arguments",
        ),
        naming='Agent(name="billing", …)',
    ),
    AdapterInfo(
        "langchain", "LangGraph and LangChain", "langchain-core", "langchain_core",
        modules=("langgraph", "langchain", "langchain_core", "langchain_classic", "langchain_community", "deepagents"),
        tested="1.7.2",
        hook="a callback handler, added by a configure hook",
        loses=(
            "tools that a node calls as plain functions have a result only if a message contains it",
            "threads that the agent starts without copying the context are not observed",
            "a graph of langgraph-codeact is refused: its tools are called by your own eval_fn",
        ),
        tools="mock", beside="langgraph 1.2.20, langchain 1.4.7", approvals=True,
        needs=("langchain_core.tracers.context:register_configure_hook", "langchain_core.tools:BaseTool.arun"),
        naming='create_agent(…, name="billing")',
    ),
    AdapterInfo(
        "pydantic_ai", "Pydantic AI", "pydantic-ai-slim", "pydantic_ai", modules=("pydantic_ai",), tested="2.68.0",
        hook="a capability, added to every run",
        loses=(
            "native tools (web search, code execution) run at the provider and are not calls",
            "output tools and output functions are not calls",
            "realtime sessions are not observed",
        ),
        tools="mock", approvals=True,
        needs=("pydantic_ai:Agent.iter(capabilities)", "pydantic_ai.capabilities:AbstractCapability.wrap_tool_execute"),
        naming='Agent(…, name="billing")',
    ),
    AdapterInfo(
        "claude_agent_sdk", "Claude Agent SDK", "claude-agent-sdk", "claude_agent_sdk", modules=("claude_agent_sdk",),
        tested="0.2.184", hook="the message stream of a client",
        loses=(
            "a tool's latency is the time between two messages",
            "tools run inside the bundled program and cannot be mocked",
            "arguments are what the program parsed: malformed ones are not visible",
            "a function that calls `query` itself is not observed",
            "definitions are inside the servers: for `rightcall list tools` and `lint`, name the list of tools",
        ),
        functions=False, in_process=False,
        needs=("claude_agent_sdk:ClaudeSDKClient.receive_response",),
        naming='ClaudeAgentOptions(agents={"billing": AgentDefinition(…)})',
    ),
    AdapterInfo(
        "google_adk", "Google ADK", "google-adk", "google.adk", modules=("google.adk",), tested="2.13.0",
        hook="a runner plugin",
        loses=(
            "calls inside an AgentTool made with include_plugins=False are not visible",
            "failures returned as data ({'status': 'error'}) are read as results",
            "a function that creates its own Runner is not observed",
        ),
        tools="mock", functions=False, approvals=True,
        needs=("google.adk.plugins.base_plugin:BasePlugin.on_tool_error_callback",),
        naming='LlmAgent(name="billing", …)',
    ),
    AdapterInfo(
        "crewai", "CrewAI", "crewai", "crewai", modules=("crewai",), tested="1.15.30", hook="the event bus",
        loses=(
            "trials run one at a time, because the event bus does not say which crew an event belongs to",
            "a crew cannot be stopped: one that ran out of time holds back the next trial until it ends",
            "call ids are known only where the model's answer contains them",
            "a crew remembers nothing between the turns of a conversation; an agent is given the earlier ones",
            _SHARED_NAMES,
        ),
        functions=False,
        needs=("crewai.events:crewai_event_bus.flush", "crewai.events:LLMCallCompletedEvent"),
        naming='Agent(role="billing", …)',
    ),
    AdapterInfo(
        "smolagents", "smolagents", "smolagents", "smolagents", modules=("smolagents",), tested="1.26.0",
        hook="the agents' steps and the tools they execute",
        loses=(
            "a CodeAgent whose code runs in a remote executor is refused: calls of its tools cannot be heard",
            "trials run one at a time, because the memory belongs to the agent object",
            "a model class waits minutes after a 429, and the trial with it, unless it has `retry=False`",
        ),
        needs=(
            "smolagents:MultiStepAgent.run(return_full_result)", "smolagents:ToolCallingAgent._step_stream",
            "smolagents:ToolCallingAgent.execute_tool_call",
        ),
        naming='ToolCallingAgent(…, name="billing")',
    ),
    AdapterInfo(
        "llama_index", "LlamaIndex", "llama-index-core", "llama_index.core", modules=("llama_index",), tested="0.14.25",
        hook="the events that workflows write to their streams",
        loses=(
            "malformed arguments are repaired by the framework before they can be observed",
            "a CodeActAgent is refused: its tools are called by your own code_execute_fn",
            _SHARED_NAMES,
        ),
        needs=(
            "llama_index.core.agent.workflow:AgentOutput",
            "llama_index.core.workflow:Context.write_event_to_stream",
        ),
        naming='FunctionAgent(name="billing", …)',
    ),
    AdapterInfo(
        "agent_framework", "Microsoft Agent Framework", "agent-framework-core", "agent_framework",
        modules=("agent_framework",), tested="1.23.0", hook="chat and function middleware, added to every run",
        loses=(
            "agents that are not of the class Agent (workflows as agents) are observed through the agents they run",
        ),
        tools="mock", approvals=True,
        needs=(
            "agent_framework:ChatMiddleware", "agent_framework:FunctionMiddleware",
            "agent_framework:Agent.run(middleware)",
        ),
        naming='Agent(…, name="billing")',
    ),
    AdapterInfo(
        "autogen", "AutoGen", "autogen-agentchat", "autogen_agentchat",
        modules=("autogen_agentchat", "autogen_core.tools"), tested="0.7.5",
        hook="the stream of messages",
        loses=(
            "a tool's latency is the time between two messages",
            "trials run one at a time per agent object, because it holds the conversation",
            "a function that runs its own team is not observed",
            "an agent with functions of a code executor is refused: they run in another process",
            _SHARED_NAMES,
        ),
        functions=False,
        needs=("autogen_agentchat.agents:AssistantAgent.run_stream",),
        naming='AssistantAgent("billing", …)',
    ),
    AdapterInfo(
        "dspy", "DSPy", "dspy", "dspy", modules=("dspy",), tested="3.4.1", hook="callbacks of the context",
        loses=(
            "an answer that DSPy cannot parse, such as one that names an unknown tool, has no call",
            "DSPy shows the model the traceback of a failed tool: it names the line that runs observed tools",
            "call ids are DSPy's own, not the model's",
            "CodeAct is refused: its tools are copied into a sandbox",
            "a module without a dspy.History field remembers nothing between the turns of a conversation",
            "a function that runs its own module is not observed",
        ),
        functions=False,
        needs=(
            "dspy:Module.acall", "dspy:BaseLM.update_history(entry)",
            "dspy.utils.callback:BaseCallback.on_tool_end",
        ),
    ),
    AdapterInfo(
        "strands", "Strands Agents", "strands-agents", "strands", modules=("strands",), tested="1.62.0",
        hook="the middleware that every request and every tool goes through",
        loses=(
            "trials run one at a time per agent object, because it holds the conversation",
            "a session manager of the agent stores what the trials say",
            "a swarm or a graph remembers nothing between the turns of a conversation",
            "bidirectional (voice) agents are not observed",
            _SHARED_NAMES,
        ),
        tools="mock", approvals=True,
        needs=(
            "strands.middleware._registry:MiddlewareRegistry.invoke", "strands:Agent.take_snapshot",
            "strands.hooks:HookRegistry.invoke_callbacks_async",
        ),
        naming='Agent(name="billing", …)',
    ),
    AdapterInfo(
        "haystack", "Haystack", "haystack-ai", "haystack", modules=("haystack",), tested="3.4.0",
        hook="the steps of its Agent component",
        loses=(
            "calls whose arguments are not JSON are dropped by the chat generators and are not visible",
            "generators that call tools without an Agent are not observed",
            "a pipeline remembers between the turns of a conversation only what its components store",
        ),
        tools="mock",
        needs=(
            "haystack.components.agents.agent:Agent._run_step_async",
            "haystack.components.agents.agent:_record_llm_usage(llm_messages)",
            "haystack.components.agents.tool_calling:_make_bounded_invoke_async(tool_call)",
            "haystack.components.agents.tool_calling:_make_context_bound_invoke(tool_call)",
        ),
    ),
    AdapterInfo(
        "litellm", "LiteLLM", "litellm", "litellm", modules=("litellm",), tested="1.106.2",
        hook="the dispatcher of its functions",
        loses=(
            _OWN_LOOP[0], _NO_ERRORS, *_OWN_LOOP[1:],
            "retries and fallbacks inside one call are one request, and tokens of their failed attempts are unknown",
            "litellm.anthropic.messages, and functions imported from litellm.main, are not observed",
        ),
        needs=("litellm.rust_bridge.dispatch:PublicDispatch.run", "litellm.rust_bridge.dispatch:PublicDispatch.arun"),
    ),
    AdapterInfo(
        "anthropic", "Anthropic SDK", "anthropic", "anthropic", modules=("anthropic",), tested="2.10.0",
        hook="the client's requests",
        loses=_OWN_LOOP,
        needs=("anthropic:Anthropic.request", "anthropic:AsyncAnthropic.request"),
    ),
    AdapterInfo(
        "openai", "OpenAI SDK", "openai", "openai", modules=("openai",), tested="3.51.0",
        hook="the client's requests",
        loses=(_OWN_LOOP[0], _NO_ERRORS, *_OWN_LOOP[1:]),
        needs=("openai:OpenAI.request", "openai:AsyncOpenAI.request"),
    ),
)  # fmt: skip
"""Frameworks first: they see more than the client below them."""

CLIENTS = ("openai", "anthropic")
"""Clients by which frameworks ask models."""


def all_adapters() -> tuple[AdapterInfo, ...]:
    """The adapters, with those of installed packages that can be loaded; `adapter_problems` names the others."""
    added = []
    for plugin in plugins("adapters", [info.name for info in ADAPTERS]).values():
        info = plugin.load() if not plugin.problem else None
        if isinstance(info, AdapterInfo) and info.name == plugin.name and info.adapter:
            added.append(info)
    return (*ADAPTERS, *added)


def adapter_problems() -> list[str]:
    """Why adapters of installed packages cannot be used."""
    names = [info.name for info in ADAPTERS]
    return [*name_clashes("adapters", names), *plugin_errors("adapters", names)]


def detect(agent: Any) -> AdapterInfo | None:
    """The adapter of an agent object, by the modules its class and its bases were defined in."""
    return adapter_of_class(type(agent))


def adapter_of_class(kind: type) -> AdapterInfo | None:
    """The adapter of the objects of a class."""
    homes = [home.__module__ for home in (*kind.__mro__, type(kind))]  # a decorator may only give a metaclass
    if set(homes) == {"builtins"}:  # a function or a name, which is of no framework
        return None
    for info in all_adapters():
        prefixes = tuple(f"{module}." for module in info.modules)
        if info.marker and not hasattr(sys.modules.get(info.loads), info.marker):
            continue
        if any(home in info.modules or home.startswith(prefixes) for home in homes):
            return info
    return None


def agent_tools(agent: Any) -> list[Tool] | None:
    """The tools of an agent of a known framework, or one of its tools; None for anything else."""
    info = detect(agent)
    return adapter_named(info.name).tools(agent) if info is not None else None


def adapter_info(name: str) -> AdapterInfo:
    """The adapter of that name, or a `ConfigError` with the names there are."""
    match = next((info for info in all_adapters() if info.name == name), None)
    if match is None:
        names = [info.name for info in all_adapters()]
        raise ConfigError(f"unknown adapter '{name}'; {suggestion(name, names) or ', '.join(names)}")
    return match


def adapter_named(name: str) -> Adapter:
    """The adapter itself, ready to be used; the framework is imported when it is."""
    target = adapter_info(name).adapter or f"rightcall.limbs.adapters.{name}:ADAPTER"
    try:
        adapter: Adapter = import_target(target)
    except ModuleNotFoundError as error:
        if reason := missing_limb(error):
            raise ConfigError(f"adapter '{name}': {reason}") from None
        raise
    return adapter


def version_of(info: AdapterInfo) -> str:
    """The version of the framework on this machine; empty when there is none."""
    try:
        return version(info.package)
    except PackageNotFoundError:
        return ""


def hook_problem(info: AdapterInfo) -> str:
    """Why the installed version cannot be observed, and what to do; empty when it can. Imports the framework."""
    missing = [hook.replace(":", ".") for hook in info.needs if not _exists(hook)]
    if not missing:
        return ""
    return (
        f"{info.package} {version_of(info) or '(unknown version)'} has no {', '.join(missing)};"
        f" {info.tested} was tested: pip install -U {info.package}"
    )


def _exists(hook: str) -> bool:
    """Whether a module has a name, its class a field, its function a parameter."""
    path, _, parameter = hook.removesuffix(")").partition("(")
    module, _, names = path.partition(":")
    try:
        target: Any = import_module(module)
        *owners, last = names.split(".")
        for name in owners:
            target = getattr(target, name)
        if last in getattr(target, "__dataclass_fields__", {}):
            return True
        target = getattr(target, last)
        return not parameter or parameter in signature(target).parameters
    except (ImportError, AttributeError):
        return False


def is_loaded(info: AdapterInfo) -> bool:
    """Whether this process has imported the framework."""
    module = sys.modules.get(info.loads)
    return module is not None and (not info.marker or hasattr(module, info.marker))
