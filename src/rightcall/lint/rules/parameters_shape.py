"""How many parameters there are, how deep they lie, which are required, and types that leave too much open."""

from __future__ import annotations

import re

from rightcall.core.words import word_set
from rightcall.lint.features.schemas import Node
from rightcall.lint.features.tool import INPUT, ToolFeatures
from rightcall.lint.rule import Edit, Finding, Findings, tool_rule
from rightcall.schema.provider_limits import lower_limits

DEEP = 3
TOO_DEEP = 10

MANY = 10
_ALSO = frozenset(("minProperties", "anyOf", "oneOf", "allOf", "if", "dependentRequired"))


def _nested(levels: int) -> dict[str, object]:
    inner: dict[str, object] = {"type": "string", "description": "Name of the sensor as its maker gives it."}
    for name in ("sensor", "mast", "site")[:levels]:
        inner = {
            "type": "object",
            "description": f"The {name} to read from, with what belongs to it.",
            "properties": {f"{name}_part": inner},
            "additionalProperties": False,
        }
    return inner


@tool_rule(
    "TD310",
    "warning",
    bad={"input_schema": {"properties": {"network": _nested(3)}}},
    good={"input_schema": {"properties": {"network": _nested(2)}}},
    sources=("OAI-so",),
)
def deep_nesting(tool: ToolFeatures) -> Findings:
    """A property is more than 3 levels deep (more than 10: error).

    Each level is another chance to close a brace too early or put a field in the wrong object. OpenAI rejects
    more than 10 levels in strict mode.
    """
    deepest = max(tool.properties, key=lambda node: node.depth, default=None)
    if deepest is None or deepest.depth <= DEEP:
        return
    refused = lower_limits(tool.targets, "levels", deepest.depth)
    names = ".".join(
        str(deepest.path[i + 1]) for i, part in enumerate(deepest.path[:-1]) if part == "properties"
    )
    yield Finding(
        deepest.path,
        f"{deepest.depth} levels deep: {names}",
        "flatten it, or split the tool",
        severity="error" if refused or deepest.depth > TOO_DEEP else None,
    )


@tool_rule(
    "TD311",
    "warning",
    bad={
        "input_schema": {
            "properties": {
                f"with_{name}": {"type": "boolean", "description": f"Whether {name} belongs into the answer."}
                for name in ["wind", "rain", "snow", "fog", "hail", "frost", "pollen", "tides", "sunrise"]
            }
        }
    },
    sources=("SM1",),
)
def many_params(tool: ToolFeatures) -> Findings:
    """More than 10 parameters.

    With many parameters a model leaves out the one that mattered or fills in ones that should stay empty. No
    provider rejects such a tool, so it is never an error; limits of strict modes are checked by strict-limits.
    """
    count = len(tool.parameters)
    if count > MANY:
        yield Finding(
            (*INPUT, "properties"),
            f"{count} parameters",
            "split the tool by purpose, or remove what the program already knows",
        )


@tool_rule("TD312", "warning", sources=("OAI-fc", "measured"))
def none_required(tool: ToolFeatures) -> Findings:
    """Parameters without which the call makes no sense, and none of them is required.

    The model may call `get_order` without an order. Tools that only take options, such as filters of a list,
    are not reported: this warns about tools whose only parameter is an id, and gives an info for tools with
    an effect.

    Fails: {"input_schema": {
      "properties": {
        "city": null,
        "days": null,
        "station_id": {"type": "string", "description": "Identifier painted on the mast, five letters."}
      },
      "required": null
    }}
    """
    if (
        tool.required
        or not tool.parameters
        or tool.schema.get("required")
        or not _ALSO.isdisjoint(tool.schema)
    ):
        return
    # A reader or lister with only options is right to require nothing: what gives it away is a parameter
    # that says which thing is meant.
    for node in tool.parameters:
        identifies = node.name.lower().endswith(("_id", "id")) and len(tool.parameters) == 1
        optional = "default" in node.schema or _OMISSION.search(node.text) is not None
        # `list_sections`, `get_sections_list`: without the id it gives all of them.
        lists = tool.effect.verb in ("list", "search") or "list" in tool.name_tokens
        if identifies and not optional and not lists:
            yield Finding(
                INPUT, f"nothing is required, not even '{node.name}'", f'add "required": ["{node.name}"]'
            )
            return
    if tool.effect.is_write and not any("default" in node.schema for node in tool.parameters):
        yield Finding(
            INPUT,
            "nothing is required of a tool that changes something",
            'list what it needs in "required"',
            severity="info",
        )


_OMISSION = re.compile(
    r"\boptional|\b(?:if|when) (?:it is |it's )?(?:not |un|left )?(?:provided|specified|given|supplied|set|passed|omitted"
    r"|missing|empty|absent|blank|out)\b|\bomit\w*\b|\bdefault|\bleave (?:it )?(?:empty|blank|out)\b|\bwithout (?:it|an? id)\b",
    re.I,
)
"""The text says what happens without it."""


