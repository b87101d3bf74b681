"""A parameter that leaks the conversation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.mentions import word_set
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
                f"'{node.name}' sends the conversation to the tool",
                "remove it unless the tool needs it, and say why",
            )


RULE = Rule(
    code="TD812",
    name="smuggling-param",
    severity="warning",
    summary="A parameter called sidenote, conversation_history, system_prompt … in a tool that is not about those.",
    explanation="""Models readily fill it with confidential content. It is a known way to leak a conversation
    to a server that should not see it.""",
    bad={
        "input_schema": {
            "properties": {"sidenote": {"type": "string", "description": "What led to this call so far."}}
        }
    },
    good={},
    sources=("CISCO",),
    check=check,
)
