"""Facts about one tool, computed once and on demand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cached_property
from itertools import chain
from typing import Any

import msgspec

from rightcall.core.groups import group_by, reachable
from rightcall.core.words import name_tokens, stem, words
from rightcall.files.documents import JsonPath
from rightcall.files.skill_folder import SkillFolder
from rightcall.lint.features.mentions import CONTRAST, FILLER_WORDS
from rightcall.lint.features.schemas import (
    Node,
    walk,
)
from rightcall.lint.features.skill import SkillView
from rightcall.lint.features.text import estimate_tokens, flat, sentences
from rightcall.lint.source.tools import SourceTool, shown_examples
from rightcall.records.dialects.mcp import HINTS
from rightcall.records.tool import Annotations, Tool
from rightcall.records.tool_roles import ToolRoles
from rightcall.schema.effects import EFFECTS, Effect, effect_of
from rightcall.schema.provider_limits import FORMATS, TARGETS, check_target
from rightcall.schema.roles.derivation import tool_roles
from rightcall.schema.subschemas import DEFINITIONS, reference_of, target_of

INPUT: JsonPath = ("input_schema",)

_OPENING = re.compile(
    r"\W*(?:this (?:tool|function|endpoint) (?:will |can |is used to )?|(?:tool|function) (?:to|that) "
    r"|use this (?:tool )?to |(?:allows|lets|enables) (?:you )?(?:to )?|permanently "
    r"|irreversibly |immediately |safely )*([a-z]+)"
)
_VERBS = {form: verb for verb in EFFECTS for form in (verb, f"{verb}s", f"{verb}es", f"{verb[:-1]}ies")}


class ToolFeatures:
    """One tool as the rules see it. `targets` are the providers it will be sent to."""

    def __init__(self, source: SourceTool, targets: frozenset[str] | None = None) -> None:
        self.source = source
        self.name = source.name
        self.description = source.description
        self.schema: dict[str, Any] = source.input_schema if isinstance(source.input_schema, dict) else {}
        self.targets = targets if targets is not None else targets_of(source)
        self.is_skill = source.skill is not None

    @property
    def folder(self) -> SkillFolder:
        """The folder of a skill. Only rules about skills ask for it."""
        if self.source.skill is None:
            raise AssertionError(f"{self.name} is no skill")
        return self.source.skill

    @property
    def is_readable(self) -> bool:
        """Whether the `SKILL.md` has a front matter that could be read, at least line by line."""
        return not self.folder.problem and bool(self.folder.text.fields)

    @cached_property
    def skill(self) -> SkillView:
        """The body and the files of a skill; `release` forgets them."""
        return SkillView(self.folder)

    def release(self) -> None:
        """Forget the body of a skill once its rules have run."""
        self.__dict__.pop("skill", None)

    @cached_property
    def nodes(self) -> list[Node]:
        """The input schema and every schema inside it, but for definitions that nothing refers to."""
        nodes = walk(self.schema, INPUT)
        return nodes if not DEFINITIONS & self.schema.keys() else _without_unused_definitions(nodes)

    @cached_property
    def properties(self) -> list[Node]:
        """The nodes that describe a property, at any depth."""
        return [node for node in self.nodes if node.name]

    @cached_property
    def parameters(self) -> list[Node]:
        """The properties of the root: the arguments of a call."""
        root = self.nodes[0]
        return [node for node in self.properties if node.parent is root]

    @cached_property
    def parameter_names(self) -> frozenset[str]:
        return frozenset(node.name for node in self.parameters)

    @cached_property
    def required(self) -> frozenset[str]:
        return frozenset(node.name for node in self.parameters if node.required)

    @cached_property
    def name_tokens(self) -> tuple[str, ...]:
        return name_tokens(self.name)

    @cached_property
    def name_words(self) -> frozenset[str]:
        """The words of the name, each once."""
        return frozenset(self.name_tokens)

    @cached_property
    def states_contrast(self) -> bool:
        """Whether the description says when not to use the tool, or how it differs from others."""
        return CONTRAST.search(self.lower) is not None

    @cached_property
    def name_stems(self) -> frozenset[str]:
        return frozenset(map(stem, self.name_tokens))

    @cached_property
    def lower(self) -> str:
        return self.description.lower()

    @cached_property
    def words(self) -> list[str]:
        return words(self.description)

    @cached_property
    def sentences(self) -> list[str]:
        return sentences(self.description)

    @property
    def opening(self) -> str:
        """The first sentence, or nothing."""
        return self.sentences[0] if self.sentences else ""

    @cached_property
    def informative_stems(self) -> frozenset[str]:
        """Stems of the words of the description that add something to the name."""
        return frozenset(
            root
            for word in self.words
            if word not in FILLER_WORDS and (root := stem(word)) not in self.name_stems
        )

    @cached_property
    def effect(self) -> Effect:
        extension = self.source.extension
        declared = extension.get("effect") if isinstance(extension, dict) else None
        return effect_of(self.name, self.hints, declared)

    @cached_property
    def hints(self) -> Annotations:
        """The hints of the definition, as far as they are true or false."""
        stated = {ours: self.annotations.get(theirs) for theirs, ours in HINTS.items()}
        return Annotations(**{name: value for name, value in stated.items() if isinstance(value, bool)})

    @cached_property
    def opening_verb(self) -> str:
        """The verb that the description begins with, as in a name; "" when it begins with something else."""
        match = _OPENING.match(flat(self.description[:200]))
        return _VERBS.get(match[1], "") if match else ""

    @cached_property
    def takes_away(self) -> bool:
        """Whether the name or the first word of the text says that something is gone afterwards."""
        return self.effect.is_destructive or EFFECTS.get(self.opening_verb) in ("destroy", "take_away")

    @cached_property
    def annotations(self) -> dict[str, Any]:
        """The hints of the definition; empty when it has none."""
        return self.source.annotations if isinstance(self.source.annotations, dict) else {}

    @cached_property
    def roles(self) -> ToolRoles:
        """What an attacker could do with the tool: source of foreign or private text, sink of some kind."""
        output = self.source.output_schema if isinstance(self.source.output_schema, dict) else None
        return tool_roles(Tool(self.name, self.description, self.schema, output, annotations=self.hints))

    @cached_property
    def prose(self) -> list[tuple[JsonPath, str]]:
        """Every text written for the model, with its path."""
        texts: list[tuple[JsonPath, str]] = [(("description",), self.description)] if self.description else []
        if self.source.title:
            texts.append((("title",), self.source.title))
        for node in self.nodes:
            for key in ("description", "title", "$comment"):
                text = node.schema.get(key)
                if isinstance(text, str) and text:
                    texts.append(((*node.path, key), text))
        return texts

    @cached_property
    def all_prose(self) -> str:
        """Every text written for the model, in lower case and with single spaces."""
        return "\n".join(flat(text) for _, text in self.prose)

    def search(self, pattern: re.Pattern[str]) -> Iterator[tuple[JsonPath, re.Match[str]]]:
        """Each text that the pattern is found in, with its first occurrence, with any whitespace between the words."""
        return _matches(pattern, self.prose)

    def search_everywhere(self, pattern: re.Pattern[str]) -> Iterator[tuple[JsonPath, re.Match[str]]]:
        """The same in every text of the definition: enums, defaults, examples and unused definitions too."""
        return _matches(pattern, self.strings)

    @cached_property
    def strings(self) -> list[tuple[JsonPath, str]]:
        """Every text in the definition, keys of properties too (their path is that of the property)."""
        texts: list[tuple[JsonPath, str]] = [(("name",), self.name)]
        top = {"title": self.source.title, "description": self.description}
        texts += [((key,), text) for key, text in top.items() if text]
        inner = {
            "input_schema": self.source.input_schema,
            "output_schema": self.source.output_schema,
            "annotations": self.annotations.get("title"),
            "input_examples": shown_examples(self.source),
        }
        return texts + list(chain.from_iterable(_strings_in(value, (key,)) for key, value in inner.items()))

    @cached_property
    def text(self) -> str:
        """The definition as compact JSON, as far as it is sent to a model."""
        parts = {"name": self.name, "description": self.description}
        if not self.is_skill:
            parts["input_schema"] = self.source.input_schema
        try:
            return msgspec.json.encode(parts).decode()
        except (UnicodeEncodeError, OverflowError, RecursionError):  # an unpaired surrogate, 10^40
            return json.dumps(parts, separators=(",", ":"), ensure_ascii=False, default=str)

    @cached_property
    def tokens(self) -> int:
        """Estimated tokens of the definition in every request."""
        return estimate_tokens(self.text)

    def resolve(self, reference: str) -> Any:
        """The target of a local reference, or None."""
        return target_of(self.schema, reference)


def targets_of(source: SourceTool) -> frozenset[str]:
    """The provider whose format the definition uses, in strict mode when it says so."""
    if source.spelling not in FORMATS:
        return frozenset()
    target = check_target(source.spelling)
    strict = f"{target}-strict"
    return frozenset((target, strict) if source.strict and strict in TARGETS else (target,))


def _matches(
    pattern: re.Pattern[str], texts: list[tuple[JsonPath, str]]
) -> Iterator[tuple[JsonPath, re.Match[str]]]:
    for path, text in texts:
        match = pattern.search(flat(text))
        if match:
            yield path, match


def _without_unused_definitions(nodes: list[Node]) -> list[Node]:
    """The nodes without definitions of the root that no reference reaches, directly or indirectly."""

    def definition_of(node: Node) -> str:
        """The definition that the node is in; nothing outside of them."""
        inside = len(node.path) > 2 and node.path[1] in DEFINITIONS
        return f"#/{node.path[1]}/{node.path[2]}" if inside else ""

    parts = group_by(nodes, definition_of)

    def definitions_used(definition: str) -> list[str]:
        references = [reference_of(node.schema) for node in parts.get(definition, ())]
        return ["/".join(reference.split("/")[:3]) for reference in references if reference is not None]

    used = reachable([""], definitions_used)
    return [node for node in nodes if definition_of(node) in used]


def _strings_in(value: Any, path: JsonPath) -> Iterator[tuple[JsonPath, str]]:
    """The texts and keys in a value, with their paths."""
    waiting: list[tuple[Any, JsonPath]] = [(value, path)]
    while waiting:
        here, at = waiting.pop()
        if isinstance(here, str):
            yield at, here
        elif isinstance(here, dict):
            yield from (((*at, key), key) for key in here)
            waiting.extend((inner, (*at, key)) for key, inner in here.items())
        elif isinstance(here, list):
            waiting.extend((inner, (*at, index)) for index, inner in enumerate(here))
