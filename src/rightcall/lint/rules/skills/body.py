"""What is loaded with a skill."""

from __future__ import annotations

import re

from rightcall.core.text import pluralize
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Finding, Findings, tool_rule

MOST_LINES = 500
MOST_TOKENS = 5000
LEAST_WORDS = 20
BUILT_IN = ("Bash", "Read", "Write", "Edit", "Glob", "Grep", "WebFetch", "WebSearch", "NotebookEdit", "Task")

_USE = re.compile(
    rf"\b(?:[Uu]se|[Cc]all|[Rr]un|[Ii]nvoke|[Ww]ith) (?:the )?`({'|'.join(BUILT_IN)}|mcp__\w+)`(?: tool)?"
)


@tool_rule(
    "SK105",
    "info",
    bad={"SKILL.md": "---\nname: forecast\ndescription: Forecasts of a city. Use when the user asks about coming days.\n"
         "---\n# Forecast\n" + "- day\n" * 501},
    sources=("SKILLS",),
)  # fmt: skip
def body_length(tool: ToolFeatures) -> Findings:
    """The body has more than 500 lines or about 5,000 tokens.

    All of it enters the context whenever the skill is loaded. Move what is seldom needed to `references/`, and say in the
    body when to read it. A token is taken as four characters.
    """
    body = tool.skill.body
    lines, tokens = body.count("\n") + 1, tool.skill.text.tokens
    if lines > MOST_LINES or tokens > MOST_TOKENS:
        message = f"{lines:,} lines, about {tokens:,} tokens, are loaded at once"
        hint = f"keep it below {MOST_LINES} lines and {MOST_TOKENS:,} tokens: move details to references/"
        yield Finding(("body",), message, hint, line=tool.skill.text.body_line)


@tool_rule("SK106", "warning", sources=("SKILLS",))
def empty_body(tool: ToolFeatures) -> Findings:
    r"""The body has fewer than 20 words.

    A model that loads the skill learns no more than the description said.

    Fails: {"SKILL.md": "---\nname: forecast\ndescription: Forecasts of a city. Use when the user asks about coming days.\n---\n# Forecast\n"}
    """
    if not tool.is_readable or tool.folder.text.problem:
        return
    text = tool.skill.body
    count = len(text.split())
    scripts = sum(character > "\u2e7f" for character in text)  # scripts that separate no words
    if count < LEAST_WORDS and scripts < 2 * LEAST_WORDS:
        message = f"the body has {pluralize(count, 'word')}" if count else "the body is empty"
        yield Finding(("body",), message, "say how to do it, step by step", line=tool.skill.text.body_line)


@tool_rule("SK111", "info", sources=("SKILLS",))
def undeclared_tool(tool: ToolFeatures) -> Findings:
    r"""The body says to use a tool that `allowed-tools` does not list.

    Where `allowed-tools` is given, other tools need a permission each time, or are not there.

    Fails: {"SKILL.md": "---\nname: forecast\ndescription: Forecasts of a city. Use when the user asks about coming days.\nallowed-tools: Read\n---\n# Forecast\n\nAsk for the city and the number of days, then use the `WebFetch` tool on the forecast service and report one line for each day.\n"}
    """
    allowed = {word.partition("(")[0] for word in tool.folder.text.allowed_tools}
    if not allowed or "*" in allowed:
        return
    for number, line in tool.skill.prose:
        for match in _USE.finditer(line):
            if match[1] not in allowed:
                message = f"tells the model to use {match[1]}, which allowed-tools lacks"
                yield Finding(("body", match[1]), message, f"add {match[1]} to allowed-tools", line=number)
                return
