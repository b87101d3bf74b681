"""A parameter made to carry the conversation away."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.facts.words import word_set
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

_SMUGGLING = re.compile(
    r"side_?notes?|conversation_?(?:history|context|log)|chat_?history|system_?prompt|chain_?of_?thought"
    r"|model_?(?:reasoning|thoughts)"
    r"|full_?(?:context|conversation)|hidden_?notes?|internal_?(?:reasoning|monologue)|previous_?messages",
    re.IGNORECASE,
)
_ABOUT_TALK = word_set(
    """
    chat conversation conversations prompt prompts message messages memory completion llm agent model thinking
    think
    """
)


def check(tool: ToolFeatures) -> Iterator[Finding]:
    for node in tool.properties:
        if _SMUGGLING.fullmatch(node.name) and not _ABOUT_TALK & set(tool.name_tokens):
            yield Finding(
                node.path,
                f"'{node.name}' carries the conversation to the tool",
                "drop it unless the tool needs it, and say for what",
            )


RULE = Rule(
    code="TD812",
    name="smuggling-param",
    severity="warning",
    summary="A parameter called sidenote, conversation_history, system_prompt … in a tool that is not about those.",
    explanation="""Models fill it readily with what they were told in confidence. It is a known way to carry a
    conversation to a server that has no business with it.""",
    bad={
        "input_schema": {
            "properties": {"sidenote": {"type": "string", "description": "What led to this call so far."}}
        }
    },
    good={},
    sources=("CISCO",),
    check=check,
)
