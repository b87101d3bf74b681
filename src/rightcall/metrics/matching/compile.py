"""Compiles the arguments of a golden to matchers.

A bare value means exactly that value. An object with one known matcher key, and otherwise only options of that
matcher, is that matcher; any other object is a literal. `{"exact": {…}}` says an object literally.
To add a matcher: write its class in `matchers/` and a line in `KINDS`, or offer it under the entry point
`rightcall.matchers` as a function `(spec, options, scope) -> Matcher`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import msgspec

from rightcall.errors import InputError
from rightcall.metrics.matching.base import Matcher, Scope
from rightcall.metrics.matching.matchers import (
    collections,
    logic,
    numbers,
    references,
    structure,
    text,
    values,
)

Build = Callable[[Any, dict[str, Any], Scope], Matcher]


class Kind(NamedTuple):
    build: Build
    options: frozenset[str] = frozenset()


def compile_matcher(spec: Any, scope: Scope, schema: Any = None) -> Matcher:
    """The matcher for a spec; `schema` is the parameter's, used when goldens match by schema."""
    if isinstance(spec, dict):
        name = matcher_key(spec)
        if name is not None:
            options = {key: value for key, value in spec.items() if key != name}
            return kind_of(name).build(spec[name], options, scope)
    elif callable(spec):
        return values.Function(spec)
    return (
        _by_schema(spec, schema, scope)
        if scope.by_schema and isinstance(schema, dict)
        else values.Exact(spec)
    )


def matcher_key(spec: dict[str, Any]) -> str | None:
    """The one key that makes an object a matcher, or None when it is a literal."""
    known = [key for key in spec if key in KINDS or key in offered_kinds()]
    if len(known) != 1:
        return None
    return known[0] if spec.keys() - {known[0]} <= kind_of(known[0]).options else None


def kind_of(name: str) -> Kind:
    return KINDS[name] if name in KINDS else offered_kinds()[name]


@cache
def offered_kinds() -> dict[str, Kind]:
    """Matchers of importers and other packages, loaded on first use."""
    from importlib.metadata import entry_points

    offered = {
        "bfcl": "rightcall.datasets.importers.bfcl_values:bfcl_matcher",
        "python_function": "rightcall.metrics.matching.matchers.values:described_function",
        "tau": "rightcall.datasets.importers.tau:tau_matcher",
    }
    offered |= {point.name: point.value for point in entry_points(group="rightcall.matchers")}
    return {name: Kind(_loaded_later(target)) for name, target in offered.items()}


def _loaded_later(target: str) -> Build:
    def build(spec: Any, options: dict[str, Any], scope: Scope) -> Matcher:
        module, _, attribute = target.partition(":")
        made: Matcher = getattr(import_module(module), attribute)(spec, options, scope)
        return made

    return build


def _by_schema(spec: Any, schema: dict[str, Any], scope: Scope) -> Matcher:
    """`argument_matching: schema`: the tool's schema says how a bare value is compared."""
    if isinstance(spec, str) and schema.get("format") in ("date", "date-time"):
        return text.Date(spec)
    if isinstance(spec, str) and "enum" in schema:
        return text.Text(spec, frozenset(("case",)))
    if isinstance(spec, list) and schema.get("uniqueItems"):
        return collections.Bag("set", _list("set", spec, scope))
    return values.Exact(spec)


def _list(name: str, spec: Any, scope: Scope) -> list[Matcher]:
    if not isinstance(spec, list | tuple):
        raise wrong(name, "a list", spec)
    return [compile_matcher(item, scope) for item in spec]


def wrong(name: str, wanted: str, found: Any) -> InputError:
    return InputError("", f"matcher '{name}' needs {wanted}, got {structure.json_type(found)}")


def _text_of(name: str, spec: Any) -> str:
    if not isinstance(spec, str):
        raise wrong(name, "a string", spec)
    return spec


