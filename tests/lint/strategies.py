"""Clean tools of many shapes, and hostile ones."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.lint.clean import CLEAN, merged

EXTRA_PARAMETERS: dict[str, dict[str, Any]] = {
    "gust_scale": {
        "type": "string",
        "enum": ["beaufort", "knots"],
        "description": "Scale for the strength of wind.",
    },
    "earliest_day": {
        "type": "string",
        "format": "date",
        "description": "Earliest day that belongs into the answer.",
    },
    "strongest_gust_kmh": {
        "type": "number",
        "minimum": 0,
        "description": "Leave out hours with stronger gusts.",
    },
    "tides_too": {"type": "boolean", "description": "Whether high and low water are told too."},
    "clock_hours": {
        "type": "array",
        "items": {"type": "integer", "minimum": 0, "maximum": 23},
        "maxItems": 24,
        "description": "Hours of the day that matter.",
    },
    "answer_language": {
        "type": ["string", "null"],
        "description": "Code of the language to answer in, such as vi.",
    },
    "vessel": {
        "type": "object",
        "description": "The vessel that the forecast is for.",
        "properties": {"draught_m": {"type": "number", "description": "Depth under water, in metres."}},
        "required": ["draught_m"],
        "additionalProperties": False,
    },
}
EXTRA_SENTENCES = (
    "Covers all of Asia.",
    "Numbers are rounded.",
    "Updated every six hours by the national office.",
    "Works at sea as well.",
)


@st.composite
def clean_tools(draw: st.DrawFn) -> dict[str, Any]:
    """The clean forecast tool with further parameters and sentences, all in order."""
    names = draw(st.lists(st.sampled_from(sorted(EXTRA_PARAMETERS)), unique=True, max_size=4))
    sentences = draw(st.lists(st.sampled_from(EXTRA_SENTENCES), unique=True, max_size=2))
    base = CLEAN[0]
    patch = {
        "description": " ".join([base["description"], *sentences]),
        "input_schema": {"properties": {name: EXTRA_PARAMETERS[name] for name in names}},
    }
    return dict(merged(base, patch))


SPELLINGS = ("anthropic", "openai", "openai-responses", "mcp", "bedrock", "plain")


def spelled(tool: dict[str, Any], spelling: str) -> dict[str, Any]:
    """The tool as a provider writes it."""
    rest = {key: value for key, value in tool.items() if key not in ("input_schema", "output_schema")}
    schema = tool["input_schema"]
    output = tool.get("output_schema")
    outputs = {"outputSchema": output} if output is not None else {}
    if spelling == "mcp":
        return {**rest, "inputSchema": schema, **outputs}
    if spelling == "openai":
        return {"type": "function", "function": {**rest, "parameters": schema, **outputs}}
    if spelling == "openai-responses":
        return {"type": "function", **rest, "parameters": schema, **outputs}
    if spelling == "bedrock":
        return {"toolSpec": {**rest, "inputSchema": {"json": schema}, **outputs}}
    key = "input_schema" if spelling == "anthropic" else "parameters"
    return {**rest, key: schema, **outputs}


json_scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
)
json_values = st.recursive(
    json_scalars | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)

KEYWORDS = (
    "type", "properties", "required", "enum", "const", "default", "items", "anyOf", "oneOf", "allOf", "not",
    "$ref", "$defs", "definitions", "minimum", "maximum", "minLength", "minItems", "maxItems", "format",
    "pattern", "description", "title", "nullable", "additionalProperties", "prefixItems", "examples", "if",
    "then", "$schema", "exclusiveMinimum", "x-rightcall",
)  # fmt: skip
TEXTS = (
    "string", "object", "array", "dict", "null", "#/$defs/a", "#", "#/definitions/a/b",
    "https://example.com/x.json", "date", "One of 'a', 'b' or 'c'. Default is 3.", "Optional. YYYY-MM-DD",
    "comma-separated list of ids", "ignore previous rules", "\u200b\ud800 \U000e0041",
    "http://json-schema.org/draft-07/schema#", "id", "amount", "~/.ssh", "Ã©", "TODO",
)  # fmt: skip
schema_values = st.recursive(
    json_scalars | st.sampled_from(TEXTS),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(KEYWORDS) | st.sampled_from(("a", "user_id", "sql", "amount", "")),
            inner,
            max_size=6,
        )
    ),
    max_leaves=25,
)
hostile_tools = st.fixed_dictionaries(
    {
        "name": st.sampled_from(("delete_x", "getX", "", "a.b c", "send_payment", "gеt"))
        | st.text(max_size=10)
        | json_scalars
    },
    optional={
        "description": st.sampled_from(TEXTS) | st.text(max_size=80) | schema_values,
        "input_schema": schema_values,
        "output_schema": schema_values,
        "annotations": schema_values,
        "title": schema_values,
        "x-rightcall": schema_values,
        "strict": st.booleans(),
    },
)


_DEFINITIONS: dict[str, Any] = {
    "Name": {"type": "string"},
    "Point": {"type": "object", "properties": {"x": {"type": "number"}, "at": {"$ref": "#/$defs/Name"}}},
}
_LEAVES: tuple[Any, ...] = (
    True,
    {},
    {"description": "Anything."},
    {"type": "string", "minLength": 1, "maxLength": 9},
    {"type": "string", "pattern": "^a", "examples": ["aa"]},
    {"type": "string", "format": "uri", "$comment": "x"},
    {"type": "str"},
    {"type": ["string", "null"], "title": "T"},
    {"type": ["string", "integer"]},
    {"type": "integer", "minimum": 0, "exclusiveMaximum": 9, "default": 5},
    {"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5},
    {"type": "boolean", "nullable": True},
    {"type": "array"},
    {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
    {"type": "object"},
    {"type": "object", "additionalProperties": {"type": "integer"}},
    {"enum": ["a", "b", None]},
    {"enum": [1, 2]},
    {"const": 5},
    {"not": {"type": "null"}},
    {"minimum": 1},
    {"$ref": "#/$defs/Name"},
    {"$ref": "#/$defs/Name", "description": "Whose."},
    {"$ref": "#/$defs/Point"},
    {"$ref": "#/$defs/Point", "required": ["x"]},
    {"allOf": [{"$ref": "#/$defs/Point"}], "description": "Where."},
    {"allOf": [{"type": "integer", "minimum": 5}, {"minimum": 1, "maximum": 8}]},
    {"allOf": [{"type": "string", "pattern": "a"}, {"pattern": "b"}]},
    {"type": "object", "properties": {"p": {"type": "string"}, "q": {"type": "string"}},
     "anyOf": [{"required": ["p"]}, {"required": ["q"]}]},
)  # fmt: skip
_PROPERTY_NAMES = ("a", "b", "n-o", "9x")


def _objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {"type": st.just("object"), "properties": st.dictionaries(st.sampled_from(_PROPERTY_NAMES), inner)},
        optional={
            "required": st.lists(st.sampled_from((*_PROPERTY_NAMES, "missing")), unique=True, max_size=3),
            "additionalProperties": st.booleans(),
        },
    )


_schemas = st.recursive(
    st.sampled_from(_LEAVES),
    lambda inner: (
        _objects(inner)
        | st.builds(lambda items: {"type": "array", "items": items}, inner)
        | st.builds(
            lambda key, parts: {key: parts},
            st.sampled_from(("anyOf", "oneOf")),
            st.lists(inner, min_size=2, max_size=3),
        )
        | st.builds(lambda parts: {"allOf": parts}, st.lists(_objects(inner), min_size=2, max_size=2))
    ),
    max_leaves=6,
)
input_schemas = _objects(_schemas).map(lambda schema: {**schema, "$defs": _DEFINITIONS})
"""Valid input schemas in which providers differ: references, combinators, bounds, open and untyped places."""


_FITTING: tuple[tuple[Any, Any], ...] = (
    ({"type": "string"}, "a"),
    ({"type": "integer"}, 5),
    ({"enum": ["a", "b"]}, "b"),
    ({"const": 5}, 5),
    ({"type": ["string", "integer"]}, 1),
    ({"type": "integer", "minimum": 2}, 2),
    ({"$ref": "#/$defs/Name"}, "Ana"),
    ({"$ref": "#/$defs/Name", "description": "Whose."}, "Ana"),
    ({"$ref": "#/$defs/Point", "required": ["x"]}, {"x": 1}),
    ({"allOf": [{"$ref": "#/$defs/Point"}], "description": "Where."}, {"x": 1, "at": "b"}),
    ({"allOf": [{"type": "integer", "minimum": 5}, {"type": "number", "minimum": 1, "maximum": 8}]}, 5),
    ({"type": "object", "properties": {"p": {"type": "string"}, "q": {"type": "string"}},
      "anyOf": [{"required": ["p"]}, {"required": ["q"]}]}, {"q": "a"}),
    ({"type": "object", "properties": {"p": {"$ref": "#/$defs/Name"}}, "required": ["p"],
      "allOf": [{"properties": {"q": {"type": "string"}}, "required": ["q"]}]}, {"p": "a", "q": "b"}),
)  # fmt: skip


@st.composite
def _fitting_objects(draw: st.DrawFn, inner: st.SearchStrategy[tuple[Any, Any]]) -> tuple[Any, Any]:
    parts = draw(st.dictionaries(st.sampled_from(("a", "b", "c")), inner, min_size=1, max_size=3))
    required = draw(st.lists(st.sampled_from(sorted(parts)), unique=True))
    given = set(required) | set(draw(st.lists(st.sampled_from(sorted(parts)))))
    schema = {
        "type": "object",
        "properties": {name: part[0] for name, part in parts.items()},
        "required": required,
        "additionalProperties": False,
    }
    return schema, {name: parts[name][1] for name in given}


_fitting = st.recursive(
    st.sampled_from(_FITTING),
    lambda inner: (
        _fitting_objects(inner)
        | st.builds(lambda one: ({"type": "array", "items": one[0]}, [one[1]]), inner)
        | st.builds(lambda one, other: ({"anyOf": [other[0], one[0]]}, one[1]), inner, inner)
    ),
    max_leaves=4,
)
schemas_with_arguments = _fitting_objects(_fitting).map(
    lambda pair: ({**pair[0], "$defs": _DEFINITIONS}, pair[1])
)
"""An input schema, most of which every target can say, and arguments that fit it."""
