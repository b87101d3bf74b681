"""Compiles the arguments of a golden to matchers.

A bare value means exactly that value. An object with one known matcher key, and otherwise only options of that
matcher, is that matcher; any other object is a literal. `{"exact": {…}}` takes an object literally.
To add a matcher: its class and its line in `KINDS` in a file of `matchers/`, or a function `(spec, options, scope) -> Matcher`
under the entry point `rightcall.matchers`.
"""

from __future__ import annotations

from functools import cache, partial
from importlib import import_module
from itertools import chain
from pkgutil import iter_modules
from typing import Any

from msgspec.structs import replace

from rightcall.core.seam import BUILT_IN, load, plugins
from rightcall.metrics.matching import matchers
from rightcall.metrics.matching.base import Kind, Matcher, Scope, list_of
from rightcall.metrics.matching.matchers import collections, text, values

KINDS: dict[str, Kind] = dict(
    chain.from_iterable(
        import_module(f"{matchers.__name__}.{module.name}").KINDS.items()
        for module in iter_modules(matchers.__path__)
    )
)
"""Every matcher by its key."""


def compile_matcher(spec: Any, scope: Scope, schema: Any = None) -> Matcher:
    """The matcher for a spec; `schema` is the parameter's, used when goldens match by schema."""
    if isinstance(spec, dict):
        name = matcher_key(spec)
        if name is not None:
            options = {key: value for key, value in spec.items() if key != name}
            if scope.compile is None:
                scope = replace(scope, compile=compile_matcher)
            return kind_of(name).build(spec[name], options, scope)
    elif callable(spec):
        return values.Function(spec)
    by_schema = scope.by_schema and isinstance(schema, dict)
    return _by_schema(spec, schema, scope) if by_schema else values.Exact(spec)


def matcher_key(spec: dict[str, Any]) -> str | None:
    """The one key that makes an object a matcher, or None when it is a literal."""
    built_in = [key for key in spec if key in KINDS]
    if len(built_in) == 1 and spec.keys() - set(built_in) <= KINDS[built_in[0]].options:
        return built_in[0]  # without searching other packages, which reads the metadata of each
    keys = [key for key in spec if key in KINDS or key in plugin_kinds()]
    if len(keys) != 1:
        return None
    return keys[0] if spec.keys() - {keys[0]} <= kind_of(keys[0]).options else None


def kind_of(name: str) -> Kind:
    return KINDS[name] if name in KINDS else plugin_kinds()[name]


@cache
def plugin_kinds() -> dict[str, Kind]:
    """Matchers of importers and other packages, loaded on first use."""
    names = {**BUILT_IN["matchers"], **plugins("matchers", KINDS)}
    return {name: Kind(partial(_build_loaded, name)) for name in names}


def _build_loaded(name: str, spec: Any, options: dict[str, Any], scope: Scope) -> Matcher:
    matcher: Matcher = load("matchers", name)(spec, options, scope)
    return matcher


def _by_schema(spec: Any, schema: dict[str, Any], scope: Scope) -> Matcher:
    """`argument_matching: schema`: the tool's schema says how a bare value is compared."""
    if isinstance(spec, str) and schema.get("format") in ("date", "date-time"):
        return text.Date(spec)
    if isinstance(spec, str) and "enum" in schema:
        return text.Text(spec, frozenset(("case",)))
    if isinstance(spec, list) and schema.get("uniqueItems"):
        return collections.Bag("set", list_of("set", spec, scope))
    return values.Exact(spec)
