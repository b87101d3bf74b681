"""Tools that destroy or overwrite something."""

from __future__ import annotations

import re

from rightcall.core.words import name_tokens, word_set
from rightcall.lint.features.mentions import CONFIRMING_PARAMETER, IRREVERSIBLE, LINKS
from rightcall.lint.features.text import flat
from rightcall.lint.features.tool import INPUT, ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Edit, Finding, Findings, SetFindings, set_rule, tool_rule

_CONSEQUENCE = re.compile(
    r"\b(?:stays?|remains?|(?:is|are) (?:kept|cleared)|(?:left|is|are) (?:untouched|intact|unchanged)"
    r"|and every(?:thing)?|also (?:removes?|deletes?|drops?)|along with"
    r"|(?:with|and) (?:everything|all (?:of )?(?:its|their)|(?:its|their) (?:data|contents?|children|history))|becomes?"
    r"|with all (?:the|of)|will (?:show|break|resume)|so (?:that )?\w[^.]* again|complete(?:ly)? remov\w+"
    r"|(?:delet|remov|eras)ing (?:the |all |its |their )?(?:associated|related|underlying))\b"
)
"""What else is deleted, what is left, or what breaks."""

_REVERSIBLE = re.compile(
    r"(?<!ir)reversible|can be (?:undone|reversed|restored|reactivated)|remains? intact|stays? as"
)


_TWO_STEP = frozenset(["preview", "confirm", "prepare", "stage", "simulate"])
_WHOLESALE = re.compile(r"all|delete_all|filter|filters|where|everything|recursive", re.I)
MOST = 50
_TRASH = re.compile(
    r"\b(?:trash|recycle bin|soft[- ]delet\w*|can be (?:restored|undone|recovered|undeleted))\b"
)

_REQUEST = re.compile(r"\bDELETE (?:HTTP )?(?:requests?|calls?|method)\b|\bHTTP DELETE\b")
"""A tool that sends any request: what is lost is up to the address."""


@tool_rule("TD401", "error", sources=("SNYK", "CISCO"))
def destructive_no_warning(tool: ToolFeatures) -> Findings:
    """A tool that deletes, drops, wipes … does not say whether this is final or can be undone.

    Two tools that delete look alike to a model until one says “permanently, with all data” and the other
    “only the session; the account stays”. It is enough to say what goes with it, what stays or what breaks.
    Verbs that merely take something away (cancel, remove) give an info, and so do parts of a file that is
    being edited, and links between two things that stay (a mapping, a membership).

    Fails: {
      "name": "delete_station",
      "description": "Deletes one station of the network. Use it when a mast was taken down. Fails with not_found, returns its name.",
      "input_schema": {
        "properties": {
          "city": null,
          "days": null,
          "station": {"type": "string", "description": "Name of the station as painted on its mast."},
          "dry_run": {"type": "boolean", "description": "Only report what would happen."}
        },
        "required": ["station", "dry_run"]
      },
      "annotations": {"readOnlyHint": false, "destructiveHint": true}
    }
    Passes: {
      "name": "delete_station",
      "description": "Permanently deletes one station with all its readings; this cannot be undone. Use it when a mast was taken down. Fails with not_found, returns its name.",
      "input_schema": {
        "properties": {
          "city": null,
          "days": null,
          "station": {"type": "string", "description": "Name of the station as painted on its mast."},
          "dry_run": {"type": "boolean", "description": "Only report what would happen."}
        },
        "required": ["station", "dry_run"]
      },
      "annotations": {"readOnlyHint": false, "destructiveHint": true}
    }
    """
    effect = tool.effect
    if (
        not effect.is_destructive
        or effect.verb not in tool.name_tokens
        or IRREVERSIBLE.search(tool.all_prose)
        or _CONSEQUENCE.search(flat(tool.description))
        or _REQUEST.search(tool.description)
    ):
        return
    is_minor = _is_minor(tool)
    yield Finding(
        ("description",),
        f"'{effect.verb}' {'is destructive' if effect.kind == 'destroy' else 'takes something away'}, and the "
        "description does not say whether it can be undone",
        "say what is lost and whether it can be recovered: “Permanently deletes …; cannot be undone.”",
        severity="error" if effect.kind == "destroy" and not is_minor else "info",
    )


