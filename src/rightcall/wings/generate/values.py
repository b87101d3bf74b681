"""Arguments that are valid for a tool's schema and plausible for a person to ask for."""

from __future__ import annotations

import random
import re
from typing import Any, Literal

from rightcall.core.words import name_tokens, word_set
from rightcall.model.tool import Tool
from rightcall.schema.sample_values import sample_value
from rightcall.schema.types import is_number
from rightcall.tools.definitions.validate import fits, is_valid
from rightcall.wings.generate.documented_values import examples_in, longest_in, prefix_in, topics_in
from rightcall.wings.generate.parameter_roles import choices_of, is_default
from rightcall.wings.generate.patterns import text_fitting
from rightcall.wings.generate.pools import (
    ANY_SCRIPT,
    CITIES,
    FREE_TEXT,
    PLACES,
    UNUSUAL,
    Language,
    coordinate_of,
    is_pool,
    pool,
)
from rightcall.wings.generate.scalars import (
    FRACTIONS,
    LARGEST_EDGE,
    Calendar,
    date_form,
    in_order,
    sample_number,
)
from rightcall.wings.generate.schema_parts import (
    about,
    item_schema,
    json_type,
    parameter_schema,
    singular,
    text_of,
    without_null,
)
from rightcall.wings.generate.understood_values import fillable_properties, values_in_definition
from rightcall.wings.generate.value_kinds import kind_of

Flavour = Literal["plain", "boundary", "unicode"]
ATTEMPTS = 12
LONGEST_TEXT = 80
DEEPEST = 4
_PLACES = (("index",), ("idx",), ("position",))
MOMENTS = {"date": "%Y-%m-%d", "time": "%H:%M", "date-time": "%Y-%m-%dT%H:%M:00Z", "unix_time": ""}
PATH_KINDS = word_set("path source folder image audio video workbook document presentation csv pdf json")
NAME_KINDS = word_set("name project title venue")


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
        maker = _Maker(tool, rng, language, flavour)
        arguments = dict(fixed or {})
        for name in tool.parameters:
            if name in names and name not in arguments:
                arguments[name] = maker.argument(name)
        arguments = in_order({name: arguments[name] for name in tool.parameters if name in arguments})
        is_odd = _repeats_a_choice(tool, arguments) or _repeats_a_place(arguments)
        if is_valid(tool, arguments) and not (is_odd and attempt < ATTEMPTS - 1):
            return arguments
    return None


def has_bounds(tool: Tool, name: str) -> bool:
    """Whether a parameter's schema limits its size or length to what a request can reach."""
    schema = parameter_schema(tool, name)
    if json_type(schema) in ("integer", "number"):
        has_plain_edge = coordinate_of(name) or "page" in name_tokens(name)  # the first page is the usual one
        return not has_plain_edge and any(
            is_number(schema.get(key)) and 0 < abs(schema[key]) <= LARGEST_EDGE
            for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
        )
    if json_type(schema) == "array":
        return is_number(schema.get("minItems")) and schema["minItems"] > 0
    most = schema.get("maxLength", LONGEST_TEXT + 1)
    return is_number(most) and most <= LONGEST_TEXT and kind_of(name, schema, about(tool)) in FREE_TEXT


def _repeats_a_choice(tool: Tool, arguments: dict[str, Any]) -> bool:
    """Whether two parameters with the same choices have the same value: as in converting dollars to dollars."""
    chosen = [(choices_of(tool, name), value) for name, value in arguments.items() if choices_of(tool, name)]
    return any(choice == other for place, choice in enumerate(chosen) for other in chosen[:place])


def _repeats_a_place(arguments: dict[str, Any]) -> bool:
    """Whether two places are the same: as in moving a cell from index 0 to index 0."""
    places = [
        value for name, value in arguments.items() if name_tokens(name)[-1:] in _PLACES and is_number(value)
    ]
    return len(set(places)) < len(places)


