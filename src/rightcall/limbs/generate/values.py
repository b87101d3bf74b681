"""Arguments that are valid for a tool's schema.

A value is stated by a constant, choices, examples, a format or limits. A parameter without any of these is open: its
values are the `examples` that a model wrote for it.
"""

from __future__ import annotations

import datetime
import random
from typing import Any

from rightcall.core.errors import InputError
from rightcall.records.tool import Tool
from rightcall.schema.sample_values import resolve_schema, sample_value
from rightcall.schema.types import is_number, without
from rightcall.tools.definitions.validate import check_schema, is_valid

ATTEMPTS = 12
DEEPEST = 4
FORMATS = {
    "date": "%Y-%m-%d", "date-time": "%Y-%m-%dT%H:%M:00Z", "time": "%H:%M:00Z", "email": "ana.{}@example.com",
    "uri": "https://example.com/page/{}", "hostname": "host-{}.example.com", "ipv4": "192.0.2.{}",
    "ipv6": "2001:db8::{}", "uuid": "123e4567-e89b-42d3-a456-426614174{}",
}  # fmt: skip
_START = datetime.datetime(2027, 1, 4, tzinfo=datetime.UTC)
_ENDS = (("min", "max"), ("start", "end"), ("from", "to"), ("since", "until"), ("after", "before"))


def sample_arguments(
    tool: Tool,
    names: frozenset[str],
    rng: random.Random,
    *,
    fixed: dict[str, Any] | None = None,
) -> dict[str, Any] | None:
    """Arguments with exactly these parameters, valid under the tool's schema; None when none were found.

    `fixed` sets some of them. A parameter with a default gets another value, so that the request matters.
    """
    for attempt in range(ATTEMPTS):
        sampler = _Sampler(tool, rng)
        values = dict(fixed or {})
        for name in tool.parameters:
            if name in names and name not in values:
                values[name] = sampler.argument(name)
        arguments = _in_order({name: values[name] for name in tool.parameters if name in values})
        texts = [value for value in arguments.values() if isinstance(value, str)]
        is_odd = len(set(texts)) < len(texts)  # as in converting dollars to dollars
        if is_valid(tool, arguments) and not (is_odd and attempt < ATTEMPTS - 1):
            return arguments
    return None


def has_usable_schema(tool: Tool) -> bool:
    """Whether arguments can be validated."""
    try:
        check_schema(tool)
    except InputError:
        return False
    return True


def open_parameters(tool: Tool) -> list[str]:
    """The parameters whose values nothing in the schema states."""
    return [name for name, schema in tool.parameters.items() if _is_open(schema, tool.input_schema, DEEPEST)]


def parameter_schema(tool: Tool, name: str) -> dict[str, Any]:
    """The schema of a parameter with its references followed and a null alternative left out."""
    return _plain(tool.parameters.get(name), tool.input_schema)


def choices_of(tool: Tool, name: str) -> tuple[Any, ...]:
    """The values an enumerated parameter may take; empty when its schema does not enumerate any."""
    choices = parameter_schema(tool, name).get("enum")
    return tuple(choices) if isinstance(choices, list) else ()


def json_type(schema: dict[str, Any]) -> str:
    """The type of a schema, the first that is not null; a string when it has none."""
    kind = schema.get("type", "object" if "properties" in schema else "string")
    return next((word for word in kind if word != "null"), "null") if isinstance(kind, list) else str(kind)