def _number(spec: Any, options: dict[str, Any], scope: Scope) -> Matcher:
    given = {**spec, **options} if isinstance(spec, dict) else {"value": spec, **options}
    if unknown := given.keys() - {"value", "abs", "rel"}:
        raise InputError("", f"matcher 'number' has no option '{min(unknown)}'", "use value, abs, rel")
    for key, value in given.items():
        if not numbers.is_number(value) or (key != "value" and value < 0):
            raise wrong(
                "number", f"a number for {key}{'' if key == 'value' else ' that is not negative'}", value
            )
    if "value" not in given:
        raise InputError("", "matcher 'number' needs a value")
    return numbers.Number(**given)


def _text(spec: Any, options: dict[str, Any], scope: Scope) -> Matcher:
    given = {**spec, **options} if isinstance(spec, dict) else {"value": spec, **options}
    ignore = given.get("ignore", [])
    ignore = [ignore] if isinstance(ignore, str) else ignore
    known = {"case", "space", "punctuation", "accents"}
    if not _are_among(ignore, known):
        raise InputError("", f"matcher 'text' can ignore {', '.join(sorted(known))}, got {ignore}")
    return text.Text(_text_of("text", given.get("value")), frozenset(ignore), bool(given.get("nfkc")))


def _are_among(words: Any, known: set[str]) -> bool:
    """Whether it is a list of known words; what a file holds in it may be of any type."""
    return isinstance(words, list | tuple) and all(isinstance(word, str) and word in known for word in words)


def _range(spec: Any, options: dict[str, Any], scope: Scope) -> Matcher:
    ends = (
        (spec.get("min"), spec.get("max"))
        if isinstance(spec, dict) and spec.keys() <= {"min", "max"} and spec
        else tuple(spec)
        if isinstance(spec, list | tuple) and len(spec) == 2
        else None
    )
    if ends is None or not all(end is None or numbers.is_number(end) for end in ends):
        raise wrong("range", "[low, high] or {min, max} in numbers", spec)
    low, high = ends
    if low is not None and high is not None and low > high:
        raise InputError("", f"matcher 'range' from {low} to {high} matches no number", "swap the two")
    return numbers.Range(low, high)


def _flag(name: str, make: Callable[[], Matcher]) -> Build:
    def build(spec: Any, options: dict[str, Any], scope: Scope) -> Matcher:
        if spec is not True:
            raise InputError("", f"matcher '{name}' is written {{\"{name}\": true}}, got {spec!r}",
                             "remove the parameter from args, or use another matcher")  # fmt: skip
        return make()

    return build


def _regex(spec: Any, options: dict[str, Any], scope: Scope) -> Matcher:
    from rightcall.tools.definitions import fullmatch

    return text.Regex(_text_of("regex", spec), fullmatch(spec))


def _type(spec: Any, options: dict[str, Any], scope: Scope) -> Matcher:
    names = [spec] if isinstance(spec, str) else spec
    known = {"string", "number", "integer", "boolean", "object", "array", "null"}
    if not _are_among(names, known):
        raise InputError("", f"matcher 'type' needs one of {', '.join(sorted(known))}, got {spec}")
    return structure.Type(list(names))


def _schema(spec: Any, options: dict[str, Any], scope: Scope) -> Matcher:
    from rightcall.tools.definitions import compiled, fits

    if not isinstance(spec, dict):
        raise wrong("schema", "a JSON Schema", spec)
    compiled(spec, "matcher 'schema'")
    return structure.Schema(spec, lambda value: fits(spec, value, "matcher 'schema'"))


def _date(spec: Any, options: dict[str, Any], scope: Scope) -> Matcher:
    if text.parse_date(_text_of("date", spec)) is None:
        raise InputError("", f"matcher 'date' cannot read '{spec}'", "use the form 2026-03-01")
    return text.Date(spec)


