"""The base class of worlds: plain data as state, and methods that are tools."""

from __future__ import annotations

import copy
import dataclasses
import inspect
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from pkgutil import iter_modules
from typing import Annotated, Any, ClassVar, Self

import msgspec

from rightcall.core.errors import ConfigError, suggestion
from rightcall.core.options import described
from rightcall.core.seam import Limb, Schema
from rightcall.tools.definitions.behaviour import Behaviour, CallInfo, only_reads
from rightcall.tools.definitions.function import FunctionTool, Late
from rightcall.tools.runtime.bound_tool import BoundTool, RunnableTool
from rightcall.tools.runtime.context import CallContext
from rightcall.tools.runtime.errors import ToolError


class World:
    """A simulated environment. Subclasses define `name`, `initial()` and methods decorated with `@tool`.

    The state is plain data in `self.data`; tools change it in place. `idempotent=False` removes the keys from
    the tools, to see what an agent does without their protection.
    """

    name: ClassVar[str]

    def __init__(self, state: dict[str, Any] | None = None, *, idempotent: bool = True) -> None:
        start_state = state or {}
        start = self.initial()
        if unknown := [key for key in start_state if key not in start]:
            raise ConfigError(f"world '{self.name}': unknown part '{unknown[0]}'; known: {', '.join(start)}")
        self._start: dict[str, Any] = copy.deepcopy({**start, **start_state})
        self.data: dict[str, Any] = copy.deepcopy(self._start)
        self.idempotent = idempotent

    @classmethod
    def initial(cls) -> dict[str, Any]:
        """The state of an empty world: its parts, each of its type."""
        raise NotImplementedError

    def fresh(self) -> Self:
        """A copy of this world in its initial state, sharing nothing with it."""
        return type(self)(self._start, idempotent=self.idempotent)

    def state(self) -> dict[str, Any]:
        """A copy of the state as plain data."""
        return copy.deepcopy(self.data)

    def start(self) -> dict[str, Any]:
        """A copy of the state at the start."""
        return copy.deepcopy(self._start)

    def next_id(self, prefix: str, existing: Any) -> str:
        """`prefix1`, `prefix2`, …: the same in every trial."""
        return f"{prefix}{len(existing) + 1}"

    def look_up(self, part: str, key: str, what: str, hint: str) -> Any:
        """An entry of a part of the state; a `ToolError` with the hint when there is none."""
        if key not in self.data[part]:
            raise ToolError("not_found", f"there is no {what} '{key}'", hint)
        return self.data[part][key]

    def entries(self) -> list[BoundTool]:
        """The world's tools for a toolbox."""
        return [self._entry(function_tool) for function_tool in self.tools()]

    def tools(self) -> list[FunctionTool]:
        """The methods that are tools, in the order they are written."""
        function_tools = [value for value in vars(type(self)).values() if isinstance(value, FunctionTool)]
        return function_tools if self.idempotent else list(map(_without_keys, function_tools))

    def _entry(self, function_tool: FunctionTool) -> BoundTool:
        def ready(context: CallContext) -> RunnableTool:
            world: World = context.worlds[self.name]
            bound = function_tool.bound(world)
            behaviour = function_tool.behaviour
            return RunnableTool(
                partial(world._run, bound),
                _bind(behaviour.probe, world),
                _bind(behaviour.current_version, world),
                _bind(behaviour.preview, world),
            )

        return BoundTool(function_tool.tool, function_tool.behaviour, ready)

    async def _run(
        self, bound: FunctionTool, arguments: dict[str, Any], info: CallInfo, context: CallContext, late: Late
    ) -> Any:
        before = None if only_reads(bound.tool.annotations) else self.state()
        try:
            result = bound.function(**bound.keywords(arguments, info))
        except Exception as error:
            if before is not None and before != self.data:
                info.acted()
            elif isinstance(error, ToolError) and error.effect is None:
                error.effect = "none"
            raise
        return copy.deepcopy(result)


def _bind(function: Callable[..., Any] | None, world: World) -> Callable[..., Any] | None:
    return None if function is None else partial(function, world)


def _without_keys(function_tool: FunctionTool) -> FunctionTool:
    """The same tool without a key: every call is executed."""
    behaviour = function_tool.behaviour
    if behaviour.idempotency == "none":
        return function_tool
    schema = dict(function_tool.tool.input_schema)
    parameter = behaviour.key_parameter
    schema["properties"] = {n: s for n, s in schema["properties"].items() if n != parameter}
    schema["required"] = [name for name in schema.get("required", ()) if name != parameter]
    bare: Behaviour = msgspec.structs.replace(behaviour, idempotency="none", probe=None, batch="")
    annotations = msgspec.structs.replace(function_tool.tool.annotations, idempotent=False)
    tool = msgspec.structs.replace(function_tool.tool, input_schema=schema, annotations=annotations)
    return dataclasses.replace(function_tool, tool=tool, behaviour=bare)


@cache
def worlds() -> dict[str, type[World]]:
    """Every world by its name."""
    import rightcall.tools.worlds as shelf

    for module in iter_modules(shelf.__path__):
        import_module(f"{shelf.__name__}.{module.name}")
    kinds = [kind for kind in World.__subclasses__() if kind.__module__.startswith(shelf.__name__)]
    return {kind.name: kind for kind in sorted(kinds, key=lambda kind: kind.name)}


def make_world(name: str, state: dict[str, Any] | None = None) -> World:
    """A world by its name, as a suite gives it."""
    kinds = worlds()
    if name not in kinds:
        hint = suggestion(name, kinds) or f"known: {', '.join(kinds)}"
        raise ConfigError(f"no such world '{name}'; {hint}")
    return kinds[name](state)


class WorldsLimb(Limb):
    """`worlds` of a suite."""

    block = Annotated[
        dict[str, dict[str, Any] | None],
        described("simulated environments with working tools: bank, mailbox"),
    ]

    def tools(self, block: dict[str, dict[str, Any] | None]) -> list[Any]:
        return [make_world(name, state) for name, state in block.items()]

    def schema(self, ref: object) -> Schema:
        """Each world with its state."""
        types: dict[type, str] = {dict: "object", list: "array"}
        properties = {
            name: {
                "description": inspect.cleandoc(world.__doc__ or ""),
                "type": ["object", "null"],
                "properties": {part: {"type": types[type(empty)]} for part, empty in world.initial().items()},
                "additionalProperties": False,
            }
            for name, world in worlds().items()
        }
        return {"properties": properties, "additionalProperties": False}
