"""A parameter whose name and text are ambiguous."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.mentions import AMBIGUOUS_PARAMETERS, FILLER_WORDS
from rightcall.lint.features.nodes import Node
from rightcall.lint.features.text import excerpt, name_tokens, stem, words
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule


def check(tool: ToolFeatures) -> Iterator[Finding]:
    for node in tool.parameters:
        if leaves_open(node):
            yield Finding(
                node.path,
                f"'{node.name}: {excerpt(node.text, 40)}' leaves open which {node.name.lower()} is meant",
                "name it fully (user_id) and say where the value comes from",
            )


def leaves_open(node: Node) -> bool:
    """Is the name ambiguous, the text short, and the schema no help either?"""
    if node.name.lower() not in AMBIGUOUS_PARAMETERS or not node.text:
        return False
    if any(key in node.schema for key in ("enum", "const", "format", "pattern", "examples", "properties")):
        return False
    text_words = words(node.text)
    if len(text_words) >= 4 or node.is_only("boolean"):
        return False
    names = {stem(token) for token in name_tokens(node.name)}
    return all(
        word in FILLER_WORDS or stem(word) in names for word in text_words
    )  # “Repository name” says whose


RULE = Rule(
    code="TD110",
    name="ambiguous-param-name",
    severity="warning",
    summary="A parameter called id, data, value, user, type … and a description that adds nothing.",
    explanation="""A model fills `user` with a name, an e-mail address or an id, whichever it saw last. `user_id`
    with a sentence on where the id comes from is filled correctly.""",
    bad={"input_schema": {"properties": {"user": {"type": "string", "description": "The user."}}}},
    good={
        "input_schema": {
            "properties": {
                "station": {
                    "type": "string",
                    "description": "Name of the station, as list_stations gives it.",
                }
            }
        }
    },
    sources=("ANT-eng",),
    check=check,
)
