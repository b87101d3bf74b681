"""The page of suite keys, from the JSON Schema that editors use."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Mapping
from typing import Any, get_args

from rightcall.records.failure import Code
from rightcall.run.suite_schema import suite_schema
from rightcall.tools.faults import plan as faults
from rightcall.tools.runtime import mocks

Schema = Mapping[str, Any]
EMPTY = ("null", "", "[]", "{}")
FORMS = {"Mock": mocks, "Fault": faults}
"""Modules whose docstring shows every form of a part."""
SEE = {
    "models.NAME": "[Models](models.md)",
    "agent": "[Any agent](agents.md) and [Models](models.md)",
    "gate": "[Statistics](evidence.md#statistics)",
    "check": "[Is this pull request safe?](check.md)",
    "record": "[Record and replay](check.md#record-and-replay)",
    "user": "[Conversations](conversations.md)",
    "mocks.NAME": "[Any agent](agents.md#the-suite)",
    "faults[]": "[Injected faults](faults.md)",
    "worlds": "[Tools that cannot hurt](tools-that-cannot-hurt.md)",
    "tools.mcp": "[MCP servers](mcp.md)",
    "workers": "[One run on many processes and machines](scale.md)",
}


def suite_page() -> str:
    """Every key of a suite."""
    schema = suite_schema()
    parts = schema["$defs"]
    paths = places(parts)
    shown = [
        "# Suite keys",
        "A suite is a YAML or JSON file; only `dataset` and `agent.model` are required, and paths are relative to the "
        "file. Unknown keys are errors. `rightcall init` writes `suite.schema.json`, with which editors complete and "
        "check the same keys: start the file with `# yaml-language-server: $schema=suite.schema.json`. `${NAME}` in "
        "any string is taken from the environment; a variable that is not set is an error.",
        "Generated from the code.",
    ]
    for name, path in paths.items():
        if is_plain(name, parts[name]):
            continue
        shown += [
            f"## {path or 'Top level'}",
            *_about(name, path, parts[name]),
            _rows(parts[name], paths, parts),
        ]
    return "\n\n".join(shown) + "\n"


def places(parts: Mapping[str, Schema]) -> dict[str, str]:
    """Where in a suite each part is: its first place, in the order of the keys."""
    found: dict[str, str] = {}

    def visit(name: str, path: str) -> None:
        if name in found:
            return
        found[name] = path
        for key, value in parts[name]["properties"].items():
            for inner, at in _refs(value, f"{path}.{key}" if path else key):
                visit(inner, at)

    visit("Suite", "")
    return found


def is_plain(name: str, part: Schema) -> bool:
    """Whether a part is one row where it is used: settings that are passed on, and numbers or texts by name."""
    return name == "Settings" or any(_all_are(kinds, part) for kinds in (("number", "integer"), ("string",)))


def _all_are(kinds: tuple[str, ...], part: Schema) -> bool:
    return all(
        one.get("type") in (*kinds, "null") and "enum" not in one
        for value in part["properties"].values()
        for one in value.get("anyOf", (value,))
    )


def _refs(schema: Schema, path: str) -> Iterator[tuple[str, str]]:
    if ref := schema.get("$ref"):
        yield ref.rpartition("/")[2], path
    for one in schema.get("anyOf", ()):
        yield from _refs(one, path)
    for key, value in schema.get("properties", {}).items():
        yield from _refs(value, f"{path}.{key}")
    if isinstance(more := schema.get("additionalProperties"), dict):
        yield from _refs(more, f"{path}.NAME")
    if isinstance(items := schema.get("items"), dict):
        yield from _refs(items, f"{path}[]")


def _about(name: str, path: str, part: Schema) -> Iterator[str]:
    yield part["description"]
    if form := FORMS.get(name):
        yield inspect.cleandoc(form.__doc__ or "").partition("\n\n")[2]
    if path in SEE:
        yield f"See {SEE[path]}."


def _rows(part: Schema, paths: Mapping[str, str], parts: Mapping[str, Schema]) -> str:
    required = part.get("required", [])
    plain = {name: keys for name, keys in parts.items() if is_plain(name, keys)}
    rows = [
        f"| `{key}` | {_type(value, paths, plain)} | {_default(value, key in required)} | {_meaning(value)} |"
        for key, value in part["properties"].items()
    ]
    return "\n".join(["| key | type | default | meaning |", "|---|---|---|---|", *rows])


def _meaning(schema: Schema) -> str:
    return _cell(schema.get("description", ""))


def _default(schema: Schema, required: bool) -> str:
    if required:
        return "required"
    default = schema.get("default")
    text = default if isinstance(default, str) else json.dumps(default)
    return "" if text in EMPTY else f"`{text}`"


def _type(schema: Schema, paths: Mapping[str, str], plain: Mapping[str, Schema]) -> str:
    """A type in words."""
    if ref := schema.get("$ref"):
        if part := plain.get(ref.rpartition("/")[2]):
            return f"mapping of {', '.join(f'`{key}`' for key in part['properties'])}"
        path = paths[ref.rpartition("/")[2]]
        return f"[{path}](#{''.join(c for c in path.lower() if c.isalnum() or c in '_-')})"
    if choices := schema.get("anyOf"):
        return " or ".join(_type(one, paths, plain) for one in choices if one.get("type") != "null")
    if (values := schema.get("enum")) == list(get_args(Code)):
        return "[failure code](codes.md#failure-codes)"
    if values:
        return ", ".join(f"`{value}`" for value in values)
    kind = schema.get("type", "any")
    kinds = [one for one in ([kind] if isinstance(kind, str) else kind) if one != "null"]
    return " or ".join(_plain(one, schema, paths, plain) for one in kinds)


def _plain(kind: str, schema: Schema, paths: Mapping[str, str], plain: Mapping[str, Schema]) -> str:
    if kind == "array":
        items = schema.get("items", {})
        return f"list of {_type(items, paths, plain)}" if items else "list"
    if kind == "object":
        if isinstance(more := schema.get("additionalProperties"), dict):
            return f"mapping to {_type(more, paths, plain)}"
        names = ", ".join(f"`{name}`" for name in schema.get("properties", {}))
        return f"mapping of {names}" if names else "mapping"
    return f"{kind}{_bounds(schema)}"


def _bounds(schema: Schema) -> str:
    words = {"exclusiveMinimum": "> ", "minimum": "≥ ", "exclusiveMaximum": "< ", "maximum": "≤ "}
    found = [
        f"{sign}{schema[key]:,}" for key, sign in words.items() if key in schema and abs(schema[key]) < 2**53
    ]
    return f" {', '.join(found)}" if found else ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