@set_rule("TD402", "warning", sources=("GEM", "MCP"))
def destructive_no_guard(tools: SetFeatures) -> SetFindings:
    """A destructive tool has no confirmation, dry run or expected version, and no preview tool.

    A required `confirmation_token` that only a preview, or the user, can give makes it impossible to destroy
    by a wrong guess. Verbs that merely take something away give an info, and so do parts of a file that is
    being edited, links between two things, and what goes to the trash.

    Fails: {
      "name": "delete_station",
      "description": "Permanently deletes one station with all its readings; this cannot be undone. Use it when a mast was taken down. Fails with not_found, returns its name.",
      "input_schema": {
        "properties": {
          "city": null,
          "days": null,
          "station": {"type": "string", "description": "Name of the station as painted on its mast."}
        },
        "required": ["station"]
      },
      "annotations": {"readOnlyHint": false, "destructiveHint": true}
    }
    """
    previews = [other for other in tools.tools if not _TWO_STEP.isdisjoint(other.name_tokens)]
    for tool in tools.tools:
        if not tool.effect.is_destructive or any(
            CONFIRMING_PARAMETER.search(name) for name in tool.parameter_names
        ):
            continue
        if tool.effect.kind == "take_away" and _REVERSIBLE.search(tool.lower):
            continue
        if any(tool.name_stems & other.name_stems for other in previews):
            continue
        yield Finding(
            INPUT,
            f"'{tool.effect.verb}' takes effect on the first call, without confirmation",
            "require a confirmation_token returned by a preview, or accept dry_run or expected_version",
            severity="warning" if tool.effect.kind == "destroy" and not _is_minor(tool) else "info",
        ).of(tool)


@tool_rule("TD409", "warning", fix="suggested", sources=("CISCO",))
def bulk_destructive(tool: ToolFeatures) -> Findings:
    """A destructive tool takes a list without `maxItems`, a filter, or “all”.

    One wrong call then destroys everything. A limit turns it into an error.

    Fails: {
      "name": "delete_stations",
      "description": "Permanently deletes stations with their readings; this cannot be undone. Use it when masts were taken down. Fails with not_found, returns their names.",
      "input_schema": {
        "properties": {
          "city": null,
          "days": null,
          "stations": {"type": "array", "items": {"type": "string"}, "description": "Names as painted on the masts."},
          "dry_run": {"type": "boolean", "description": "Only report what would happen."}
        },
        "required": ["stations", "dry_run"]
      },
      "annotations": {"readOnlyHint": false, "destructiveHint": true}
    }
    """
    if tool.effect.kind != "destroy":
        return
    for node in tool.parameters:
        if node.is_only("array") and "maxItems" not in node.schema:
            edit = Edit((*node.path, "maxItems"), MOST)
            yield Finding(
                node.path,
                f"'{node.name}' may contain any number of things to {tool.effect.verb}",
                f'add "maxItems": {MOST}',
                edits=(edit,),
            )
        elif _WHOLESALE.fullmatch(node.name):
            yield Finding(
                node.path,
                f"'{node.name}' lets one call {tool.effect.verb} without a limit",
                "limit how many one call may touch",
            )


_FILE = word_set(
    "path filepath filename file document documentpath workbook workbookpath presentation notebook"
)
_WHOLE = word_set("""
    file files path paths directory directories dir dirs folder folders document documents doc docs workbook workbooks
    presentation presentations notebook notebooks backup backups
    """)


def _is_minor(tool: ToolFeatures) -> bool:
    """Whether what is deleted is part of a file, only connects two things, or can be taken back from the trash."""
    is_kept = _TRASH.search(tool.lower) is not None and "permanent" not in tool.lower
    return _is_part_of_a_file(tool) or tool.name_tokens[-1] in LINKS or is_kept


def _is_part_of_a_file(tool: ToolFeatures) -> bool:
    """`delete_note(path, sheet, cell)`: the file is required, and the name refers to something inside it."""
    if len(tool.parameters) < 2:
        return False
    verb = tool.effect.verb
    tokens = tool.name_tokens
    things = tokens[tokens.index(verb) + 1 :] if verb in tokens else ()
    named = any("".join(name_tokens(name)) in _FILE for name in tool.required)
    return named and bool(things) and things[0] not in _WHOLE
