"""Corrupts results: truncates or empties them, renames fields, or changes a value plausibly."""

from __future__ import annotations

import random
from typing import Any

from rightcall.core.codec import encode
from rightcall.tools.faults.plan import Fault
from rightcall.tools.runtime.json_values import is_json
from rightcall.tools.runtime.results import RawResult


def damage_result(fault: Fault, result: Any, rng: random.Random) -> tuple[Any, bool]:
    """The result after the fault, and whether it differs: an empty list cannot be emptied."""
    if not is_json(result):
        return result, False
    match fault.type:
        case "malformed_json":
            damaged_result: Any = RawResult(encode(result).decode() + "}{")
        case "truncated":
            text = encode(result).decode()
            damaged_result = RawResult(text[: max(1, len(text) * 2 // 3)].rstrip('}]"0123456789elus'))
        case "empty":
            damaged_result = _empty_result(result)
        case "schema_drift":
            damaged_result = _drift_result(result)
        case "wrong_value":
            damaged_result = _lie(fault, result, rng)
        case _:
            raise NotImplementedError(f"no case for the fault {fault.type}, which changes the result")
    return damaged_result, damaged_result != result


def leaves(value: Any, path: str = "") -> list[tuple[str, Any]]:
    """Every number, text and truth value with the path that leads to it."""
    if isinstance(value, dict):
        return [leaf for name, inner in value.items() for leaf in leaves(inner, f"{path}.{name}".lstrip("."))]
    if isinstance(value, list):
        return [leaf for index, inner in enumerate(value) for leaf in leaves(inner, f"{path}[{index}]")]
    return [(path, value)] if value is not None else []


def _empty_result(result: Any) -> Any:
    empty: dict[type, Any] = {dict: {}, list: [], str: ""}
    return empty.get(type(result))


def _drift_result(result: Any) -> Any:
    """Names in another style and numbers as texts, as after an unannounced release."""
    if isinstance(result, dict):
        return {_other_style(name): _drift_result(inner) for name, inner in result.items()}
    if isinstance(result, list):
        return [_drift_result(inner) for inner in result]
    return str(result) if isinstance(result, int | float) and not isinstance(result, bool) else result


def _other_style(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest) if rest else f"{name}Value"


def _lie(fault: Fault, result: Any, rng: random.Random) -> Any:
    """The result with one value changed: the one at `path`, or one drawn from the seed."""
    all_leaves = leaves(result)
    aimed = [leaf for leaf in all_leaves if leaf[0] == fault.path or leaf[0].endswith(f".{fault.path}")]
    candidates = aimed if fault.path else all_leaves
    if not candidates:
        return result
    path, value = rng.choice(candidates)
    return _replace_leaf(result, path, fault.value if fault.value is not None else _plausible(value, rng))


def _plausible(value: Any, rng: random.Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + rng.choice((-2, -1, 1, 2, 10)) if abs(value) < 100 else value + value // 10 + 1
    if isinstance(value, float):
        return round(value * rng.choice((0.9, 1.1, 1.5)) + 0.01, 4)
    if not value:
        return "unknown"
    digits = [i for i, character in enumerate(value) if character.isdigit()]
    if digits:
        at = rng.choice(digits)
        return f"{value[:at]}{(int(value[at]) + 1) % 10 if value[at].isascii() else 1}{value[at + 1 :]}"
    return value[::-1] if value != value[::-1] else f"{value}s"


def _replace_leaf(value: Any, path: str, new: Any, here: str = "") -> Any:
    if here == path and not isinstance(value, dict | list):
        return new
    if isinstance(value, dict):
        return {n: _replace_leaf(inner, path, new, f"{here}.{n}".lstrip(".")) for n, inner in value.items()}
    if isinstance(value, list):
        return [_replace_leaf(inner, path, new, f"{here}[{index}]") for index, inner in enumerate(value)]
    return value