class _Maker:
    """Generates values for one tool's parameters; no text twice, as far as its pool allows."""

    def __init__(self, tool: Tool, rng: random.Random, language: Language, flavour: Flavour) -> None:
        self._tool, self._rng, self._language, self._flavour = tool, rng, language, flavour
        self._root, self._about = tool.input_schema, about(tool)
        self._texts: set[str] = set()
        self._calendar = Calendar(self._about, rng)
        country = rng.choice(PLACES)
        self._places = rng.sample(country, len(country))
        self._cities = rng.choice(CITIES)
        self._places_taken: dict[tuple[object, ...], tuple[float, float]] = {}
        self._objects = 0

    def argument(self, name: str) -> Any:
        schema = parameter_schema(self._tool, name)
        for _ in range(ATTEMPTS):
            value = self.value(name, schema, 0)
            if not is_default(self._tool, name, value):
                break
        return value

    def value(self, name: str, schema: Any, depth: int) -> Any:
        if not isinstance(schema, dict) or depth > DEEPEST:
            return sample_value(schema if isinstance(schema, dict) else {"type": "string"}, self._rng)
        schema = without_null(schema, self._root)
        if "const" in schema:
            return schema["const"]
        listed = values_in_definition(schema, self._root.get("properties") or (), name)
        is_tested = self._flavour == "unicode" and kind_of(name, schema, self._about) in ANY_SCRIPT
        if listed and ("enum" in schema or not is_tested):
            return self._fresh([value for value in listed if fits(schema, value, name)] or list(listed))
        for key in ("anyOf", "oneOf"):
            if isinstance(schema.get(key), list) and schema[key]:
                branches = [branch for branch in schema[key] if branch != {"type": "null"}] or schema[key]
                return self.value(name, branches[0], depth + 1)
        return self._value_of_type(name, schema, depth)

    def _value_of_type(  # noqa: PLR0911  a table of types
        self, name: str, schema: dict[str, Any], depth: int
    ) -> Any:
        match json_type(schema):
            case "integer":
                return self._number(name, schema, whole=True)
            case "number":
                return self._number(name, schema, whole=FRACTIONS.isdisjoint(name_tokens(name)))
            case "boolean":
                default = schema.get("default")
                return not default if isinstance(default, bool) else self._rng.random() < 0.8
            case "array":
                return self._array(name, schema, depth)
            case "object":
                return self._object(schema, depth)
            case "null":
                return None
            case _:
                return self._text(name, schema)

    def _number(self, name: str, schema: dict[str, Any], *, whole: bool) -> Any:
        if coordinate_of(name):
            return self._coordinate(name)
        return sample_number(name, schema, self._rng, whole=whole, at_edge=self._flavour == "boundary")

    def _coordinate(self, name: str) -> float:
        """The latitude or longitude of a place; the same place for both of an object or of a prefix."""
        rest = tuple(token for token in name_tokens(name) if not coordinate_of(token))
        place = self._places_taken.setdefault((self._objects, *rest), self._next_place())
        return place[0] if coordinate_of(name) == "lat" else place[1]

    def _next_place(self) -> tuple[float, float]:
        return self._places[len(self._places_taken) % len(self._places)]

    def _text(self, name: str, schema: dict[str, Any]) -> str:
        least, most = int(schema.get("minLength", 0)), int(schema.get("maxLength", LONGEST_TEXT))
        most = min(most, longest_in(text_of(schema)) or most)
        kind = kind_of(name, schema, self._about) or "phrase"
        if kind == "pattern":
            sample = self._fitting_sample(name, schema)
            if sample is not None:
                return sample
            kind = "phrase"
        options = list(self._options(kind, text_of(schema), name))
        fitting = [text for text in options if least <= len(text) <= most]
        if not fitting and is_pool(kind):
            fitting = [text for text in pool(kind, self._language) if least <= len(text) <= most]
        text = str(self._fresh(fitting or options))
        if (
            self._flavour == "boundary"
            and "maxLength" in schema
            and most <= LONGEST_TEXT
            and kind in FREE_TEXT
        ):
            words: str = " ".join(options * (most // 4 + 1))[:most]
            return words if not words.endswith(" ") else f"{words[:-1]}s"
        return text[:most].rstrip().ljust(least, "x")

    def _fitting_sample(self, name: str, schema: dict[str, Any]) -> str | None:
        """A text that matches the schema's pattern: a real date, a usual value, for an identifier any text."""
        text = text_of(schema)
        if form := date_form(schema["pattern"], name):
            return self._calendar.next_moment().strftime(form)
        usual = kind_of(name, {"description": text}, self._about)
        told = examples_in(text) or (self._options(usual, text, name) if usual else ())
        matching = [sample for sample in told if fits(schema, sample, name)]
        if matching:
            return str(self._fresh(matching))
        number = self._rng.randint(1000, 99_999)
        for plain in (str(number), f"k{number}", f"{number:08x}{number:016x}"):
            if fits(schema, plain, name):
                return plain
        sample = text_fitting(schema["pattern"], self._rng)
        return sample if sample is not None and fits(schema, sample, name) else None

    def _options(  # noqa: PLR0911  a table of kinds
        self, kind: str, text: str, name: str
    ) -> tuple[str, ...]:
        rng = self._rng
        moment = self._calendar.next_moment() if kind in MOMENTS else None
        if moment is not None:
            return (str(int(moment.timestamp())) if kind == "unix_time" else moment.strftime(MOMENTS[kind]),)
        computed = {
            "uuid": f"{rng.getrandbits(32):08x}-1b2c-4d3e-8f4a-{rng.getrandbits(48):012x}",
            "code": f"{rng.choice('ABKRTX')}-{rng.randint(100, 9999)}",
            "gid": f"12{rng.randint(10**13, 10**14 - 1)}",
        }
        if kind in ("lat_lon", "lon_lat"):
            place = rng.choice(self._places)
            return (",".join(map(str, place if kind == "lat_lon" else place[::-1])),)
        if kind == "topic":
            return topics_in(self._about)
        if kind == "code" and (prefix := prefix_in(text)):
            return (f"{prefix}{rng.randint(100, 9999)}",)
        if kind == "code" and re.search(r"\bnumeric\b|\binteger\b|\bdigits?\b", text, re.IGNORECASE):
            return (str(rng.randint(1000, 99_999)),)
        if kind in computed:
            return (computed[kind],)
        if self._flavour == "unicode" and kind in ANY_SCRIPT:
            return UNUSUAL.get(kind) or UNUSUAL[""]
        if kind == "city" and self._language == "en":
            return self._cities
        values = pool(kind, self._language)
        if kind in PATH_KINDS and {"filename", "name"}.intersection(name_tokens(name)):
            return tuple(value.rpartition("/")[2] for value in values)
        if kind in PATH_KINDS and re.search(
            r"\babsolute\b|\bfull path\b", f"{text} {self._about}", re.IGNORECASE
        ):
            return tuple(f"/home/ana/{value}" for value in values)
        if kind in NAME_KINDS and re.search(r"\blower-?case\b|\bkebab|\bno spaces\b", text, re.IGNORECASE):
            return tuple(value.casefold().replace(" ", "-") for value in values)
        return values

    def _fresh(self, options: list[Any]) -> Any:
        """One of the options, if possible one that no other parameter has."""
        unused = [option for option in options if not isinstance(option, str) or option not in self._texts]
        chosen = self._rng.choice(unused or options)
        if isinstance(chosen, str):
            self._texts.add(chosen)
        return chosen

    def _array(self, name: str, schema: dict[str, Any], depth: int) -> list[Any]:
        inner = item_schema(schema, self._root) or {"type": "string"}
        least, most = int(schema.get("minItems", 1)), int(schema.get("maxItems", 3))
        usual = (1,) if json_type(inner) in ("object", "array") else (1, 2)
        if (
            re.search(r"\b(?:multiple|several|batch|bulk)\b", self._about, re.IGNORECASE)
            and least < 2 <= most
        ):
            least = 2  # for one there is often another tool
        edges = (max(1, least), min(most, 3)) if self._flavour == "boundary" else usual
        count = min(max(self._rng.choice(edges), least), max(most, least), 20)
        values: list[Any] = []
        for _ in range(ATTEMPTS * max(1, count)):
            if len(values) >= count:
                break
            value = self.value(singular(name), inner, depth + 1)
            if value not in values:
                values.append(value)
        return values

    def _object(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        required = schema.get("required") if isinstance(schema.get("required"), list) else []
        properties = schema.get("properties") if isinstance(schema.get("properties"), dict) else {}
        told = fillable_properties(schema, self._root, self._about, depth)
        names = [name for name in properties or {} if name in (required or ())]
        names = names or [name for name in told if name_tokens(name)[-1] == "id"][:1] or told[:2]
        self._objects += 1
        return in_order({name: self.value(name, (properties or {})[name], depth + 1) for name in names})