@tool_rule("TD313", "info", fix="suggested", sources=("JSON",))
def required_with_default(tool: ToolFeatures) -> Findings:
    """A required property has a `default`.

    A default is used when the argument is left out, which `required` forbids. The model does not know whether
    it may leave it out.

    Fails: {"input_schema": {"properties": {"days": {"default": 7}}}}
    """
    for node in tool.properties if "openai-strict" not in tool.targets else ():
        if node.required and "default" in node.schema and node.parent is not None:
            names = [name for name in node.parent.schema["required"] if name != node.name]
            yield Finding(
                node.path,
                f"'{node.name}' is required and has a default",
                "drop one of the two",
                edits=(Edit((*node.parent.path, "required"), names),),
            )


_OPTIONAL = re.compile(
    r"^\W*optional\b|\(optional\)|, optional\.?$|\bthis (?:parameter |field |argument )?is optional\b", re.I
)
_REQUIRED = re.compile(
    r"^\W*(?:required|mandatory)[\s.:,;)-]|\((?:required|mandatory)\)|\bthis (?:parameter |field |argument )?"
    r"is (?:required|mandatory)(?:\.|$)",
    re.I,
)
_KEYS = re.compile(r"\n[^\S\n]*(?:[-*•]|\d+[.)])\s")
_CONDITION_BEFORE = re.compile(r"\b(?:if|when|unless)\b[^.;\n]*$", re.I)
_CONDITION_AFTER = re.compile(
    r"[\s,]*(?:if|when|whenever|unless|for|with|by|in|on|only|to|where|depending|as|but|except)\b", re.I
)


@tool_rule("TD314", "warning", fix="suggested", sources=("SM2",))
def required_vs_prose(tool: ToolFeatures) -> Findings:
    """The text says optional and the schema required, or the other way round.

    The model follows one, the validator the other. When the text is right, an optional value is invented to
    satisfy the schema.

    Fails: {"input_schema": {"properties": {"days": {"description": "Optional. How many days ahead, counted from tomorrow."}}}}
    """
    for node in tool.properties:
        if node.required and _says(_OPTIONAL, node) and node.parent is not None:
            names = [name for name in node.parent.schema["required"] if name != node.name]
            yield Finding(
                node.path,
                f"'{node.name}' is required, its text says optional",
                "make the two agree",
                edits=(Edit((*node.parent.path, "required"), names),),
            )
        elif not node.required and _says(_REQUIRED, node) and "default" not in node.schema:
            yield Finding(
                node.path,
                f"'{node.name}' is not required, its text says it is",
                "make the two agree",
                edits=_require_parameter(node),
            )


def _says(pattern: re.Pattern[str], node: Node) -> bool:
    """Does the text say it of the parameter itself, and without a condition? A list in it is about its keys."""
    text = _KEYS.split(node.text, maxsplit=1)[0]
    match = pattern.search(text)
    if match is not None and match.start() and node.schema.get("type") in ("array", "object"):
        return False  # “each should have a name (required)”
    return (
        match is not None
        and not _CONDITION_BEFORE.search(text[: match.start()])
        and not _CONDITION_AFTER.match(text, match.end())
    )


def _require_parameter(node: Node) -> tuple[Edit, ...]:
    if node.parent is None:
        return ()
    listed = node.parent.schema.get("required", [])
    return (Edit((*node.parent.path, "required"), [*listed, node.name]),) if isinstance(listed, list) else ()


_TYPING = word_set("""
    type enum const anyOf oneOf allOf $ref not if properties items prefixItems patternProperties $dynamicRef
    """)

_ITEMS = frozenset(("items", "prefixItems"))
_REFUSING = frozenset(("gemini", "openai-strict"))


@tool_rule("TD303", "warning", sources=("CISCO", "JSON"))
def untyped_parameter(tool: ToolFeatures) -> Findings:
    """A property has neither a type nor an enum, a variant or a reference.

    Anything is valid, so the model sends text where a list was meant, and the mistake is noticed only when
    the tool runs.

    Fails: {"input_schema": {"properties": {"city": {"type": null}}}}
    """
    for node in tool.properties:
        if _TYPING.isdisjoint(node.schema):
            yield Finding(
                node.path,
                f"'{node.name}' has no type",
                "say which: string, number, integer, boolean, object, array",
            )


