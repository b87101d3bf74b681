"""Arguments that are valid for a tool's schema and plausible for a person to ask for."""

from __future__ import annotations

import datetime
import random
import re
from typing import Any, Literal

from rightcall.model.tool import Tool
from rightcall.schema.sample_values import resolve_schema, sample_value
from rightcall.tools.definitions.validate import fits, is_valid
from rightcall.wings.generate.patterns import text_fitting
from rightcall.wings.generate.pools import HINTS, UNUSUAL, Language, pool

Flavour = Literal["plain", "boundary", "unicode"]
ATTEMPTS = 12
LONGEST_TEXT = 80
DEEPEST = 4
_RANGES = {
    "days": (1, 14), "nights": (1, 14), "hours": (1, 12), "minutes": (5, 90), "limit": (1, 50), "count": (1, 20),
    "quantity": (1, 12), "guests": (1, 8), "people": (1, 8), "page": (1, 9), "year": (2024, 2031), "month": (1, 12),
    "amount": (5, 900), "price": (5, 900), "percent": (1, 99), "latitude": (-60, 60), "longitude": (-150, 150),
    "rating": (1, 5), "age": (18, 80),
}  # fmt: skip
_TIMED = datetime.date(2027, 1, 4)


def sample_arguments(
    tool: Tool,
    names: frozenset[str],
    rng: random.Random,
    *,
    language: Language = "en",
    flavour: Flavour = "plain",
    fixed: dict[str, Any] | None = None,
) -> dict[str, Any] | None:
    """Arguments with exactly these parameters, valid under the tool's schema; None when none were found.

    `fixed` sets some of them. A parameter with a default gets another value, so that the request matters.
    """
    for attempt in range(ATTEMPTS):
        arguments = dict(fixed or {})
        for name in tool.parameters:
            if name in names and name not in arguments:
                arguments[name] = _argument(tool, name, rng, language, flavour)
        arguments = {name: arguments[name] for name in tool.parameters if name in arguments}
        if is_valid(tool, arguments) and not (_repeats_a_choice(tool, arguments) and attempt < ATTEMPTS - 1):
            return arguments
    return None


def _repeats_a_choice(tool: Tool, arguments: dict[str, Any]) -> bool:
    """Whether two parameters with the same choices have the same value: as in converting dollars to dollars."""
    chosen = [(choices_of(tool, name), value) for name, value in arguments.items() if choices_of(tool, name)]
    return any(choice == other for place, choice in enumerate(chosen) for other in chosen[:place])


def choices_of(tool: Tool, name: str) -> tuple[Any, ...]:
    """The values an enumerated parameter may take; empty when it is not enumerated."""
    schema = resolve_schema(_schema(tool, name), tool.input_schema)
    choices = schema.get("enum")
    return tuple(choices) if isinstance(choices, list) else ()


def is_free_text(tool: Tool, name: str) -> bool:
    """Whether a parameter takes free text, in which case and spacing do not matter."""
    schema = resolve_schema(_schema(tool, name), tool.input_schema)
    closed = any(key in schema for key in ("enum", "const", "pattern", "format"))
    return (
        schema.get("type") == "string"
        and not closed
        and (
            pool_of(name, schema.get("description"))
            not in ("code", "path", "url", "email", "date", "time", "currency")
        )
    )


def has_bounds(tool: Tool, name: str) -> bool:
    """Whether a parameter's schema limits its size or length."""
    schema = resolve_schema(_schema(tool, name), tool.input_schema)
    bounds = (
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "minLength",
        "maxLength",
        "minItems",
    )
    return any(key in schema for key in bounds)


def pool_of(name: str, description: Any = "") -> str:
    """The pool of a parameter's values: by its name, otherwise by its description."""
    for text in (name, description if isinstance(description, str) else ""):
        words = {word.casefold() for word in re.split(r"[_\W]+|(?<=[a-z])(?=[A-Z])", text)}
        pool = next((pool_name for pool_name, hints in HINTS if words & hints), None)
        if pool is not None:
            return pool
    return "phrase"


def _schema(tool: Tool, name: str) -> dict[str, Any]:
    schema = tool.parameters.get(name)
    return schema if isinstance(schema, dict) else {}


def _argument(tool: Tool, name: str, rng: random.Random, language: Language, flavour: Flavour) -> Any:
    maker = _Maker(tool.input_schema, rng, language, flavour)
    schema = _schema(tool, name)
    value = maker.value(name, schema, 0)
    for _ in range(ATTEMPTS):
        if value != resolve_schema(schema, tool.input_schema).get("default", _NOTHING):
            break
        value = maker.value(name, schema, 0)
    return value


_NOTHING = object()


