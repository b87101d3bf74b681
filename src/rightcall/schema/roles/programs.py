"""Parameters that are run as a command, code or SQL."""

from __future__ import annotations

import re

from rightcall.core.words import name_tokens

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


def is_program(parameter: str, text: str, tool: str, description: str, first_sentence: str) -> bool:
    """Whether a free text is executed, by the names and the descriptions (`text`: the parameter's)."""
    if _ALWAYS.fullmatch(parameter):
        return True
    if not _MAYBE.fullmatch(parameter) or _RUN_VERBS.isdisjoint(name_tokens(tool)):
        return False
    if _QUERY.fullmatch(parameter):  # PromQL and the like only read; SQL may be named as what this is not
        return bool(_PROGRAM_OF_A_QUERY.search(f"{text} {tool} {first_sentence}"))
    return bool(_PROGRAM.search(f"{text} {tool} {description}"))
