"""The values of table cells. Text stays text: 007, NA and null are kept as written."""

from __future__ import annotations

import ast
import re
from typing import Any

from rightcall.core import codec
from rightcall.core.errors import InputError
from rightcall.datasets.deepeval.names import Names

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