def _object(spec: Any, options: dict[str, Any], scope: Scope) -> Matcher:
    if not isinstance(spec, dict):
        raise wrong("object", "an object of matchers", spec)
    return collections.Object({key: compile_matcher(value, scope) for key, value in spec.items()})


def _ref(spec: Any, options: dict[str, Any], scope: Scope) -> Matcher:
    given = {**spec, **options} if isinstance(spec, dict) else {"call": spec, **options}
    call, path = given.get("call"), given.get("path", "")
    if not isinstance(call, str) or not isinstance(path, str):
        raise wrong("ref", 'an object {"call": id, "path": where}', spec)
    if call not in scope.tool_of:
        raise InputError("", f"matcher 'ref' names the expected call '{call}', which does not exist",
                         f"ids here: {', '.join(scope.tool_of) or 'none'}")  # fmt: skip
    scope.sources.named.add(call)
    return references.Ref(call, path, scope.calls, scope.tool_of[call], scope.sources, scope.negated)


def _not(spec: Any, options: dict[str, Any], scope: Scope) -> Matcher:
    return logic.Not(compile_matcher(spec, msgspec.structs.replace(scope, negated=not scope.negated)))


def _semantic(spec: Any, options: dict[str, Any], scope: Scope) -> Matcher:
    if scope.embed is None:
        raise InputError("", "matcher 'semantic' needs an embedder", "pass embed=… to the scoring function")
    given = {**spec, **options} if isinstance(spec, dict) else {"value": spec, **options}
    threshold = given.get("threshold", 0.8)
    if not numbers.is_number(threshold) or not 0 <= threshold <= 1:
        raise wrong("semantic", "a number from 0 to 1 for threshold", threshold)
    return references.Semantic(_text_of("semantic", given.get("value")), float(threshold), scope.embed)


def _judge(spec: Any, options: dict[str, Any], scope: Scope) -> Matcher:
    if scope.judge is None:
        raise InputError("", "matcher 'judge' needs a judge", "pass judge=… to the scoring function")
    return references.Judge(_text_of("judge", spec), scope.judge)


def _bag(name: str) -> Build:
    return lambda spec, options, scope: collections.Bag(name, _list(name, spec, scope))


def _any_of(name: str) -> Build:
    return lambda spec, options, scope: values.OneOf(_list(name, spec, scope))


KINDS: dict[str, Kind] = {
    "exact": Kind(lambda spec, options, scope: values.Exact(spec)),
    "number": Kind(_number, frozenset(("abs", "rel"))),
    "text": Kind(_text, frozenset(("ignore", "nfkc"))),
    "regex": Kind(_regex),
    "one_of": Kind(_any_of("one_of")),
    "any_of": Kind(_any_of("any_of")),
    "contains": Kind(lambda spec, options, scope: text.Contains(spec)),
    "icontains": Kind(lambda spec, options, scope: text.Contains(spec, any_case=True)),
    "set": Kind(_bag("set")),
    "multiset": Kind(_bag("multiset")),
    "superset_of": Kind(_bag("superset_of")),
    "subset_of": Kind(_bag("subset_of")),
    "object": Kind(_object),
    "items": Kind(lambda spec, options, scope: collections.Items(_list("items", spec, scope))),
    "date": Kind(_date),
    "range": Kind(_range),
    "type": Kind(_type),
    "schema": Kind(_schema),
    "present": Kind(_flag("present", values.Present)),
    "absent": Kind(_flag("absent", values.Absent)),
    "any": Kind(_flag("any", values.Anything)),
    "optional": Kind(lambda spec, options, scope: values.Optional(compile_matcher(spec, scope))),
    "default": Kind(lambda spec, options, scope: values.Default(spec)),
    "ref": Kind(_ref, frozenset(("path",))),
    "semantic": Kind(_semantic, frozenset(("threshold",))),
    "judge": Kind(_judge),
    "not": Kind(_not),
    "all": Kind(lambda spec, options, scope: logic.All(_list("all", spec, scope))),
}
