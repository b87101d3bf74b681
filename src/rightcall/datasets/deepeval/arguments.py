"""`input_col_name="question"`: the arguments by which DeepEval's methods name the columns of a user's file."""

from __future__ import annotations

from typing import Any

from rightcall.datasets.deepeval.names import KNOWN, Names
from rightcall.errors import ConfigError, suggestion

MISSPELT = {"addtional_metadata": "additional_metadata"}  # misspelt in DeepEval's own signature
SUFFIXES = ("_col_name", "_key_name")
DELIMITERS = ("context", "retrieval_context", "tools_called", "expected_tools")


def names_from(arguments: dict[str, Any], method: str) -> Names:
    """Names from keyword arguments; `encoding_type` may only be UTF-8."""
    called: dict[str, str | None] = {}
    delimiters: dict[str, str] = {}
    for argument, value in arguments.items():
        if argument == "encoding_type":
            if str(value).lower().replace("_", "-") not in ("utf-8", "utf8", "utf-8-sig"):
                raise ConfigError(
                    f"{method}: files are read as UTF-8, got encoding_type '{value}'; save it as UTF-8"
                )
            continue
        field = argument.removesuffix("_col_delimiter").removesuffix("_delimiter")
        if field != argument and field in DELIMITERS:
            delimiters[f"{field}_delimiter"] = value
            continue
        field = argument
        for suffix in SUFFIXES:
            field = field.removesuffix(suffix)
        field = MISSPELT.get(field, field)
        if field == argument or field not in KNOWN:
            known = [f"{name}_col_name" for name in KNOWN]
            hint = suggestion(argument, known) or "set column names like input_col_name='question'"
            raise ConfigError(f"{method}: unknown argument '{argument}'; {hint}")
        called[field] = value
    return Names(called, **delimiters)
