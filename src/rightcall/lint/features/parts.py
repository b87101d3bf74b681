"""Whether a tool acts on a part of a file that is being edited."""

from __future__ import annotations

from rightcall.lint.features.mentions import word_set
from rightcall.lint.features.text import name_tokens
from rightcall.lint.features.tool import ToolFeatures

_FILE = word_set(
    "path filepath filename file document documentpath workbook workbookpath presentation notebook"
)
_WHOLE = word_set("""
    file files path paths directory directories dir dirs folder folders document documents doc docs workbook workbooks
    presentation presentations notebook notebooks backup backups
    """)


def is_part_of_a_file(tool: ToolFeatures) -> bool:
    """`delete_note(path, sheet, cell)`: the file is required, and the name refers to something inside it."""
    if len(tool.parameters) < 2:
        return False
    verb, tokens = tool.effect.verb, tool.name_tokens
    things = tokens[tokens.index(verb) + 1 :] if verb in tokens else ()
    named = any("".join(name_tokens(name)) in _FILE for name in tool.required)
    return named and bool(things) and things[0] not in _WHOLE
