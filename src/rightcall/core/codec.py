"""Decoding bytes into records and back, with file, line and path in every error.

Functions and other Python objects in goldens and metrics cannot be stored; they are described.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import chain
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from rightcall.core.depth import MAX_DEPTH, is_too_deep, too_deep
from rightcall.core.digest import hex_digest
from rightcall.core.errors import InputError, suggestion

T = TypeVar("T")

DecodeErrors = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding hostile bytes can raise. `msgspec.ValidationError` is one of them."""

encode: Callable[[Any], bytes] = msgspec.json.Encoder().encode
"""JSON bytes of a record or plain value, compact, in UTF-8."""


def encode_as(value: Any, hook: Callable[[Any], Any]) -> bytes:
    """JSON bytes with Python objects described by `hook`."""
    return msgspec.json.encode(value, enc_hook=hook)


JSON_TYPES = {
    "object": "an object",
    "array": "a list",
    "str": "a string",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "null",
}


def decode(data: bytes, as_type: type[T], where: str) -> T:
    """Decode one JSON document or raise an `InputError` with the location."""
    try:
        if too_deep(memoryview(data)):
            raise RecursionError
        return msgspec.json.decode(data, type=as_type)
    except DecodeErrors as error:
        raise decode_error(error, as_type, data, where) from None


def convert(value: Any, as_type: type[T], where: str) -> T:
    """The same for a plain value from a YAML file or a wire format."""
    try:
        if is_too_deep(value):
            raise RecursionError
        return msgspec.convert(value, type=as_type)
    except (msgspec.ValidationError, RecursionError, UnicodeEncodeError) as error:
        raise decode_error(error, as_type, b"", where) from None


def to_plain(record: Any) -> Any:
    """A record as dicts, lists and scalars."""
    return msgspec.to_builtins(record)


def decode_error(error: Exception, as_type: Any, data: bytes, where: str) -> InputError:
    """Turn an msgspec error into a readable message."""
    if isinstance(error, RecursionError):
        return InputError(where, "JSON is nested too deeply", f"the limit is {MAX_DEPTH} levels")
    if isinstance(error, UnicodeEncodeError):
        return InputError(where, "unpaired surrogate in a string", "write the whole character or remove it")
    if isinstance(error, UnicodeDecodeError):
        return InputError(where, "not valid UTF-8", "save the file as UTF-8")
    if isinstance(error, msgspec.ValidationError):
        return _invalid(str(error), as_type, where)
    return _syntax_error(str(error), data, where)


def _syntax_error(text: str, data: bytes, where: str) -> InputError:
    if match := re.search(rb"-?(NaN|Infinity)", data):
        name = match.group().decode()
        return InputError(where, f"not valid JSON: {name} is not a JSON number", "use null or a string")
    if re.search(rb"\\u[dD][89a-fA-F]", _SURROGATE_PAIR.sub(b"", data)):
        return InputError(
            where,
            "not valid JSON: unpaired surrogate in a string",
            "write the whole character or remove it",
        )
    if "truncated" in text:
        return InputError(
            where, "not valid JSON: unexpected end of input", "is the file or the line truncated?"
        )
    byte = re.search(r"\(byte (\d+)\)", text)
    at = f" at character {int(byte[1]) + 1}" if byte else ""
    detail = text.removeprefix("JSON is malformed: ").split(" (byte")[0]
    return InputError(where, f"not valid JSON{at}: {detail}")


_SURROGATE_PAIR = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")


