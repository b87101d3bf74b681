"""Values checked against the types that a signature or a record declares, where they are passed.

Python does not check annotations, so a misspelt word of a closed set would mean nothing, and a protection that means
nothing protects nobody. One function reads the types: closed sets, bounds, plain types, collections and classes. What
an annotation leaves open is accepted.
"""

from __future__ import annotations

import collections.abc
import inspect
import math
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import chain, product
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from rightcall.core.errors import ConfigError, suggestion
from rightcall.core.text import shorten

Accepts = Callable[[Any], bool]

BOUNDS: dict[str, tuple[str, Callable[[float, float], bool]]] = {
    "ge": ("at least", lambda value, bound: value >= bound),
    "gt": ("above", lambda value, bound: value > bound),
    "le": ("at most", lambda value, bound: value <= bound),
    "lt": ("below", lambda value, bound: value < bound),
}
PLAIN = {bool: "True or False", int: "a whole number", float: "a number", str: "a string"}
SEVERAL = {"a string": "strings", "a number": "numbers", "a whole number": "whole numbers"}
UNIONS = (Union, types.UnionType)
SEQUENCES = (tuple, list, collections.abc.Sequence)
MAPPINGS = (dict, collections.abc.Mapping)


def require_values(where: str, owner: Any, values: Mapping[str, Any]) -> None:
    """Raise one `ConfigError` with every value that does not have the type that `owner` declares for its name.

    `owner` is a class or a function. Names that it does not declare are not its concern.
    """
    checks = _checks(owner)
    wrong = [name for name, value in values.items() if name in checks and not checks[name](value)]
    if wrong:
        kinds = _kinds(owner)
        raise ConfigError(*(f"{where}: {name} {_problem(kinds[name], values[name])}" for name in wrong))


def value_problem(kind: Any, value: Any) -> str:
    """Why a value is not of a type; empty when it is."""
    return "" if _accepts(kind)(value) else _problem(kind, value)


def _problem(kind: Any, value: Any) -> str:
    """What a value must be, what it is, and the nearest word of a closed set."""
    words = [word for word in _words(kind) if isinstance(word, str)]
    near = next((item for item in _items(value) if isinstance(item, str) and item not in words), None)
    hint = suggestion(near, words) if near is not None else ""
    return f"must be {_type_text(kind)}, got {shorten(repr(value), 80)}{f'; {hint}' if hint else ''}"


@cache
def _checks(owner: Any) -> dict[str, Accepts]:
    checks = {name: _accepts(kind) for name, kind in _kinds(owner).items()}
    return {name: check for name, check in checks.items() if check is not _anything}


@cache
def _kinds(owner: Any) -> dict[str, Any]:
    """The declared types by name, without those whose names are not known at run time."""
    bases = reversed(owner.__mro__) if isinstance(owner, type) else (owner,)
    kinds: dict[str, Any] = {}
    for base in bases:
        names = vars(sys.modules[base.__module__]) if base.__module__ in sys.modules else {}
        for name, annotation in inspect.get_annotations(base).items():
            kinds[name] = _resolve_annotation(annotation, names)
    return kinds


def _resolve_annotation(annotation: Any, names: dict[str, Any]) -> Any:
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, names)  # noqa: S307  an annotation of code that is already imported
    except Exception:  # a name for type checkers alone, or a type of a later Python
        return Any


def _anything(value: Any) -> bool:
    return True


def _accepts(kind: Any) -> Accepts:
    """A test of one value, as cheap as its type allows: records are made by the thousand."""
    origin = get_origin(kind)
    if origin is not None:
        return ACCEPTS.get(origin, lambda open_kind: _anything)(kind)
    if kind is None or kind is type(None):
        return lambda value: value is None
    return _accepts_class(kind) if isinstance(kind, type) else _anything


def _accepts_words(kind: Any) -> Accepts:
    words = {(type(word), word) for word in get_args(kind)}
    return lambda value: isinstance(value, collections.abc.Hashable) and (type(value), value) in words


