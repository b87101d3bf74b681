"""Ablations: texts removed to measure their effect, which is expected, so they get no verdict."""

from __future__ import annotations

import copy
import re
from typing import Any

import msgspec

from rightcall.improve.perturbations.offers import require_tool
from rightcall.improve.perturbations.variant import PerturbTask, Variant
from rightcall.lint.features.text import sentences
from rightcall.model.tool import Tool

_EXAMPLE = re.compile(r"\b(?:for example|for instance|e\.g\.|such as|example)\b", re.I)
_KEYS = frozenset(("examples", "example"))


def bare(task: PerturbTask) -> Variant:
    """No descriptions, or with `bare=TOOL` none for that tool."""
    require_tool(task)
    changed = [_without_words(tool) if task.about in ("", tool.name) else tool for tool in task.tools]
    return task.with_tools(changed, task.goldens)


def examples(task: PerturbTask) -> Variant:
    """No examples: neither in schemas nor as sentences of descriptions."""
    changed = [
        msgspec.structs.replace(
            tool, description=_plain(tool.description), input_schema=_strip_examples(tool.input_schema)
        )
        for tool in task.tools
    ]
    return task.with_tools(changed, task.goldens)


def system(task: PerturbTask) -> Variant:
    """No system prompt, neither the agent's nor a golden's."""
    goldens = [msgspec.structs.replace(golden, system=None) for golden in task.goldens]
    return task.with_tools(task.tools, goldens, system="")


def _without_words(tool: Tool) -> Tool:
    schema = copy.deepcopy(tool.input_schema)
    for schema_of_parameter in (schema.get("properties") or {}).values():
        if isinstance(schema_of_parameter, dict):
            schema_of_parameter.pop("description", None)
    return msgspec.structs.replace(tool, description="", input_schema=schema)


def _strip_examples(value: Any, *, of_names: bool = False) -> Any:
    """A schema without examples; under `properties` the keys are names of parameters, which stay."""
    if isinstance(value, dict):
        return {
            key: _plain(inner)
            if key == "description" and isinstance(inner, str) and not of_names
            else _strip_examples(inner, of_names=key == "properties" and not of_names)
            for key, inner in value.items()
            if of_names or key not in _KEYS
        }
    return [_strip_examples(inner) for inner in value] if isinstance(value, list) else value


def _plain(text: str) -> str:
    """A text without its sentences that give an example; the first sentence stays."""
    for sentence in sentences(text)[1:]:
        if _EXAMPLE.search(sentence):
            text = re.sub(rf"\s*{re.escape(sentence)}[.!?]*", "", text, count=1)
    return text.strip()
