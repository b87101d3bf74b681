"""The values of YAML text and their locations, from one composition of its nodes."""

from __future__ import annotations

import math
import re
from typing import Any

import yaml

from rightcall.files.yaml_text import JSON_NUMBER, TAG, WORDS
from rightcall.lint.source.json_places import JsonPlace, Places

MOST_VALUES = 2_000_000
"""Anchors let a small file expand to an enormous value; more values than this are rejected."""


MOST_LEVELS = 1000
_DEEP_INDENT = re.compile(rf"^[ \t?:-]{{{MOST_LEVELS // 2}}}", re.MULTILINE)
"""Blocks are nested by indentation, or by indicators on one line (`- - -`)."""


class YamlPlaces(Places):
    """Looks up places in one composed document. Made before mappings are merged, which may name a key again."""

    def __init__(self, root: yaml.Node | None, text: str) -> None:
        self._text, self.repeated = text, {}
        self._collections: dict[
            tuple[int, int], yaml.Node
        ] = {}  # a key with an anchor begins where its mapping does
        waiting = [] if root is None else [root]
        while waiting:
            node = waiting.pop()
            _, start, end, _ = self._place(node, node)
            if isinstance(node, yaml.ScalarNode) or (start, end) in self._collections:
                continue
            self._collections[start, end] = node
            if isinstance(node, yaml.MappingNode):
                keys: set[str] = set()
                for key, _ in node.value:
                    if str(key.value) in keys and not key.tag.endswith(":merge"):
                        self.repeated.setdefault(start, (key.start_mark.index, str(key.value)))
                    keys.add(str(key.value))
            waiting += [part[1] if isinstance(part, tuple) else part for part in node.value]
        self.root = None if root is None else self._place(root, root)

    def members(self, place: JsonPlace) -> dict[str | int, JsonPlace]:
        node = self._collections.get((place.start, place.end))
        if isinstance(node, yaml.MappingNode):
            return {str(key.value): self._place(value, key) for key, value in node.value}
        if isinstance(node, yaml.SequenceNode):
            return {index: self._place(item, item) for index, item in enumerate(node.value)}
        return {}

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
    _refuse_deep_nesting(text)
    loader = _JsonMindedLoader(text)
    try:
        root = loader.get_single_node()
        if root is not None and _size(root, {}) > MOST_VALUES:
            raise yaml.YAMLError("its anchors expand to too many values")
        places = YamlPlaces(root, text)
        return None if root is None else _plain(root, loader), places
    finally:
        loader.dispose()


_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _refuse_deep_nesting(text: str) -> None:
    """Raise `RecursionError` before the composer does worse: it recurses in C without a limit."""
    if text.count("[") + text.count("{") <= MOST_LEVELS and not _DEEP_INDENT.search(text):
        return
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MOST_LEVELS:
            raise RecursionError


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
