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
    schema, output = tool["input_schema"], tool.get("output_schema")
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
