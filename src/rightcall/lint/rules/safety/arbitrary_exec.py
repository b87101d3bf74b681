"""A parameter that is run as a program."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.nodes import Node
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

_ALWAYS = re.compile(
    r"sql|sql_?query|shell_?command|bash|shell|javascript|python_?code|shell_?script|command_?line|raw_?sql",
    re.I,
)
_MAYBE = re.compile(r"command|cmd|code|script|expression|query|function|statement", re.I)
_RUN_VERBS = frozenset(["run", "execute", "exec", "eval", "evaluate", "invoke", "start"])
_QUERY = re.compile(r"expression|query", re.I)
_LANGUAGE = r"shell|bash|sql|python|javascript|js|powershell|terminal|program|snippet"
_PROGRAM = re.compile(rf"\b(?:{_LANGUAGE}|code to (?:run|execute|evaluate)|to execute)\b", re.I)
_PROGRAM_OF_A_QUERY = re.compile(rf"\b(?:{_LANGUAGE})\b", re.I)


def check(tool: ToolFeatures) -> Iterator[Finding]:
    for node in tool.parameters:
        if (
            node.is_only("string", "str")
            and "enum" not in node.schema
            and "pattern" not in node.schema
            and _runs(tool, node)
        ):
            yield Finding(
                node.path,
                f"'{node.name}' is executed as received",
                "offer fixed operations, or an allow-list of commands",
            )


def _runs(tool: ToolFeatures, node: Node) -> bool:
    if _ALWAYS.fullmatch(node.name):
        return True
    if not _MAYBE.fullmatch(node.name) or _RUN_VERBS.isdisjoint(tool.name_tokens):
        return False
    if _QUERY.fullmatch(node.name):  # PromQL and the like only read; SQL may be named as what this is not
        first = "".join(tool.sentences[:1])
        return bool(_PROGRAM_OF_A_QUERY.search(f"{node.text} {tool.name} {first}"))
    return bool(_PROGRAM.search(f"{node.text} {tool.name} {tool.description}"))


RULE = Rule(
    code="TD407",
    name="arbitrary-exec",
    severity="warning",
    summary="A free text is run as a command, code or SQL.",
    explanation="""Anything that can influence the model (a web page, a ticket, a file) can get text executed. Fixed
    operations with typed parameters limit what it can do.""",
    bad={
        "input_schema": {
            "properties": {"sql": {"type": "string", "description": "Which rows to read, as a statement."}}
        }
    },
    good={},
    sources=("SNYK", "CISCO"),
    check=check,
)
