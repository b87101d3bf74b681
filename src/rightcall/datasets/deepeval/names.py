"""The fields of DeepEval's files in their order, and the names a user's file may use for them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from rightcall.core import codec
from rightcall.core.errors import ConfigError, InputError, suggestion

SINGLE = (
    "input", "actual_output", "expected_output", "retrieval_context", "context", "name", "comments", "source_file",
    "tools_called", "expected_tools", "token_cost", "input_token_count", "output_token_count",
    "additional_metadata", "custom_column_key_values", "expectations",
)  # fmt: skip
MULTI = (
    "scenario", "turns", "expected_outcome", "user_description", "persona", "context", "name", "comments",
    "additional_metadata", "custom_column_key_values", "expectations",
)  # fmt: skip
MULTI_CSV = tuple(name for name in MULTI if name != "persona")
TURN = (
    "role", "content", "user_id", "retrieval_context", "tools_called", "mcp_tools_called", "mcp_resources_called",
    "mcp_prompts_called", "metadata",
)  # fmt: skip
KNOWN = tuple(dict.fromkeys((*SINGLE, *MULTI, "expected_labels")))
ITS_OWN = frozenset(("expected_tools", "additional_metadata", "custom_column_key_values"))
"""Fields that only DeepEval uses."""

OURS = "rightcall"
"""The key in `additional_metadata` for data that DeepEval has no field for."""


class Names(msgspec.Struct, frozen=True):
    """The names a user's file has for DeepEval's fields, and what separates list items in one string.

    `called` maps a field to the file's own name for it; None means that the file has no such field.
    """

    called: Mapping[str, str | None] = {}
    delimiters: Mapping[str, str] = {}

    def delimiter(self, field: str) -> str:
        return self.delimiters.get(field, DELIMITERS[field])


def is_deepeval(fields: Iterable[str]) -> bool:
    """Whether these field names can only come from a DeepEval file."""
    return not ITS_OWN.isdisjoint(map(snake_case, fields))


def snake_case(name: str) -> str:
    """`expectedOutput` → `expected_output`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def fields_of(row: Mapping[str, Any], names: Names, where: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The row under DeepEval's names, and its other columns. A near miss of a known name is an error."""
    field_by_column = {file_name: field for field, file_name in names.called.items() if file_name is not None}
    absent = {field for field, file_name in names.called.items() if file_name != field}
    fields: dict[str, Any] = {}
    rest: dict[str, Any] = {}
    for name, value in row.items():
        field = field_by_column.get(name) or snake_case(name)
        if field in KNOWN and (name in field_by_column or field not in absent):
            fields[field] = value
        else:
            near = suggestion(field, KNOWN) if name not in KNOWN else ""
            if near and _close(field):
                raise InputError(where, f"unknown field '{name}'", near)
            rest[name] = value
    return fields, rest


def _close(name: str) -> bool:
    import difflib

    return bool(difflib.get_close_matches(name, KNOWN, n=1, cutoff=0.88))


MISSPELT = {"addtional_metadata": "additional_metadata"}  # misspelt in DeepEval's own signature
SUFFIXES = ("_col_name", "_key_name")
DELIMITERS = {"context": "|", "retrieval_context": "|", "tools_called": ";", "expected_tools": ";"}


def names_from(arguments: dict[str, Any], method: str) -> Names:
    """Names from keyword arguments; `encoding_type` may only be UTF-8."""
    called: dict[str, str | None] = {}
    delimiters: dict[str, str] = {}
    for argument, value in arguments.items():
        if argument == "encoding_type":
            if str(value).lower().replace("_", "-") not in ("utf-8", "utf8", "utf-8-sig"):
                problem = f"{method}: files are read as UTF-8, got encoding_type '{value}'; save it as UTF-8"
                raise ConfigError(problem)
            continue
        field = argument.removesuffix("_col_delimiter").removesuffix("_delimiter")
        if field != argument and field in DELIMITERS:
            delimiters[field] = value
            continue
        field = argument
        for suffix in SUFFIXES:
            field = field.removesuffix(suffix)
        field = MISSPELT.get(field, field)
        if field == argument or field not in KNOWN:
            column_arguments = [f"{name}_col_name" for name in KNOWN]
            hint = suggestion(argument, column_arguments) or "set column names like input_col_name='question'"
            raise ConfigError(f"{method}: unknown argument '{argument}'; {hint}")
        called[field] = value
    return Names(called, delimiters)


LISTS = ("context", "retrieval_context")
TOOLS = ("tools_called", "expected_tools")
NUMBERS = ("token_cost", "input_token_count", "output_token_count")
JSON = (
    "additional_metadata",
    "custom_column_key_values",
    "expectations",
    "persona",
    "turns",
    "expected_labels",
)


_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def guard_cell(cell: Any) -> Any:
    """A cell that no spreadsheet runs as a formula: prefixed with an apostrophe, as spreadsheets mark text."""
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell


def without_guard(cell: Any) -> Any:
    """The cell without the apostrophe that marks it as text."""
    if isinstance(cell, str) and cell.startswith("'") and _FORMULA.match(cell):
        return cell[1:]
    return cell


def value_of_cell(field: str, cell: str, names: Names, where: str) -> Any:
    """A cell as the value of a field; an empty cell is None."""
    place = f"{where}: column {field}"
    if cell == "":
        return "" if field in ("input", "scenario") else None
    if field in LISTS:
        return split_list(cell, names.delimiter(field), place)
    if field in TOOLS and cell.lstrip()[:1] not in ("[", "{"):
        return [{"name": name.strip()} for name in cell.split(names.delimiter(field)) if name.strip()]
    if field in TOOLS or field in JSON:
        return parse_cell(cell, place)
    if field in NUMBERS:
        return number(cell, place)
    return cell


def split_list(text: str, delimiter: str, where: str) -> list[Any]:
    """The items of a list written as one string: a JSON list, or items with a delimiter between them."""
    if text.startswith("[") and text.rstrip().endswith("]"):
        try:
            items = codec.decode(text.encode(), list[str], where)
        except InputError:
            return text.split(delimiter)
        return items
    return text.split(delimiter)


def parse_cell(text: str, where: str) -> Any:
    """JSON; or a Python literal, since DeepEval's reader accepts those in some columns."""
    try:
        return codec.decode(text.encode(), object, where)
    except InputError as error:
        try:
            return ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            problem = f"{error.problem}, found '{text[:40]}'"
            raise InputError(where, problem, 'this column contains JSON, such as {"a": 1}') from None


def number(text: str, where: str) -> Any:
    try:
        return codec.decode(text.strip().encode(), float, where)
    except InputError:
        raise InputError(where, f"must be a number, got '{text[:40]}'", "leave it empty if unknown") from None
