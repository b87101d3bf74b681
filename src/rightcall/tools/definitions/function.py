"""`@tool`: a Python function as a tool.

    @tool
    def get_weather(city: str, units: Literal["celsius", "fahrenheit"] = "celsius") -> dict:
        \"\"\"Current weather for a city. Use get_forecast for future days.\"\"\"

Hints become the schema, the docstring the descriptions, keywords of the decorator the rest. The result is
still the function: calling it calls the function.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import sys
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Unpack, overload

import msgspec

from rightcall.core.declared_values import require_values
from rightcall.core.errors import ConfigError, contain_exits, suggestion
from rightcall.core.event_loop.worker_threads import in_thread
from rightcall.records.approval import CONFIRMATION_PARAMETER
from rightcall.records.tool import Annotations, Tool
from rightcall.tools.definitions.behaviour import Behaviour, BehaviourOptions, CallInfo
from rightcall.tools.definitions.signature import Converter, converter, parse_docstring, schema_of

PLAIN = Behaviour()

Late = Callable[[Any, BaseException | None], None]
"""What hears the result of a call whose caller no longer waits, or what it raised."""

MOST_YIELDED = 100_000
"""Maximum items taken from a generator, so that an endless tool cannot exhaust memory."""

KEY_SCHEMA = {
    "type": "string",
    "minLength": 1,
    "maxLength": 255,
    "description": "Names this operation, written task_action_resource, such as 'order-123_notify_usr_001'. "
    "Use the same key when repeating it, a new one for a new operation.",
}
TOKEN_SCHEMA = {
    "type": "string",
    "description": "The token that confirms exactly this operation. Leave it out in the first call.",
}


@dataclass(eq=False)
class FunctionTool:
    """A function with its `Tool`, its `Behaviour`, and how arguments are turned into Python values."""

    function: Callable[..., Any]
    tool: Tool
    behaviour: Behaviour = PLAIN
    converters: dict[str, Converter] = dataclasses.field(default_factory=dict)
    info_parameter: str = ""
    added: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        functools.update_wrapper(self, self.function)
        self.is_coroutine = inspect.iscoroutinefunction(self.function)

    @property
    def name(self) -> str:
        """The name the model calls."""
        return self.tool.name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def keywords(self, arguments: dict[str, Any], info: CallInfo) -> dict[str, Any]:
        """Validated arguments as the function takes them.

        Raises `ValueError` (also `msgspec.ValidationError`, pydantic's) when a value cannot become the
        hinted type though it fits the schema.
        """
        keywords = {name: value for name, value in arguments.items() if name not in self.added}
        for name, convert in self.converters.items():
            if name in keywords:
                keywords[name] = convert(keywords[name])
        if self.info_parameter:
            keywords[self.info_parameter] = info
        return keywords

    def bound(self, instance: Any) -> FunctionTool:
        """The same tool as a method of an object."""
        return dataclasses.replace(self, function=functools.partial(self.function, instance))


@overload
def tool(function: Callable[..., Any], /) -> FunctionTool: ...


@overload
def tool(
    *,
    name: str = ...,
    description: str = ...,
    title: str = ...,
    read_only: bool | None = ...,
    destructive: bool | None = ...,
    idempotent: bool | None = ...,
    open_world: bool | None = ...,
    roles: Sequence[str] = ...,
    **behaviour: Unpack[BehaviourOptions],
) -> Callable[[Callable[..., Any]], FunctionTool]: ...


def tool(  # noqa: PLR0913  keywords of a decorator
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str = "",
    description: str = "",
    title: str = "",
    read_only: bool | None = None,
    destructive: bool | None = None,
    idempotent: bool | None = None,
    open_world: bool | None = None,
    roles: Sequence[str] = (),
    **behaviour: Unpack[BehaviourOptions],
) -> FunctionTool | Callable[[Callable[..., Any]], FunctionTool]:
    """Turn a function into a tool; with keywords, return a decorator.

    `roles` are those of callers who may use the tool; without any, everybody may.
    `behaviour` takes the fields of `Behaviour`: `idempotency`, `resource_key`, `probe`, `confirmation`, …
    Raises `ConfigError` when a hint has no JSON Schema or a keyword is unknown.
    """

    # Types that are defined inside a function are found among the names around the decorator.
    frame = sys._getframe(1)
    around = dict(frame.f_locals) if frame.f_locals is not frame.f_globals else {}

    def decorate(decorated: Callable[..., Any]) -> FunctionTool:
        own = name or decorated.__name__
        field_names = Behaviour.__struct_fields__
        for key in behaviour:
            if key not in field_names:
                hint = suggestion(key, field_names) or f"known: {', '.join(field_names)}"
                raise ConfigError(f"tool '{own}': unknown keyword '{key}'; {hint}")
        hints = Annotations(read_only, destructive, idempotent, open_world)
        for declared, values in (
            (Behaviour, behaviour),
            (Annotations, msgspec.structs.asdict(hints)),
            (Tool, {"name": own, "description": description, "title": title, "roles": roles}),
        ):
            require_values(f"tool '{own}'", declared, values)
        settings = Behaviour(**behaviour)  # type: ignore[arg-type]
        if idempotent is None and settings.idempotency != "none":
            hints = msgspec.structs.replace(hints, idempotent=True)
        stated = Tool(own, description, title=title, annotations=hints, roles=tuple(roles))
        bound = _function_tool(decorated, stated, settings, around)
        _check_parameters(bound, behaviour)
        return bound

    return decorate(function) if function is not None else decorate


def _function_tool(
    function: Callable[..., Any], stated: Tool, behaviour: Behaviour, around: dict[str, Any]
) -> FunctionTool:
    """`stated` is what the decorator says; the docstring and the hints say the rest."""
    name = stated.name
    words, parameter_words = parse_docstring(function.__doc__)
    hints = _hints(function, name, around)
    properties: dict[str, Any] = {}
    definitions: dict[str, Any] = {}
    converters: dict[str, Converter] = {}
    required = []
    info_parameter = ""
    closed = True
    for parameter in _parameters(function, name):
        hint = hints.get(parameter.name, Any)
        if hint is CallInfo:
            info_parameter = parameter.name
            continue
        if parameter.kind is parameter.VAR_KEYWORD:
            closed = False
            continue
        schema, defined = schema_of(hint, f"tool '{name}', parameter '{parameter.name}'")
        definitions |= defined
        properties[parameter.name] = _describe_parameter(
            schema, parameter, parameter_words.get(parameter.name, ""), name
        )
        if parameter.default is parameter.empty:
            required.append(parameter.name)
        if convert := converter(hint):
            converters[parameter.name] = convert
    added = _add_runtime_parameters(properties, required, behaviour)
    input_schema: dict[str, Any] = {"type": "object", "properties": properties}
    input_schema |= {"required": required} if required else {}
    input_schema |= {"additionalProperties": False} if closed else {}
    input_schema |= {"$defs": definitions} if definitions else {}
    definition = msgspec.structs.replace(
        stated,
        description=stated.description or words,
        input_schema=input_schema,
        output_schema=_output_schema(hints, name),
    )
    return FunctionTool(
        function, definition, behaviour, converters, info_parameter=info_parameter, added=added
    )


NAMES_OF_PARAMETERS = ("key_parameter", "version_parameter", "batch", "resource_key", "volatile")
"""The keywords of a behaviour that name parameters of the function."""


def _check_parameters(tool: FunctionTool, keywords: Mapping[str, Any]) -> None:
    """Raise `ConfigError` for a keyword that names a parameter that the function does not have."""
    function_parameters = [name for name in tool.tool.parameters if name not in tool.added]
    problems = []
    for keyword in NAMES_OF_PARAMETERS:
        names = keywords.get(keyword) or ()
        for name in (names,) if isinstance(names, str) else () if callable(names) else names:
            if (name not in function_parameters and tool.tool.lacks(name)) or name in tool.added:
                hint = (
                    suggestion(name, function_parameters)
                    or f"its parameters: {', '.join(function_parameters) or 'none'}"
                )
                problems.append(
                    f"tool '{tool.name}': {keyword} '{name}' is no parameter of the function; {hint}"
                )
    if problems:
        raise ConfigError(*problems)


def _hints(function: Callable[..., Any], name: str, around: dict[str, Any]) -> dict[str, Any]:
    try:
        return typing.get_type_hints(inspect.unwrap(function), localns=around or None, include_extras=True)
    except (NameError, AttributeError, TypeError) as error:
        raise ConfigError(
            f"tool '{name}': a type hint cannot be resolved: {error}; define the type at module level"
        ) from None


def _parameters(function: Callable[..., Any], name: str) -> list[inspect.Parameter]:
    parameters = list(inspect.signature(function).parameters.values())
    if parameters and parameters[0].name in ("self", "cls"):
        parameters = parameters[1:]
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.POSITIONAL_ONLY):
            raise ConfigError(f"tool '{name}': parameter '{parameter.name}' has no name a model could use")
    return parameters


def _describe_parameter(
    schema: dict[str, Any], parameter: inspect.Parameter, words: str, name: str
) -> dict[str, Any]:
    described = dict(schema)
    if words and not described.get("description"):
        described["description"] = words
    if parameter.default is not parameter.empty and parameter.default is not None:
        try:
            described["default"] = msgspec.to_builtins(parameter.default)
        except TypeError:
            raise ConfigError(
                f"tool '{name}': the default of '{parameter.name}' is not JSON; use None instead"
            ) from None
    return described


def _add_runtime_parameters(
    properties: dict[str, Any], required: list[str], behaviour: Behaviour
) -> frozenset[str]:
    """Parameters the runtime needs and the function does not take."""
    added = set()
    if behaviour.idempotency == "key":
        if behaviour.key_parameter not in properties:
            added.add(behaviour.key_parameter)
            properties[behaviour.key_parameter] = KEY_SCHEMA
        elif not properties[behaviour.key_parameter].get("description"):
            properties[behaviour.key_parameter] |= {"description": KEY_SCHEMA["description"]}
        if behaviour.key_parameter not in required:
            required.append(behaviour.key_parameter)
    if behaviour.confirmation != "none" and CONFIRMATION_PARAMETER not in properties:
        added.add(CONFIRMATION_PARAMETER)
        properties[CONFIRMATION_PARAMETER] = TOKEN_SCHEMA
    if behaviour.current_version is not None and behaviour.version_parameter not in properties:
        added.add(behaviour.version_parameter)
        properties[behaviour.version_parameter] = {"description": "The version this change is based on."}
        required.append(behaviour.version_parameter)
    return frozenset(added)


def _output_schema(hints: dict[str, Any], name: str) -> dict[str, Any] | None:
    """The schema of a result with declared fields; plain dicts, lists and strings have none."""
    hint = hints.get("return")
    if hint is None or not isinstance(hint, type) or hint.__module__ in ("builtins", "typing"):
        return None
    try:
        schema, definitions = schema_of(hint, f"tool '{name}', result")
    except ConfigError:
        return None
    if schema.get("type") != "object":
        return None
    return {**schema, "$defs": definitions} if definitions else schema


async def call_function(function: Callable[[], Any], late: Late | None = None) -> Any:
    """Call a function without arguments, sync or async, and return its result."""
    with contain_exits():
        return await _call_blocking(function, late)


async def _call_blocking(function: Callable[[], Any], late: Late | None) -> Any:
    kind = innermost(function)
    if inspect.iscoroutinefunction(kind):
        return await function()
    if inspect.isasyncgenfunction(kind):
        items = []
        async for item in function():
            items.append(item)
            if len(items) >= MOST_YIELDED:
                break
        return _join_items(items)
    if inspect.isgeneratorfunction(kind):
        return await in_thread(lambda: _join_items(list(islice(function(), MOST_YIELDED))), when_late=late)
    result = await in_thread(function, when_late=late)
    return await result if inspect.isawaitable(result) else result


def innermost(function: Any) -> Any:
    """The function inside partials and callable objects."""
    while isinstance(function, partial):
        function = function.func
    if not inspect.isroutine(function) and not inspect.isclass(function):
        function = getattr(function, "function", None) or getattr(function, "__call__", function)  # noqa: B004
    return innermost(function) if isinstance(function, partial) else function


def _join_items(items: list[Any]) -> Any:
    """The values of a generator: joined if they are text, otherwise as a list."""
    return "".join(items) if items and all(isinstance(item, str) for item in items) else items