@tool_rule("TD307", "warning", sources=("OAI-so", "GEM"))
def array_no_items(tool: ToolFeatures) -> Findings:
    """An array has no `items`.

    The model does not know whether to send texts or objects. OpenAI in strict mode and Gemini reject such a
    schema; then it is an error.

    Fails: {"input_schema": {"properties": {"hours": {"type": "array", "description": "Hours of the day to report on."}}}}
    Passes: {"input_schema": {"properties": {"hours": {
      "type": "array", "items": {"type": "integer"}, "description": "Hours of the day to report on."
    }}}}
    """
    for node in tool.nodes:
        if node.schema.get("type") not in ("array", "list") or not _ITEMS.isdisjoint(node.schema):
            continue
        refusing = sorted(tool.targets & _REFUSING)
        message = f"'{node.name or 'a list'}' does not say what it is a list of"
        if refusing:
            message += f"; {', '.join(refusing)} {'rejects' if len(refusing) == 1 else 'reject'} that"
        yield Finding(node.path, message, 'add "items"', severity="error" if refusing else None)


_SHAPE = ("properties", "patternProperties", "$ref", "anyOf", "oneOf", "allOf", "enum", "const")

_EXAMPLE = re.compile(r"\{\s*[\"'“]?[$\w]+[\"'”]?\s*:")

_FREE_BY_NATURE = word_set("""
    headers metadata labels tags attributes env environment params cookies extra annotations schema json_schema row rows
    record records customdata custom_data customfields custom_fields customproperties custom_properties userdata user_data
    translations
    """)
_KEYS_SAID = re.compile(
    r"\b(?:any|arbitrary|additional|custom|own)\b[^.]* key[- /]?values?\b|\bkey[- /]value data\b|\bkeys? (?:are|is|being|must be)\b|\bmap(?:ping|s)? (?:of|from|\w+ to)\b|\bkeyed by\b"
    r"|\b(?:arbitrary|custom|user-defined|your own) (?:\w+ ){0,3}(?:data|fields|keys|properties|metadata|attributes|pairs)\b",
    re.I,
)
"""The caller chooses the keys, or the text says what they are."""


@tool_rule("TD308", "warning", sources=("OAI-so",))
def free_form_object(tool: ToolFeatures) -> Findings:
    """An object has no properties and allows anything.

    The model must invent the keys. `filters: object` gets `{"name": …}` today and `{"filter_by_name": …}`
    tomorrow. An object that maps free keys to one kind of value says so with `additionalProperties`. An info
    for headers, labels, custom data and the like, and when the text shows an example or says what the keys are.

    Fails: {"input_schema": {"properties": {"filters": {
      "type": "object", "description": "Conditions the entries must meet."
    }}}}
    """
    for node in tool.nodes:
        if node.parent is None or node.schema.get("type") not in ("object", "dict"):
            continue
        if any(key in node.schema for key in _SHAPE):
            continue
        extra = node.schema.get("additionalProperties", True)
        if extra is True or extra == {}:
            thing = f"'{node.name}'" if node.name else _without_name(node)
            of_list = node.part == "items" and node.path[-1] == "items"
            label = (node.parent.name if of_list else node.name).lower()
            shown = "examples" in node.schema or _EXAMPLE.search(node.text) or _KEYS_SAID.search(node.text)
            yield Finding(
                node.path,
                f"{thing} is an object without known fields",
                "declare them, or say with additionalProperties what the values are",
                severity="info" if shown or label in _FREE_BY_NATURE else None,
            )


def _without_name(node: Node) -> str:
    """What to call the items of a list, or an alternative: by the nearest name above."""
    holder = node.parent
    while holder is not None and not holder.name:
        holder = holder.parent
    name = f"'{holder.name}'" if holder is not None else "the arguments"
    return f"each item of {name}" if node.path[-1] == "items" else f"a form of {name}"


_SQUEEZED = re.compile(
    r"\b(?:comma|semicolon|space|pipe)[- ](?:separated|delimited) (?:list|values|string of|set|\w+s)\b"
    r"|\b(?:json|stringified)[- ](?:string|encoded|formatted string|object|array)\b|\bstringified\b|\bserialized json\b"
    r"|\bencoded as json\b",
    re.I,
)
_NOT_A_LIST = re.compile(
    r"\b(?:lat(?:itude)?|longitude|coordinates?|city|address|csv (?:data|file|content)|last name)\b", re.I
)


@tool_rule("TD316", "warning", sources=("OAI-fc",))
def stringly_typed(tool: ToolFeatures) -> Findings:
    """A string is described as comma-separated or as JSON.

    The model must escape by hand what JSON could represent directly, and validators cannot look inside.

    Fails: {"input_schema": {"properties": {"stations": {
      "type": "string", "description": "Comma-separated names to report on."
    }}}}
    Passes: {"input_schema": {"properties": {"stations": {
      "type": "array", "items": {"type": "string"}, "description": "Names to report on."
    }}}}
    """
    for node in tool.properties:
        if node.schema.get("type") in ("string", "str") and (match := _SQUEEZED.search(node.text)):
            if _NOT_A_LIST.search(node.text) or "enum" in node.schema:
                continue
            yield Finding(
                node.path,
                f"'{node.name}' is a string that contains a structure ({match.group().lower()})",
                "declare it as an array or an object",
            )
