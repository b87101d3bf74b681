"""Names of parameters."""

from __future__ import annotations

from rightcall.core.words import name_tokens, stem, words
from rightcall.lint.features.mentions import AMBIGUOUS_PARAMETERS, FILLER_WORDS
from rightcall.lint.features.nodes import Node
from rightcall.lint.features.text import case_style, excerpt, usual_style
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Finding, Findings, tool_rule


@tool_rule("TD110", "warning", sources=("ANT-eng",))
def ambiguous_param_name(tool: ToolFeatures) -> Findings:
    """A parameter called id, data, value, user, type … and a description that adds nothing.

    A model fills `user` with a name, an e-mail address or an id, whichever it saw last. `user_id` with a
    sentence on where the id comes from is filled correctly.

    Fails: {"input_schema": {"properties": {"user": {"type": "string", "description": "The user."}}}}
    Passes: {"input_schema": {"properties": {"station": {
      "type": "string", "description": "Name of the station, as list_stations gives it."
    }}}}
    """
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
    # “Repository name” says whose.
    return all(word in FILLER_WORDS or stem(word) in names for word in text_words)


@tool_rule("TD111", "info", sources=("practice",))
def param_case_mix(tool: ToolFeatures) -> Findings:
    """Parameters of one tool mix snake_case and camelCase.

    A model that has written `user_id` continues with `order_id`, even if the schema has `orderId`.

    Fails: {"input_schema": {"properties": {
      "unit_system": {
        "type": "string", "enum": ["metric", "imperial"], "description": "System of the numbers returned."
      },
      "windScale": {
        "type": "string", "enum": ["beaufort", "knots"], "description": "Scale for wind strength in the answer."
      }
    }}}
    Passes: {"input_schema": {"properties": {
      "unit_system": {
        "type": "string", "enum": ["metric", "imperial"], "description": "System of the numbers returned."
      },
      "wind_scale": {
        "type": "string", "enum": ["beaufort", "knots"], "description": "Scale for wind strength in the answer."
      }
    }}}
    """
    usual = usual_style(node.name for node in tool.parameters)
    odd = [node for node in tool.parameters if usual and case_style(node.name) not in ("", usual)]
    if odd:
        names = ", ".join(node.name for node in odd)
        yield Finding(odd[0].path, f"{names}: not {usual} case like the others", "use one style in a tool")