class _Maker:
    """Generates values for one tool's parameters."""

    def __init__(
        self, root: dict[str, Any], rng: random.Random, language: Language, flavour: Flavour
    ) -> None:
        self._root, self._rng, self._language, self._flavour = root, rng, language, flavour

    def value(self, name: str, schema: Any, depth: int) -> Any:
        if not isinstance(schema, dict) or depth > DEEPEST:
            return sample_value(schema if isinstance(schema, dict) else {"type": "string"}, self._rng)
        schema = resolve_schema(schema, self._root)
        if "const" in schema:
            return schema["const"]
        for key in ("enum", "examples"):
            if (
                isinstance(schema.get(key), list)
                and schema[key]
                and (key == "enum" or self._flavour == "plain")
            ):
                return self._rng.choice(schema[key])
        for key in ("anyOf", "oneOf"):
            if isinstance(schema.get(key), list) and schema[key]:
                branches = [branch for branch in schema[key] if branch != {"type": "null"}]
                return self.value(name, self._rng.choice(branches or schema[key]), depth + 1)
        return self._value_of_type(name, schema, depth)

    def _value_of_type(self, name: str, schema: dict[str, Any], depth: int) -> Any:
        kind = schema.get("type", "object" if "properties" in schema else "string")
        kind = (
            next((type_name for type_name in kind if type_name != "null"), "null")
            if isinstance(kind, list)
            else kind
        )
        if kind in ("integer", "number"):
            return self._number(name, schema, whole=kind == "integer")
        if kind == "boolean":
            return self._rng.random() < 0.5
        if kind == "array":
            return self._array(name, schema, depth)
        if kind == "object":
            return self._object(schema, depth)
        return None if kind == "null" else self._text(name, schema)

    def _number(self, name: str, schema: dict[str, Any], *, whole: bool) -> Any:
        step = schema.get("multipleOf", 1 if whole else 0.5)
        step = step if isinstance(step, int | float) and step > 0 else 1
        words = set(re.split(r"[_\W]+", name.casefold()))
        usual = next((_RANGES[word] for word in _RANGES if word in words), (1, 99))
        low, high = _bound(schema, "minimum", step), _bound(schema, "maximum", step)
        if self._flavour == "boundary" and (low is not None or high is not None):
            edge = self._rng.choice([end for end in (low, high) if end is not None])
            return _as_number(edge, whole)
        start = usual[0] if low is None else max(low, min(usual[0], high if high is not None else usual[0]))
        end = usual[1] if high is None else min(high, max(usual[1], start))
        end = max(start, end)
        count = int((end - start) / step)
        return _as_number(start + step * self._rng.randint(0, max(0, min(count, 10_000))), whole)

    def _text(self, name: str, schema: dict[str, Any]) -> str:
        least, most = int(schema.get("minLength", 0)), int(schema.get("maxLength", LONGEST_TEXT))
        if isinstance(schema.get("pattern"), str):
            sample = text_fitting(schema["pattern"], self._rng)
            if sample is not None and fits(schema, sample, name):
                return sample
        if (
            isinstance(schema.get("format"), str)
            and (sample := self._format_sample(schema["format"])) is not None
        ):
            return sample
        chosen = pool_of(name, schema.get("description"))
        if self._flavour == "unicode" and chosen not in (
            "date",
            "time",
            "code",
            "email",
            "phone",
            "url",
            "currency",
        ):
            options: tuple[str, ...] = UNUSUAL
        elif chosen in ("date", "time"):
            options = (self._format_sample(chosen) or "",)
        elif chosen == "code":
            options = (f"{self._rng.choice('ABKRTX')}-{self._rng.randint(100, 9999)}",)
        else:
            options = pool(chosen, self._language)
        fitting = [text for text in options if least <= len(text) <= most] or list(options)
        text = self._rng.choice(fitting)
        if self._flavour == "boundary" and ("minLength" in schema or "maxLength" in schema):
            length = most if "maxLength" in schema and most <= LONGEST_TEXT else max(least, 1)
            text = (text.replace(" ", "") * (length // max(1, len(text.replace(" ", ""))) + 1))[:length]
        return text[:most].rstrip().ljust(least, "x")

    def _format_sample(self, form: str) -> str | None:  # noqa: PLR0911  a table of formats
        day = _TIMED + datetime.timedelta(days=self._rng.randint(0, 700))
        hour = f"{self._rng.randint(6, 21):02}:{self._rng.choice((0, 15, 30, 45)):02}"
        match form:
            case "date":
                return day.isoformat()
            case "time":
                return f"{hour}:00Z" if self._flavour == "boundary" else hour
            case "date-time":
                return f"{day.isoformat()}T{hour}:00Z"
            case "email":
                return self._rng.choice(pool("email", self._language))
            case "uri" | "url":
                return self._rng.choice(pool("url", self._language))
            case "uuid":
                return f"{self._rng.getrandbits(32):08x}-1b2c-4d3e-8f4a-{self._rng.getrandbits(48):012x}"
            case _:
                return None

    def _array(self, name: str, schema: dict[str, Any], depth: int) -> list[Any]:
        least = int(schema.get("minItems", 1))
        most = max(least, min(int(schema.get("maxItems", 3)), max(3, least)))
        count = (
            self._rng.choice((least, most))
            if self._flavour == "boundary"
            else self._rng.randint(max(1, least), most)
        )
        items: list[Any] = []
        for _ in range(ATTEMPTS * max(1, count)):
            if len(items) >= min(count, 20):
                break
            item = self.value(name.removesuffix("s"), schema.get("items", {"type": "string"}), depth + 1)
            if item not in items:
                items.append(item)
        return items

    def _object(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        required = schema.get("required") if isinstance(schema.get("required"), list) else []
        properties = schema.get("properties") if isinstance(schema.get("properties"), dict) else {}
        return {
            name: self.value(name, inner, depth + 1)
            for name, inner in (properties or {}).items()
            if name in (required or ()) or self._rng.random() < 0.3
        }


def _bound(schema: dict[str, Any], word: str, step: float) -> float | None:
    """The smallest or largest value a schema allows, rounded to its step."""
    limit: Any = schema.get(word)
    exclusive: Any = schema.get(f"exclusive{word.capitalize()}")
    upward = word == "minimum"
    ends = [limit] if _is_number(limit) else []
    if _is_number(exclusive):
        ends.append(exclusive + step if upward else exclusive - step)
    if not ends:
        return None
    end = max(ends) if upward else min(ends)
    grid = -(-end // step) * step if upward else end // step * step
    return float(grid) if "multipleOf" in schema else float(end)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _as_number(value: float, whole: bool) -> int | float:
    return int(value) if whole or float(value).is_integer() else round(value, 6)
