"""What is known of a suite's tools: which change the world, which are alike, what a call of each needs.

Two calls are the same for a reader with defaults left out, numbers by value and texts by their letters.
"""

from __future__ import annotations

import random
import re
from collections.abc import Hashable, Mapping
from functools import cached_property
from typing import Any

from rightcall.core.words import name_tokens
from rightcall.lint.confusability.pairs import confusable_pairs
from rightcall.lint.confusability.word_use import Wording
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.source.tools import tool_set
from rightcall.metrics.matching.base import equality_key
from rightcall.metrics.value_sources import bare_text
from rightcall.records.call import ToolCall
from rightcall.records.tool import Tool
from rightcall.schema.effects import Effect, effect_of
from rightcall.schema.sample_values import required_values, resolve_schema
from rightcall.tools.definitions.validate import is_valid

_DEFAULT_IN_WORDS = re.compile(
    r"\bdefaults?(?:\s+value)?(?:\s+is|\s+to|\s*[:=])\s*['\"`]?([\w.+-]+(?:\.\w+)?)['\"`]?", re.I
)


class Toolset:
    """The tools that goldens are offered, and facts about them, computed once."""

    def __init__(self, tools: Mapping[str, Tool]) -> None:
        self.tools = tools
        self._effects: dict[str, Effect] = {}
        self._neighbours: dict[str, list[str]] = {}

    @cached_property
    def wording(self) -> Wording:
        """The texts of the tools, compared with each other and with requests."""
        return Wording(list(self.tools.values()))

    def effect(self, name: str) -> Effect:
        """What a tool does to the world, by its hints and its name."""
        if name not in self._effects:
            self._effects[name] = effect_of(name, self.tools.get(name, Tool(name)).annotations)
        return self._effects[name]

    def changes_world(self, name: str) -> bool:
        """Whether a call certainly has an effect."""
        return self.effect(name).is_write

    def repeats_effect(self, name: str) -> bool:
        """Whether a second call certainly has a second effect: not what merely sets a state, nor what has a key."""
        tool = self.tools.get(name)
        effect = self.effect(name)
        hints = tool.annotations if tool else None
        if hints is not None and hints.idempotent is True:
            return False
        if tool is not None and any("idempotency" in name_tokens(p) for p in tool.parameters):
            return False
        if hints is not None and (hints.idempotent is False or hints.destructive) and not hints.read_only:
            return True
        return effect.kind in ("create", "money")

    def neighbours(self, name: str) -> list[str]:
        """The other tools, the most easily confused first."""
        if name not in self._neighbours:
            others = [other for other in self.tools if other != name]
            ranked = sorted(others, key=lambda other: (-self.wording.likeness(name, other), other))
            self._neighbours[name] = ranked[:10]
        return self._neighbours[name]

    def confusability(self, first: str, second: str) -> float:
        """The linter's score of two tools that may be confused, 0 below its floor."""
        return self._pairs.get(frozenset((first, second)), 0.0)

    @cached_property
    def _pairs(self) -> dict[frozenset[str], float]:
        features = [ToolFeatures(source) for source in tool_set(list(self.tools.values())).tools]
        return {frozenset((p.first.name, p.second.name)): p.score for p in confusable_pairs(features)}

    def parameter(self, tool: str, name: str) -> dict[str, Any]:
        """The schema of a parameter, references followed; empty when it is not known."""
        definition = self.tools.get(tool)
        schema = definition.parameters.get(name) if definition else None
        if definition is None or not isinstance(schema, dict):
            return {}
        return resolve_schema(schema, definition.input_schema)

    def requires(self, tool: str, name: str) -> bool:
        """Whether a parameter must be passed."""
        definition = self.tools.get(tool)
        required = definition.input_schema.get("required") if definition else None
        return isinstance(required, list) and name in required

    def default(self, tool: str, name: str) -> tuple[bool, Any]:
        """Whether the default of a parameter is known, from its schema or in words, and the default."""
        schema = self.parameter(tool, name)
        if "default" in schema:
            return True, schema["default"]
        written = _DEFAULT_IN_WORDS.search(str(schema.get("description", "")))
        return (True, written[1].rstrip(".")) if written else (False, None)

    def accepts(self, tool: str, arguments: Any) -> bool:
        """Whether the tool's schema accepts the arguments; a tool that is not known accepts anything."""
        definition = self.tools.get(tool)
        return definition is None or is_valid(definition, arguments)

    def fill(self, tool: str, known: Mapping[str, Any], seed: str) -> dict[str, Any] | None:
        """Arguments of a call: those known that it takes, and made ones for the rest that it requires."""
        definition = self.tools[tool]
        arguments = {name: value for name, value in known.items() if name in definition.parameters}
        rng = random.Random(seed)  # noqa: S311  the same call every time
        arguments = required_values(definition.input_schema, rng, arguments)
        return arguments if is_valid(definition, arguments) else None


class Toolsets:
    """Facts about tools, computed once for goldens that are offered the same ones."""

    MOST = 100
    """Toolsets kept: some datasets define tools for each golden."""

    def __init__(self) -> None:
        self._toolsets: dict[tuple[str, ...], Toolset] = {}

    def of(self, offered: Mapping[str, Tool]) -> Toolset:
        names = tuple(sorted(offered))
        if names not in self._toolsets or self._toolsets[names].tools != offered:
            if len(self._toolsets) >= self.MOST:
                self._toolsets.clear()
            self._toolsets[names] = Toolset({name: offered[name] for name in names})
        return self._toolsets[names]


def call_key(toolset: Toolset, call: ToolCall, *, defaults_in_words: bool = False) -> Hashable:
    """The same for calls that differ in case, space, punctuation, `1` and `1.0`, or a default that is passed.

    With `defaults_in_words` a default that only the description states counts too.
    """
    tool = toolset.tools.get(call.name)
    defaults = tool.defaults() if tool else {}
    arguments: dict[str, str] = {}
    for name, value in (call.arguments or {}).items():
        schema = toolset.parameter(call.name, name)
        if name in defaults and defaults[name] == value:
            continue
        if defaults_in_words and is_default(toolset, call.name, name, value):
            continue
        arguments[name] = value_key(value, schema)
    return call.name, tuple(sorted(arguments.items()))


def is_default(toolset: Toolset, tool: str, name: str, value: Any) -> bool:
    """Whether a value is the default that the schema or the description states."""
    stated, default = toolset.default(tool, name)
    if not stated or isinstance(value, dict | list):
        return stated and value == default
    if isinstance(value, bool):
        return str(value).casefold() == str(default).casefold()
    return value_key(value, {}) in (value_key(default, {}), value_key(_number(default), {}))


def value_key(value: Any, schema: dict[str, Any]) -> str:
    """A value as text. Choices of an enum keep their case."""
    if isinstance(value, str):
        return value if "enum" in schema else bare_text(value) or value
    if isinstance(value, list):
        return "[" + ",".join(value_key(item, {}) for item in value) + "]"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return repr(float(value)) if abs(value) < 1e15 else str(value)
    return repr(equality_key(value))


def _number(text: Any) -> Any:
    """The number that a default in words writes."""
    try:
        return float(text) if isinstance(text, str) else text
    except ValueError:
        return text
