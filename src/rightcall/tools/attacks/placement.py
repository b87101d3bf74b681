"""Where a planted text goes in a result. The result itself is never changed: each function returns a copy."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any

from rightcall.core.codec import encode
from rightcall.core.words import name_tokens
from rightcall.model.safety import Placement, Plant, Safety, Wrap
from rightcall.tools.runtime.json_values import leaves, replace_leaf

NAME_WORDS = frozenset(
    ["title", "subject", "name", "filename", "file", "files", "path", "label", "heading", "topic"]
)
"""Last words of the fields of a listing that a reader sees without opening anything."""
FIELD = "note"


class NoPlace(Exception):  # noqa: N818  what a result has
    """A result that has no place for the text; the message says why."""


def plant_text(result: Any, text: str, *, path: str, place: Placement, names_only: bool = False) -> Any:
    """A copy of the result with the text at `path`, or at its longest text leaf, or at the leaf of a name.

    Raises `NoPlace` when there is no such leaf.
    """
    if place == "field" and not names_only:
        return add_field(result, path or FIELD, text)
    target = _leaf(result, path, names_only=names_only)
    return replace_leaf(result, target, lambda leaf: join_texts(str(leaf), text, place))


def plant_value(result: Any, value: str, *, path: str, place: Placement) -> Any:
    """A copy of the result with a canary instead of the leaf at `path`, or in a new field of that name."""
    if place != "field" and any(at == path or at.endswith(f".{path}") for at, _ in text_leaves(result)):
        return plant_text(result, value, path=path, place="replace")
    return add_field(result, path or FIELD, value)


def join_texts(leaf: str, text: str, place: Placement) -> str:
    """The text of a leaf together with the planted one."""
    if place == "replace" or not leaf:
        return text
    gap = "\n\n" if "\n" in leaf or len(leaf) > 60 else " "
    if place == "start":
        return f"{text}{gap}{leaf}"
    if place == "middle":
        cut = leaf.find(" ", len(leaf) // 2)
        cut = len(leaf) if cut < 0 else cut
        return f"{leaf[:cut]}{gap}{text}{gap}{leaf[cut:].lstrip()}".rstrip()
    return f"{leaf}{gap}{text}"


def add_field(result: Any, name: str, value: str) -> Any:
    """A copy with one more field: of the object, of the first object in it, or as a line of a text."""
    name = name.rpartition(".")[2]
    if isinstance(result, dict):
        return {**result, name: value}
    if isinstance(result, list) and result and isinstance(result[0], dict):
        return [{**result[0], name: value}, *result[1:]]
    if isinstance(result, str):
        return f"{result}\n{name}: {value}"
    raise NoPlace("the result is neither an object nor a text")


def text_leaves(value: Any) -> list[tuple[str, str]]:
    """Every string with the path that leads to it: `messages[0].body`."""
    return [leaf for leaf in leaves(value) if isinstance(leaf[1], str)]


def _leaf(result: Any, path: str, *, names_only: bool) -> str:
    texts = text_leaves(result)
    if path:
        fitting = [
            at for at, _ in texts if at == path or at.endswith(f".{path}") or _without_indexes(at) == path
        ]
        if not fitting:
            raise NoPlace(f"the result has no text at '{path}'")
        return fitting[0]
    if names_only:
        names = [at for at, _ in texts if _is_name(at)]
        if not names:
            raise NoPlace("the result has no title, subject or name")
        return names[-1]
    if not texts:
        raise NoPlace("the result has no text")
    return max(texts, key=lambda leaf: len(leaf[1]))[0]


def _without_indexes(path: str) -> str:
    return "".join(part.partition("]")[2] if "]" in part else part for part in path.split("["))


def _is_name(path: str) -> bool:
    tokens = name_tokens(_without_indexes(path).rpartition(".")[2])
    return bool(tokens) and tokens[-1] in NAME_WORDS


ZERO_WIDTH = "\u200b"
FIRST_TAG = 0xE0000


def _zero_width(text: str) -> str:
    """The text with an invisible character within each word."""
    return " ".join(
        f"{word[:1]}{ZERO_WIDTH}{word[1:]}" if len(word) > 3 else word for word in text.split(" ")
    )


def _tags(text: str) -> str:
    """The text in tag characters, which no screen shows and some models read."""
    return "".join(chr(FIRST_TAG + ord(c)) if " " <= c <= "~" else c for c in text)


WRAPPERS: Mapping[Wrap, Callable[[str], str]] = {
    "plain": lambda text: text,
    "html_comment": lambda text: f"<!-- {text.replace('-->', '--')} -->",
    "markdown_link": lambda text: f"[see also]({text.replace(')', ']')})",
    "code_block": lambda text: f"```\n{text}\n```",
    "json_field": lambda text: f'{{"note": {encode(text).decode()}}}',
    "zero_width": _zero_width,
    "tags": _tags,
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "other_language": lambda text: text,  # such a text was written in its language when the attempt was made
}


def planted_text(plant: Plant, safety: Safety) -> str:
    """What is planted: a canary, or the text in its disguise."""
    canary = safety.canary(plant.canary) if plant.canary else None
    return canary.value if canary else WRAPPERS[plant.wrap](plant.text)
