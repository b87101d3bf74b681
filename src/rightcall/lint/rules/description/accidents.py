"""Text that nobody meant a model to read."""

from __future__ import annotations

import re

from rightcall.lint.features.mentions import PLACEHOLDERS
from rightcall.lint.features.text import excerpt, parameters_in_docstring
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Edit, Finding, Findings, tool_rule

_UNWRITTEN = re.compile(
    r"^(?:TODO|TBD|FIXME|XXX)\b(?!\s+(?:items?|lists?|tasks?))|\b(?:TODO|FIXME):|\bTBD[.)]?$|(?i:lorem ipsum)"
)


@tool_rule("TD207", "error", sources=("practice",))
def placeholder(tool: ToolFeatures) -> Findings:
    """A description is TODO, TBD, N/A, “…” or the like.

    The model reads it as the description. A note to the author was not meant to be sent.

    Fails: {"input_schema": {"properties": {"city": {"description": "TODO: describe"}}}}
    """
    noted = tool.says_any(_MARKS)
    for path, text in tool.prose:
        if path[-1] == "description" and (
            text.strip().lower().rstrip(".") in _WHOLE or (noted and _UNWRITTEN.search(text))
        ):
            yield Finding(path, f"“{excerpt(text, 40)}” is a placeholder", "write the description")


_MARKS = ("todo", "tbd", "fixme", "xxx", "lorem ipsum")
_WHOLE = PLACEHOLDERS | {""}


_BROKEN = re.compile(
    "[\u00c2\u00c3\u00e2][\u0080-\u00bf\u0152-\u0178\u0192\u02c6\u02dc\u2013-\u2122]{1,2}|\ufffd"
)


@tool_rule("TD212", "warning", fix="safe", sources=("practice",))
def mojibake(tool: ToolFeatures) -> Findings:
    """A text contains characters like `Ã©`, `â€™` or U+FFFD.

    UTF-8 was decoded as another encoding. The model sees noise in the middle of words.

    Fails: {"description": "Returns a cityâ€™s daily forecast, or an error. Use it for coming days. One entry a day."}
    Passes: {"description": "Returns a city’s daily forecast, or an error. Use it for coming days. One entry a day."}
    """
    for path, text in tool.prose:
        if text.isascii() or not (match := _BROKEN.search(text)):
            continue
        repaired = _BROKEN.sub(_repair, text)
        edits = (Edit(path, repaired),) if repaired != text and not _BROKEN.search(repaired) else ()
        near = excerpt(text[max(0, match.start() - 15) : match.end() + 15], 40)
        yield Finding(
            path, f"wrongly decoded characters: “{near}”", "save the source as UTF-8", edits=edits, safe=True
        )


def _repair(match: re.Match[str]) -> str:
    """The characters whose UTF-8 bytes were read as Windows-1252."""
    try:
        return match.group().encode("cp1252").decode("utf-8")
    except (UnicodeEncodeError, UnicodeDecodeError):
        return match.group()


@tool_rule("TD213", "warning", fix="suggested", sources=("OAI-fc",))
def docstring_leak(tool: ToolFeatures) -> Findings:
    r"""An `Args:` block in the text documents parameters whose schemas have no description.

    A docstring was pasted whole. Models and clients look for the meaning of a parameter in its schema, and
    long texts blur what the tool is for. The fix moves each line to its property.

    Fails: {
      "description": "Returns the daily forecast, or an error. Use it for coming days.\n\nArgs:\n    city: City and country, such as Hue, Vietnam.",
      "input_schema": {"properties": {"city": {"description": null}}}
    }
    """
    documented, rest = parameters_in_docstring(tool.description)
    bare = [node for node in tool.parameters if not node.text and documented.get(node.name)]
    if not bare:
        return
    edits = [Edit((*node.path, "description"), documented[node.name]) for node in bare]
    if {node.name for node in bare} == set(documented) and rest.strip():
        edits.insert(0, Edit(("description",), rest.strip()))
    names = ", ".join(node.name for node in bare)
    yield Finding(
        ("description",),
        f"documents {names} in its text while the schema says nothing",
        "move each text to the description of its property",
        edits=tuple(edits),
    )