def _plain(unresolved: Any, root: dict[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = resolve_schema(unresolved, root) if isinstance(unresolved, dict) else {}
    for _ in range(DEEPEST):
        key = next((key for key in ("anyOf", "oneOf") if isinstance(schema.get(key), list)), None)
        branches = [branch for branch in schema[key] if isinstance(branch, dict)] if key else []
        branch = next((branch for branch in branches if branch.get("type") != "null"), None)
        if key is None or branch is None:
            break
        schema = resolve_schema({**without(schema, [key]), **branch}, root)
    return schema


def _is_open(schema: Any, root: dict[str, Any], depth: int) -> bool:
    schema = _plain(schema, root)
    if _stated_values(schema) or depth == 0:
        return False
    match json_type(schema):
        case "boolean" | "null":
            return False
        case "integer" | "number":
            return None in _bounds(schema)
        case "array":
            return _is_open(schema.get("items"), root, depth - 1)
        case "object":
            properties = schema.get("properties")
            required = schema.get("required") or ()
            parts = [inner for name, inner in (properties or {}).items() if name in required]
            return not parts or any(_is_open(inner, root, depth - 1) for inner in parts)
        case _:
            return schema.get("format") not in FORMATS or "pattern" in schema


def _stated_values(schema: dict[str, Any]) -> list[Any]:
    if "const" in schema:
        return [schema["const"]]
    listed = (schema.get(key) for key in ("enum", "examples"))
    return next((values for values in listed if isinstance(values, list) and values), [])


def _bounds(schema: dict[str, Any]) -> tuple[float | None, float | None]:
    """The least and the greatest value that a number's schema allows."""
    step = schema.get("multipleOf", 1)
    low = schema.get("minimum")
    high = schema.get("maximum")
    if is_number(schema.get("exclusiveMinimum")):
        low = schema["exclusiveMinimum"] + step
    if is_number(schema.get("exclusiveMaximum")):
        high = schema["exclusiveMaximum"] - step
    return (low if is_number(low) else None), (high if is_number(high) else None)


def _in_order(arguments: dict[str, Any]) -> dict[str, Any]:
    """The smaller of two values first, where their names are the two ends of one range."""
    for low, high in _ENDS:
        for name, value in list(arguments.items()):
            other = name.replace(low, high)
            end = arguments.get(other)
            if other != name and is_number(value) and is_number(end) and value > end:
                arguments[name] = end
                arguments[other] = value
    return arguments


class _Sampler:
    """Draws values for one call; its days and times follow each other."""

    def __init__(self, tool: Tool, rng: random.Random) -> None:
        self._tool = tool
        self._rng = rng
        self._moment = _START + datetime.timedelta(days=rng.randint(0, 300))

    def argument(self, name: str) -> Any:
        schema = parameter_schema(self._tool, name)
        for _ in range(ATTEMPTS):
            value = self._value(schema, 0)
            if "default" not in schema or value != schema["default"]:
                break
        return value

    def _value(  # noqa: PLR0911  a table of types
        self, schema: Any, depth: int
    ) -> Any:
        root = self._tool.input_schema
        schema = _plain(schema, root)
        values = _stated_values(schema)
        if values:
            return self._rng.choice(values)
        if depth > DEEPEST or _is_open(schema, root, DEEPEST):
            return sample_value({**schema, "$defs": root.get("$defs", {})}, self._rng)
        match json_type(schema):
            case "boolean":
                default = schema.get("default")
                return not default if isinstance(default, bool) else self._rng.random() < 0.8
            case "integer" | "number":
                return self._number(schema)
            case "array":
                return self._array(schema, depth)
            case "object":
                parts = {name: schema["properties"].get(name) for name in schema["required"]}
                return {name: self._value(part, depth + 1) for name, part in parts.items()}
            case kind:
                return self._text(FORMATS[schema["format"]]) if kind == "string" else None

    def _number(self, schema: dict[str, Any]) -> int | float:
        low, high = _bounds(schema)
        assert low is not None and high is not None  # otherwise it is open
        is_fine = json_type(schema) == "number" and high - low < 10
        step = schema.get("multipleOf") or (0.25 if is_fine else 1)
        first = -(-low // step)
        value = self._rng.randint(int(first), int(high // step)) * step
        return int(value) if float(value).is_integer() else round(value, 6)

    def _array(self, schema: dict[str, Any], depth: int) -> list[Any]:
        least = int(schema.get("minItems", 1))
        most = int(schema.get("maxItems", 3))
        count = min(max(self._rng.choice((1, 2)), least), max(most, least), 20)
        drawn = [self._value(schema["items"], depth + 1) for _ in range(count)]
        return [value for place, value in enumerate(drawn) if value not in drawn[:place]]

    def _text(self, form: str) -> str:
        if "%" in form:
            self._moment += datetime.timedelta(days=self._rng.randint(1, 9))
            hour = self._rng.randint(7, 19)
            minute = self._rng.choice((0, 15, 30, 45))
            return self._moment.replace(hour=hour, minute=minute).strftime(form)
        return form.format(self._rng.randint(100, 254))