def _invalid(text: str, as_type: Any, where: str) -> InputError:
    message, _, raw_path = text.partition(" - at `$")
    path = raw_path.rstrip("`").removeprefix(".").replace("[...]", ".*")
    inside = f" in {path}" if path else ""
    if unknown := re.fullmatch(r"Object contains unknown field `(.*)`", message, re.DOTALL):
        field_names = _fields_at(as_type, path)
        hint = getattr(_type_at(as_type, path), "_hints", {}).get(unknown[1]) or (
            suggestion(unknown[1], field_names)
            or (f"known fields: {', '.join(field_names)}" if field_names else "")
        )
        return InputError(where, f"unknown field '{unknown[1]}'{inside}", hint)
    if missing := re.fullmatch(r"Object missing required field `(.*)`", message):
        return InputError(where, f"missing required field '{missing[1]}'{inside}")
    if types := re.fullmatch(r"Expected `(.*?)`(?: of length .*)?, got `(.*?)`(.*)", message):
        expected = " or ".join(JSON_TYPES.get(t, t) for t in types[1].split(" | ") if t != "null")
        got = JSON_TYPES.get(types[2], types[2])
        hint = "was it JSON-encoded twice?" if (types[2] == "str" and types[1].startswith("object")) else ""
        return InputError(where, f"{path or 'the value'} must be {expected}, got {got}", hint)
    if limit := re.fullmatch(r"Expected `(int|float)` ([<>]=? .*)", message):
        return InputError(where, f"{path} must be {JSON_TYPES[limit[1]]} {limit[2]}")
    if enum := re.fullmatch(r"Invalid enum value (.*)", message, re.DOTALL):
        choices = _choices_at(as_type, path)
        word = enum[1].strip("'\"")
        options = f"one of {', '.join(choices) or 'the allowed words'}"
        return InputError(where, f"{path} must be {options}, got '{word}'", suggestion(word, choices))
    return InputError(where, f"{path}: {message[:1].lower()}{message[1:]}" if path else message)


def _fields_at(as_type: Any, path: str) -> list[str]:
    """The field names of the record at a path such as `expected_calls[0]`."""
    record = _type_at(as_type, path)
    return [f.encode_name for f in msgspec.structs.fields(record)] if _is_record(record) else []


def _choices_at(as_type: Any, path: str) -> list[str]:
    members = _flatten(_type_at(as_type, path))
    return [c for c in chain.from_iterable(get_args(member) for member in members) if isinstance(c, str)]


def _type_at(as_type: Any, path: str) -> Any:
    here = as_type
    for name in re.findall(r"[^.\[\]*]+|\[\d+\]|\*", path):
        if name == "*" or re.fullmatch(r"\[\d+\]|\d+", name):
            here = _item_type(here)
        else:
            record = next((t for t in _flatten(here) if _is_record(t)), None)
            here = get_type_hints(record).get(name) if record is not None else None
    return next((t for t in _flatten(here) if _is_record(t)), here)


def _flatten(annotation: Any) -> list[Any]:
    """A union's members, or the type itself."""
    import types

    is_union = get_origin(annotation) in (Union, types.UnionType)
    return list(get_args(annotation)) if is_union else [annotation]


def _item_type(annotation: Any) -> Any:
    arguments = ([a for a in get_args(member) if a is not Ellipsis] for member in _flatten(annotation))
    return next((inner[-1] for inner in arguments if inner), None)


def _is_record(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, msgspec.Struct)


def describe_value(value: Any) -> Any:
    """A hook for encoders: a function becomes a matcher that names it, anything else its repr."""
    return {"python_function": name_of(value)} if callable(value) else stable_repr(value)


def fingerprint_value(value: Any) -> Any:
    """The same with the hash of a function's source, for fingerprints that must change with the function."""
    if not callable(value):
        return describe_value(value)
    return {"python_function": f"{name_of(value)} {source_hash(value)}"}


def name_of(function: Any) -> str:
    """`<function is_city>`: the same in every process."""
    kind = "class" if isinstance(function, type) else "function"
    return f"<{kind} {getattr(function, '__name__', type(function).__name__)}>"


def source_hash(function: Any) -> str:
    """A short hash of the source, or of the compiled code if the source is unavailable."""
    import inspect
    import tokenize

    try:
        content = inspect.getsource(function).encode()
    except (OSError, TypeError, SyntaxError, tokenize.TokenError):  # a page or a notebook is not only code
        code = getattr(function, "__code__", None)
        plain = stable_repr(function if code is None else (code.co_code, code.co_consts))
        content = plain.encode()
    return hex_digest(content, 12)


def stable_repr(value: Any) -> str:
    """`repr` without addresses in memory, which differ from process to process."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))


encode_described: Callable[[Any], bytes] = msgspec.json.Encoder(enc_hook=describe_value).encode
"""JSON bytes of values that may contain functions and other Python objects: they are described as text."""
