"""The suite of an agent that exists, and a draft golden for each of its first tools: `rightcall init MODULE:OBJECT`."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, get_type_hints, is_typeddict

from rightcall.agents.agent import is_framework_agent, is_function
from rightcall.agents.agent_function import AgentFunction, required_arguments
from rightcall.agents.observed.catalog import all_adapters, is_loaded
from rightcall.agents.observed.observed_agent import observe
from rightcall.agents.trial_values import EXAMPLE, example_value, parameters_without_default, type_name
from rightcall.core.errors import ConfigError
from rightcall.core.text import first_names, pluralize
from rightcall.datasets.review import KEY, UNREVIEWED
from rightcall.recording.listener import placeholder_keys
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.golden import Golden
from rightcall.records.tool import Tool
from rightcall.run.suite_agent import agent_object

MOST_DRAFTS = 5


class SuiteDraft(NamedTuple):
    """The lines of a suite under `agent`, draft goldens, what was seen, and what has to be written before a run."""

    agent_lines: tuple[str, ...]
    goldens: tuple[Golden, ...]
    summary: str
    missing: tuple[str, ...]


def draft_suite(name: str) -> SuiteDraft:
    """The draft for the agent that `module:attribute` names; it is imported, and asked nothing."""
    with placeholder_keys():  # modules may make their clients when imported
        agent = agent_object(name)
    needs, tools, kind = _agent_parts(agent, name)
    values = {key: _value_for(declared, name) for key, declared in needs.items()}
    lines = [f"model: {json.dumps(name)}  # {kind}"]
    if tools:
        lines.append(f"# tools: {', '.join(tool.name for tool in tools)}")
    elif not is_framework_agent(agent) and any(info.functions and is_loaded(info) for info in all_adapters()):
        lines.append("observe: auto  # hears the calls of the SDK or framework that it uses")
    if values:
        lines.append("with:")
        lines += [f"  {key}: {value}  # {type_name(needs[key])}" for key, value in values.items()]
    counted = (
        f"{kind} with {pluralize(len(tools), 'tool')}" if tools else f"{kind}, whose tools are not known"
    )
    missing = tuple(key for key, value in values.items() if value == EXAMPLE)
    return SuiteDraft(tuple(lines), tuple(_drafts(tools)), f"{name} is {counted}", missing)


def _agent_parts(agent: Any, name: str) -> tuple[dict[str, Any], Sequence[Tool], str]:
    """The types of what an agent needs, its tools, and what it is."""
    if is_framework_agent(agent):
        observed = observe(agent)
        title = observed.info.title if observed.info else ""
        return parameters_without_default(observed.parameters()), observed.tools(), f"an agent of {title}"
    if not is_function(agent):
        raise ConfigError(
            f"{name} is a {type(agent).__name__}, not an agent: an object of a framework, a function or a class"
        )
    needs = required_arguments(agent)
    AgentFunction.of(agent, needs)
    return needs, (), "a class" if inspect.isclass(agent) else "a function"


def _value_for(declared: Any, name: str) -> str:
    """What to write under `with`: what the agent's module has for the type, or what has to be written."""
    module = name.partition(":")[0]
    of_module = vars(sys.modules[module]) if _is_own_class(declared) else {}
    suitable = (attribute for attribute, value in of_module.items() if _gives(value, declared))
    if attribute := next(suitable, None):
        return json.dumps(f"{module}:{attribute}")
    return example_value(declared)


def _is_own_class(declared: Any) -> bool:
    if not isinstance(declared, type) or is_typeddict(declared):
        return False
    return declared.__module__ not in ("builtins", "typing")


def _gives(value: Any, declared: type) -> bool:
    """Whether a value is of the type, or a function without arguments that says that it returns one."""
    try:
        if not inspect.isfunction(value):
            return isinstance(value, declared)
        inspect.signature(value).bind()
        return get_type_hints(value).get("return") is declared
    except Exception:  # annotations are code of the user
        return False


def _drafts(tools: Sequence[Tool]) -> Iterator[Golden]:
    """A golden for each of the first tools, whose request a person has to write."""
    for tool in tools[:MOST_DRAFTS]:
        does = tool.description.partition("\n")[0].strip() or first_names(list(tool.parameters), 3)
        required = [key for key in tool.input_schema.get("required", ()) if isinstance(key, str)]
        expected = ExpectedCall(tool.name, {key: {"present": True} for key in required}, "ignore")
        yield Golden(
            f"(what a user says who needs {tool.name}: {does})",
            id=tool.name,
            expected_calls=(expected,),
            metadata={KEY: UNREVIEWED},
        )
    if not tools:
        yield Golden(
            "(what a user says)",
            id="first",
            output_contains=("(a word of the answer)",),
            metadata={KEY: UNREVIEWED},
        )