def _accepts_class(kind: type) -> Accepts:
    if kind is bool:
        return lambda value: isinstance(value, bool)
    if kind is int:
        return lambda value: _is_number(value, whole=True)
    if kind is float:
        return lambda value: _is_number(value, whole=False)
    is_open = kind in (Any, object) or getattr(kind, "_is_protocol", False)
    return _anything if is_open else lambda value: isinstance(value, kind)


def _accepts_bounds(kind: Any) -> Accepts:
    base, *notes = get_args(kind)
    accepts = _accepts(base)
    tests = [(BOUNDS[word][1], bound) for word, bound in _bounds(notes)]
    if not tests:
        return accepts

    def accepts_within(value: Any) -> bool:
        return accepts(value) and (value is None or all(test(value, bound) for test, bound in tests))

    return accepts_within


def _accepts_union(kind: Any) -> Accepts:
    parts = get_args(kind)
    members = [_accepts(part) for part in parts if part is not type(None)]
    if _anything in members:
        return _anything
    only = members[0] if len(members) == 1 else lambda value: any(accepts(value) for accepts in members)
    return (lambda value: value is None or only(value)) if type(None) in parts else only


def _accepts_items(kind: Any) -> Accepts:
    parts = [part for part in get_args(kind) if part is not Ellipsis]
    accepts = _accepts(parts[0]) if len(parts) == 1 else _anything

    def accepts_all(value: Any) -> bool:
        is_sequence = isinstance(value, collections.abc.Sequence) and not isinstance(value, str | bytes)
        return is_sequence and (accepts is _anything or all(map(accepts, value)))

    return accepts_all


ACCEPTS: dict[Any, Callable[[Any], Accepts]] = {
    Annotated: _accepts_bounds,
    Literal: _accepts_words,
    **dict.fromkeys(UNIONS, _accepts_union),
    **dict.fromkeys(SEQUENCES, _accepts_items),
    **dict.fromkeys(MAPPINGS, lambda kind: lambda value: isinstance(value, collections.abc.Mapping)),
    collections.abc.Callable: lambda kind: callable,
}
"""The test of a generic type, by its origin; any other is open."""


def _is_number(value: Any, *, whole: bool) -> bool:
    if isinstance(value, bool | str):
        return False
    return hasattr(value, "__index__") or (
        not whole and hasattr(value, "__float__") and not math.isnan(value)
    )


def _bounds(notes: Iterable[Any]) -> list[tuple[str, float]]:
    stated = ((word, getattr(note, word, None)) for note, word in product(notes, BOUNDS))
    return [(word, bound) for word, bound in stated if bound is not None]


def _words(kind: Any) -> list[Any]:
    """The words of all closed sets in a type."""
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    return list(chain.from_iterable(map(_words, get_args(kind))))


def _type_text(kind: Any) -> str:
    """A type in words."""
    describe = TYPE_TEXTS.get(get_origin(kind))
    if describe is not None:
        return describe(*get_args(kind))
    return PLAIN.get(kind) or str(getattr(kind, "__name__", kind))


def _bounds_text(base: Any, *notes: Any) -> str:
    limits = " and ".join(f"{BOUNDS[word][0]} {bound:g}" for word, bound in _bounds(notes))
    return f"{_type_text(base)} {limits}".strip()


def _union_text(*parts: Any) -> str:
    return " or ".join(dict.fromkeys(_type_text(part) for part in parts if part is not type(None)))


def _items_text(*parts: Any) -> str:
    item = _type_text(parts[0]) if parts and parts[0] is not Any else ""
    return f"a list of {SEVERAL.get(item, item).removeprefix('one of ')}" if item else "a list"


TYPE_TEXTS: dict[Any, Callable[..., str]] = {
    Annotated: _bounds_text,
    Literal: lambda *words: f"one of {', '.join(map(str, words))}",
    **dict.fromkeys(UNIONS, _union_text),
    **dict.fromkeys(SEQUENCES, _items_text),
    **dict.fromkeys(MAPPINGS, lambda *parts: "a mapping"),
    collections.abc.Callable: lambda *parts: "a function",
}


def _items(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list | tuple) else (value,)
