"""Definitions that can change after they were approved."""

from __future__ import annotations

import re

from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.lockfile import LockedTool, difference_of, removed_names
from rightcall.lint.rule import Finding, Findings, SetFindings, set_rule, tool_rule

_OUTSIDE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//|\.{0,2}/|[\w-]+\.(?:json|ya?ml))", re.I)


@tool_rule("TD805", "error", needs=("$ref", "$dynamicRef"), sources=("MCP", "measured"))
def external_ref(tool: ToolFeatures) -> Findings:
    """A `$ref` to a web address or a file.

    Common validators fetch it on the first call: anyone who controls that address learns about the call and
    decides what is valid. MCP forbids following it; RightCall never does.

    Fails: {"input_schema": {"properties": {"city": {"type": null, "$ref": "https://example.com/city.json"}}}}
    Passes: {"input_schema": {"properties": {"city": {"type": "string"}}}}
    """
    for node in tool.nodes:
        for key in ("$ref", "$dynamicRef"):
            reference = node.schema.get(key)
            if isinstance(reference, str) and _OUTSIDE.match(reference):
                yield Finding(
                    (*node.path, key),
                    f"{reference} is outside the definition",
                    "inline the schema, or move it under $defs",
                )


@set_rule(
    "TD809",
    "error",
    needs=("locked",),
    settings={"locked": {"get_forecast": LockedTool(frozenset(("0" * 64,)), {})}},
    sources=("SNYK",),
)
def drift(tools: SetFeatures) -> SetFindings:
    """The definition differs from the hash in the lockfile, or is not in it.

    A server may offer a harmless tool until it is approved and change it afterwards (a “rug pull”). The
    lockfile contains a SHA-256 of each definition as it was read; a tool that is not in it was never
    approved, and one that was renamed is new. `--update-lock` accepts the current state.

    Fails: {}
    """
    if tools.locked is None:
        return
    gone = removed_names(tools.locked, (tool.source for tool in tools.tools))
    for tool in tools.tools:
        difference = difference_of(tools.locked, tool.source, gone)
        if difference is not None:
            hint = "compare it with what you approved, then run with --update-lock"
            yield tool, Finding((), difference.text, hint)
