"""The JSON Schema of suites: what `load_suite` accepts, and what is checked later, when a run is planned.

`gate`, `mocks` and others are plain mappings in `Suite`, because they are read together with the goldens
and the tools, and their problems are listed together. Editors and the reference need their types.
"""

from __future__ import annotations

import inspect
from itertools import chain
from typing import get_args

import msgspec

from rightcall.core.seam import BUILT_IN, Limb, Schema, load
from rightcall.decide.config import GateKeys
from rightcall.metrics.matching.verdict import NAMED_RULES, WEIGHTINGS, WEIGHTS
from rightcall.records.failure import Code
from rightcall.run.suite import suite_type
from rightcall.tools.mcp.address import McpAddress
from rightcall.tools.runtime.mocks import Mock

FUNCTION: Schema = {"type": "string", "pattern": ":"}


def suite_schema() -> Schema:
    """The JSON Schema of suites, for editors."""
    limbs: dict[str, Limb] = {name: load("limbs", name)() for name in BUILT_IN["limbs"]}
    more = chain.from_iterable(limb.parts for limb in limbs.values())
    kinds = (suite_type(frozenset(limbs)), GateKeys, Mock, *more, McpAddress)
    (suite, *_), parts = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    _refine(
        parts["GateKeys"], {field: {"items": {"enum": list(get_args(Code))}} for field in ("forbid", "allow")}
    )
    parts["McpAddress"]["additionalProperties"] = False
    _refine(
        parts["McpAddress"],
        {"command": {"type": ["string", "array"]}, "env": {"default": {}}},
    )
    own: dict[str, Schema] = {
        "tools": {"anyOf": _tools()},
        "rules": {"anyOf": _rules()},
        "mocks": {
            "patternProperties": {"^[*]$": {"anyOf": [FUNCTION, _ref("Mock")]}},
            "additionalProperties": _ref("Mock"),
        },
        "gate": {**_ref("GateKeys"), "type": "object"},
    }
    _refine(parts["Suite"], own)
    _refine(parts["Suite"], {name: limb.schema(_ref) for name, limb in limbs.items()})
    execute = parts["AgentConfig"]["properties"]["execute"]
    execute |= {"anyOf": [FUNCTION, {"enum": execute.pop("enum", ["mock", "real", None])}]}
    for part in parts.values():
        part["description"] = inspect.cleandoc(part["description"])
    header = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "RightCall suite"}
    return {**header, **suite, "$defs": parts}


def _refine(part: Schema, fields: dict[str, Schema]) -> None:
    for name, more in fields.items():
        part["properties"][name] |= more


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _tools() -> list[Schema]:
    server = {"anyOf": [{"type": "string"}, _ref("McpAddress")], "description": "an MCP server: its address"}
    mcp = {"properties": {"mcp": server}, "required": ["mcp"], "additionalProperties": False}
    return [
        {"type": "string"},
        {"type": "array", "items": {"type": "object"}},
        {"type": "object", **mcp},
        {"type": "null"},
    ]


def _rules() -> list[Schema]:
    weight = {"type": "number", "minimum": 0}
    share = {"type": "number", "exclusiveMinimum": 0, "maximum": 1}
    by_name = {"properties": dict.fromkeys(WEIGHTS, weight), "additionalProperties": False}
    keys = {
        "weights": {"anyOf": [{"type": "object", **by_name}, {"enum": list(WEIGHTINGS)}]},
        "pass_rule": {"enum": ["strict", "score"]},
        "pass_score": share,
        "secondary_threshold": share,
        "half_credit": {"type": "boolean"},
    }
    return [
        {"enum": list(NAMED_RULES)},
        {"type": "object", "properties": keys, "additionalProperties": False},
    ]
