"""The signature of a Python function: its type hints as JSON Schemas, its docstring in any common style."""

from __future__ import annotations

import enum
import inspect
import re
import types
import typing
from collections.abc import Callable
from typing import Annotated, Any, get_args, get_origin

import msgspec

from rightcall.core.errors import ConfigError
from rightcall.core.lazy_pattern import lazy_pattern

Converter = Callable[[Any], Any]


def schema_of(hint: Any, where: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The schema of a hint and the definitions it refers to under `#/$defs/`.

    Supported: everything msgspec supports (scalars, containers, `Literal`, enums, dates, UUIDs, dataclasses,
    TypedDicts, NamedTuples, structs, `Annotated` with `msgspec.Meta` or a description), and pydantic
    models and fields where pydantic is installed.
    """
    if hint is Any:
        return {}, {}
    try:
        if needs_pydantic(hint):
            return _pydantic_schema(hint)
        (schema,), definitions = msgspec.json.schema_components([plain(hint)], ref_template="#/$defs/{name}")
    except (TypeError, msgspec.ValidationError, RecursionError) as error:
        reason = str(error).split("\n")[0]
        raise ConfigError(f"{where}: this type has no JSON Schema: {reason}") from None
    return _in_written_order(_inline_reference(schema, definitions), hint), definitions


def converter(hint: Any) -> Converter | None:
    """A function from plain JSON to the hinted type, or None when plain JSON is already that type."""
    if not _is_rich(hint):
        return None
    if needs_pydantic(hint):
        from pydantic import TypeAdapter  # type: ignore[import-not-found,unused-ignore]

        return TypeAdapter(hint).validate_python
    plain_hint = plain(hint)
    return lambda value: msgspec.convert(value, plain_hint)


def plain(hint: Any) -> Any:
    """The hint with descriptions in `Annotated` in msgspec's form."""
    if get_origin(hint) is Annotated:
        inner, *notes = get_args(hint)
        kept = [n for n in notes if isinstance(n, msgspec.Meta)]
        # a text, or a `Doc` of PEP 727
        words = next((n for n in notes if isinstance(n, str)), None) or next(
            (str(n.documentation) for n in notes if hasattr(n, "documentation")), ""
        )
        if words and not any(meta.description for meta in kept):
            kept.append(msgspec.Meta(description=words))
        bare = plain(inner)
        for meta in kept:
            bare = Annotated[bare, meta]
        return bare
    if isinstance(hint, type) and hint is not type(None):
        return hint
    arguments = get_args(hint)
    if get_origin(hint) in (typing.Union, types.UnionType):
        return typing.Union[tuple(plain(a) for a in arguments)]  # noqa: UP007  a tuple of members
    if arguments and get_origin(hint) in (list, dict, tuple, set, frozenset):
        return get_origin(hint)[tuple(a if a is ... else plain(a) for a in arguments)]
    return hint


def needs_pydantic(hint: Any) -> bool:
    """Whether the hint contains something only pydantic understands. Does not import it."""
    if any(base.__module__.startswith("pydantic.") for base in getattr(hint, "__mro__", ())):
        return True
    if getattr(type(hint), "__module__", "").startswith("pydantic"):
        return True
    parts = (*get_args(hint), *getattr(hint, "__metadata__", ()))
    return any(needs_pydantic(part) for part in parts if not isinstance(part, str | int | float))


def _pydantic_schema(hint: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    from pydantic import TypeAdapter  # type: ignore[import-not-found,unused-ignore]
    from pydantic.errors import PydanticUserError  # type: ignore[import-not-found,unused-ignore]

    try:
        schema = TypeAdapter(hint).json_schema(ref_template="#/$defs/{model}")
    except PydanticUserError as error:
        raise TypeError(str(error)) from None
    definitions = schema.pop("$defs", {})
    return schema, definitions


def _inline_reference(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """A reference at the top inlined, when it is the only one: flat schemas are easier to fill."""
    reference = schema.get("$ref", "")
    name = reference.removeprefix("#/$defs/")
    if name in definitions and f'"{reference}"' not in msgspec.json.encode(definitions).decode():
        inner = dict(definitions.pop(name))
        inner.pop("title", None)
        return {**inner, **{key: value for key, value in schema.items() if key != "$ref"}}
    return schema


def _in_written_order(schema: dict[str, Any], hint: Any) -> dict[str, Any]:
    """Choices in the order their author wrote them, which is the order they will be read in."""
    origin = get_origin(hint)
    if origin is Annotated:
        return _in_written_order(schema, get_args(hint)[0])
    if origin is list and isinstance(schema.get("items"), dict) and get_args(hint):
        return {**schema, "items": _in_written_order(schema["items"], get_args(hint)[0])}
    written: list[Any] = []
    if origin is typing.Literal:
        written = list(get_args(hint))
    elif isinstance(hint, type) and issubclass(hint, enum.Enum):
        written = [member.value for member in hint]
    same = (
        "enum" in schema and len(written) == len(schema["enum"]) and all(v in written for v in schema["enum"])
    )
    return {**schema, "enum": written} if same else schema


def _is_rich(hint: Any) -> bool:
    """Whether values of the hint differ from what JSON gives: dataclasses, dates, tuples, models."""
    simple = (str, int, float, bool, type(None), dict, list, Any)
    if hint in simple:
        return False
    origin = get_origin(hint)
    if origin is typing.Literal:
        return False
    if origin in (Annotated, typing.Union, types.UnionType, list, dict):
        parts = get_args(hint)[:1] if origin is Annotated else get_args(hint)
        return any(_is_rich(part) for part in parts)
    return not (isinstance(hint, type) and typing.is_typeddict(hint))


SECTIONS = (
    "args|arguments|parameters|params|other parameters|keyword args|keyword arguments|returns?|yields?|"
    "raises|examples?|notes?|warnings?|warns|references|see also|attributes|todo"
)
PARAMETER_SECTIONS = SECTIONS.split("|")[:7]
GOOGLE_SECTION = lazy_pattern(rf"^({SECTIONS}):\s*$", re.IGNORECASE)
NUMPY_SECTION = lazy_pattern(rf"^({SECTIONS})\s*$", re.IGNORECASE)
FIELD = lazy_pattern(r"^[:@](\w+)(?:\s+(?:[^:]*\s)?\*{0,2}(\w+))?\s*:\s*(.*)$")
GOOGLE_PARAMETER = lazy_pattern(r"^\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$")
NUMPY_PARAMETER = lazy_pattern(r"^(\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::.*)?$")


def parse_docstring(text: str | None) -> tuple[str, dict[str, str]]:
    """The description and the text of each parameter, from the styles of Google, NumPy, Sphinx and Epytext.

    Sections about results, errors and examples are left out: they are for readers of code.
    """
    lines = inspect.cleandoc(text or "").splitlines()
    description: list[str] = []
    parameters: dict[str, str] = {}
    at = 0
    while at < len(lines):
        section = _section(lines, at)
        if section:
            name, start = section
            end = _section_end(lines, start)
            if name in PARAMETER_SECTIONS:
                parameters |= _parameters(lines[start:end], numpy=start == at + 2)
            at = end
        elif field := FIELD.match(lines[at]):
            end = at + 1
            while end < len(lines) and lines[end].strip() and lines[end][0].isspace():
                end += 1
            if field[1] in ("param", "parameter", "arg", "argument", "key", "keyword") and field[2]:
                parameters[field[2]] = _one_line([field[3], *lines[at + 1 : end]])
            at = end
        else:
            description.append(lines[at])
            at += 1
    return _paragraphs(description), parameters


def _section(lines: list[str], at: int) -> tuple[str, int] | None:
    """The section that begins at a line: its name and where its text starts."""
    if match := GOOGLE_SECTION.match(lines[at]):
        return match[1].lower(), at + 1
    underlined = at + 1 < len(lines) and re.fullmatch(r"-{3,}\s*", lines[at + 1])
    if underlined and (match := NUMPY_SECTION.match(lines[at])):
        return match[1].lower(), at + 2
    return None


def _section_end(lines: list[str], start: int) -> int:
    at = start
    google = start > 0 and GOOGLE_SECTION.match(lines[start - 1])
    while at < len(lines):
        unindented = lines[at].strip() and not lines[at][0].isspace()
        if _section(lines, at) or FIELD.match(lines[at]) or (google and unindented):
            break
        at += 1
    return at


def _parameters(lines: list[str], *, numpy: bool) -> dict[str, str]:
    if not numpy:
        outer = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
        return _collect(lines, outer, GOOGLE_PARAMETER)
    texts = _collect(lines, 0, NUMPY_PARAMETER).items()
    return {name.strip().lstrip("*"): text for names, text in texts for name in names.split(",")}


def _collect(lines: list[str], indent: int, parameter: re.Pattern[str]) -> dict[str, str]:
    """Parameters at one indentation level, with the deeper lines below each."""
    sections: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in lines:
        at_margin = line.strip() and len(line) - len(line.lstrip()) == indent
        if at_margin and (match := parameter.match(line.strip())):
            current = sections[match[1]] = [match[2]] if match.lastindex == 2 else []
        elif current is not None:
            current.append(line)
    return {name: _one_line(text) for name, text in sections.items()}


def _one_line(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())


def _paragraphs(lines: list[str]) -> str:
    """Lines joined within paragraphs; lists and blank lines are kept as they are."""
    text = "\n".join(lines).strip()
    text = re.sub(r"\n{3,}", "\n\n", text)
    return re.sub(r"(?<=\S)\n(?=[^\s\-*•\d])", " ", text)
