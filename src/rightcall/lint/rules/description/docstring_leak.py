"""Parameters documented in the tool's text instead of in the schema."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Edit, Finding
from rightcall.lint.features.text import parameters_in_docstring
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule


def check(tool: ToolFeatures) -> Iterator[Finding]:
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


RULE = Rule(
    code="TD213",
    name="docstring-leak",
    severity="warning",
    summary="An `Args:` block in the text documents parameters whose schemas have no description.",
    explanation="""A docstring was pasted whole. Models and clients look for the meaning of a parameter in its
    schema, and long texts blur what the tool is for. The fix moves each line to its property.""",
    bad={
        "description": (
            "Returns the daily forecast, or an error. Use it for coming days.\n\nArgs:\n    city: City "
            "and country, such as Hue, Vietnam."
        ),
        "input_schema": {"properties": {"city": {"description": None}}},
    },
    good={},
    sources=("OAI-fc",),
    check=check,
    fix="suggested",
)
