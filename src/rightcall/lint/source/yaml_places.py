"""The values of YAML text and their locations, from one composition of its nodes."""

from __future__ import annotations

import math
import re
from typing import Any

import yaml

from rightcall.files.documents import JsonPath
from rightcall.files.yaml_text import JSON_NUMBER, TAG, WORDS
from rightcall.lint.source.json_places import JsonPlace

MOST_VALUES = 2_000_000
"""Anchors let a small file expand to an enormous value; more values than this are rejected."""


class YamlPlaces:
    """Looks up places in one composed document."""

    def __init__(
        self, root: yaml.Node | None, text: str, repeated: dict[int, yaml.Node] | None = None
    ) -> None:
        self._root, self._text, self._repeated = root, text, repeated or {}

    def find(self, path: JsonPath) -> JsonPlace | None:
        """The location of the value at the path, or None."""
        node, key = self._root, self._root
        for part in path:
            node, key = _member(node, part)
        return self._place(node, key) if node is not None and key is not None else None

    def members(self, place: JsonPlace) -> dict[str | int, JsonPlace]:
        """The members of the mapping or list at a place, in order; empty for a scalar."""
        node = _node_at(self._root, place.start)
        if isinstance(node, yaml.MappingNode):
            return {key.value: self._place(value, key) for key, value in node.value}
        if isinstance(node, yaml.SequenceNode):
            return {index: self._place(item, item) for index, item in enumerate(node.value)}
        return {}

    def repeated_key(self, path: JsonPath) -> tuple[int, str] | None:
        """Offset and text of the first key that a mapping at or below the path has twice."""
        node = self._root
        for part in path:
            node, _ = _member(node, part)
        waiting = [node] if node is not None and self._repeated else []
        while waiting:
            node = waiting.pop()
            key = self._repeated.get(id(node))
            if key is not None:
                return key.start_mark.index, str(key.value)
            waiting += reversed(_inside(node))
        return None

    def _place(self, node: yaml.Node, key: yaml.Node) -> JsonPlace:
        end = node.end_mark.index
        flow = isinstance(node, yaml.ScalarNode) or bool(getattr(node, "flow_style", False))
        while not flow and end > node.start_mark.index and self._text[end - 1] in " \t\r\n":
            end -= 1  # a block ends where the next one begins; comments and blank lines are not part of it
        return JsonPlace(key.start_mark.index, node.start_mark.index, end, flow)


def read_yaml(text: str) -> tuple[Any, YamlPlaces]:
    """The value of a YAML text and its places; raises `yaml.YAMLError` or `RecursionError`.

    As in `files.yaml_text`, a plain scalar is text unless it is JSON: `yes`, `012` and `1_000` stay text.
    """
    loader = _JsonMindedLoader(text)
    try:
        root = loader.get_single_node()
        if root is None:
            return None, YamlPlaces(None, text)
        if _size(root, {}) > MOST_VALUES:
            raise yaml.YAMLError("its anchors expand to too many values")
        repeated = _keys_twice(root)  # before merging, which may name a key again
        value = _plain(root, loader)
    finally:
        loader.dispose()
    return value, YamlPlaces(root, text, repeated)


_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _JsonMindedLoader(_Loader):  # type: ignore[misc]
    """Reads only JSON's words and numbers as anything but text; `<<` still merges."""

    yaml_implicit_resolvers = {
        **{first: [(f"{TAG}float", re.compile(f"^(?:{JSON_NUMBER.pattern})$"))] for first in "-0123456789"},
        **{
            word[:1]: [(f"{TAG}{'null' if value is None else 'bool'}", re.compile(f"^{re.escape(word)}$"))]
            for word, value in WORDS.items()
        },
        "<": [(f"{TAG}merge", re.compile("^<<$"))],
    }


def _plain(node: yaml.Node, loader: Any) -> Any:
    """The value as JSON would have it: every key a text, dates and unknown tags as they are written."""
    if isinstance(node, yaml.MappingNode):
        loader.flatten_mapping(node)
        return {str(key.value): _plain(value, loader) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, loader) for item in node.value]
    if node.tag == f"{TAG}float" and re.fullmatch(r"-?\d+", node.value):
        return int(node.value)
    if node.tag.rpartition(":")[2] in ("null", "bool", "int", "float"):
        value = loader.construct_object(node)
        return str(node.value) if isinstance(value, float) and not math.isfinite(value) else value
    return str(node.value)


def _size(node: yaml.Node, sizes: dict[int, int]) -> int:
    """How many values a node stands for once its aliases are followed."""
    if isinstance(node, yaml.ScalarNode):
        return 1
    if id(node) in sizes:
        if sizes[id(node)] < 0:
            raise yaml.YAMLError("an anchor contains itself")
        return sizes[id(node)]
    sizes[id(node)] = -1
    inner = [part for pair in node.value for part in (pair if isinstance(pair, tuple) else (pair,))]
    sizes[id(node)] = 1 + sum(_size(part, sizes) for part in inner)
    return sizes[id(node)]


def _keys_twice(root: yaml.Node) -> dict[int, yaml.Node]:
    """The second of two like keys, by the identity of the mapping that has them."""
    second_keys: dict[int, yaml.Node] = {}
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            keys: set[str] = set()
            for key, _ in node.value:
                if str(key.value) in keys and not key.tag.endswith(":merge"):
                    second_keys.setdefault(id(node), key)
                keys.add(str(key.value))
        waiting += _inside(node)
    return second_keys


def _inside(node: yaml.Node) -> list[yaml.Node]:
    """The collections in a collection."""
    if isinstance(node, yaml.ScalarNode):
        return []
    parts = [part[1] if isinstance(part, tuple) else part for part in node.value]
    return [part for part in parts if not isinstance(part, yaml.ScalarNode)]


def _member(node: yaml.Node | None, part: str | int) -> tuple[yaml.Node | None, yaml.Node | None]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(part):
                return value, key
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part], node.value[part]
    return None, None


def _node_at(node: yaml.Node | None, start: int) -> yaml.Node | None:
    """The outermost collection that starts at an offset."""
    if node is None or isinstance(node, yaml.ScalarNode):
        return None
    if node.start_mark.index == start:
        return node
    inner = [pair[1] if isinstance(pair, tuple) else pair for pair in node.value]
    for part in inner:
        if part.start_mark.index <= start < part.end_mark.index:
            return _node_at(part, start)
    return None
