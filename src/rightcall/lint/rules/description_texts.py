"""What a description says: too little, too much, nothing on its use, or what nobody meant a model to read."""

from __future__ import annotations

import re

from rightcall.lint.confusability.pairs import LIKELY
from rightcall.lint.features.mentions import PLACEHOLDERS
from rightcall.lint.features.text import excerpt, outside_sections, parameters_in_docstring
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Edit, Finding, Findings, SetFindings, set_rule, tool_rule
from rightcall.schema.provider_limits import lower_limits

FEWEST_WORDS = 5
LONGEST = 4000


@tool_rule("TD201", "error", sources=("ANT-def", "BED"))
def missing_description(tool: ToolFeatures) -> Findings:
    """The tool has no description.

    The description is by far the most important thing a model has to choose by. Without one it guesses from
    the name; Bedrock refuses an empty text.

    Fails: {"description": ""}
    """
    if not tool.description.strip():
        yield Finding(
            ("description",),
            "the tool has no description",
            "say what it does, when to use it, what it returns",
        )


@tool_rule("TD202", "warning", sources=("ANT-def", "SM1"))
def too_short(tool: ToolFeatures) -> Findings:
    """The description has fewer than five words, or none outside sections such as `Args:` and `Returns:`.

    Providers advise three or four sentences. A few words leave open what is covered, and the model uses the
    tool for requests it cannot handle. Sections describe the parameters and the result, not when to use the tool. An
    info for a tool without parameters.

    Fails: {"description": "Shows coming rain."}
    """
    if not tool.words or not tool.informative_stems or tool.description.strip().lower() in PLACEHOLDERS:
        return  # missing-description, restates-name and placeholder say it better
    has_prose = bool(outside_sections(tool.description).strip())
    if len(tool.words) < FEWEST_WORDS or not has_prose:
        short = f"{len(tool.words)} {'word is' if len(tool.words) == 1 else 'words are'} too few to choose by"
        yield Finding(
            ("description",),
            short if has_prose else "it has no sentence outside its sections, such as Args and Returns",
            "say what it does, when to use it and when not, what it returns",
            severity=None if tool.parameters else "info",
        )


@tool_rule("TD203", "warning", sources=("SM2",))
def restates_name(tool: ToolFeatures) -> Findings:
    """The description contains only the words of the name (one word more: info).

    `list_records`: “List the records” gives the model nothing the name did not. Nearly three quarters of
    public MCP servers have such a tool; in competition with a described one it is rarely chosen.

    Fails: {"description": "Gets the forecast for the given value."}
    """
    if not tool.words or tool.description.strip().lower() in PLACEHOLDERS:
        return
    if len(tool.informative_stems) <= 1 and tool.description.isascii():
        added = "".join(tool.informative_stems)
        more = f"only '{added}' more than" if added else "no more than"
        yield Finding(
            ("description",),
            f"“{excerpt(tool.description)}” says {more} the name",
            "say what exactly it does, its limits, and when to use it",
            severity="info" if tool.informative_stems else None,
        )


@tool_rule(
    "TD208",
    "warning",
    bad={
        "description": "Returns the forecast, or an error. Use it for coming days. "
        + "It covers one city a call. " * 40
    },
    targets=("openai",),
    sources=("OAI-1024", "SM1"),
)
def too_long(tool: ToolFeatures) -> Findings:
    """The description is longer than 4,000 characters, or than 1,024 for OpenAI.

    OpenAI has rejected texts over 1,024 characters; longer texts also cost tokens in every request and were
    seen to make agents take more steps.
    """
    length = len(tool.description)
    if length <= 1000:
        return
    limit = min([LONGEST, *lower_limits(tool.targets, "characters of a description", length).values()])
    if length > limit:
        why = "the most OpenAI accepts" if limit < LONGEST else "the most that helps a model"
        yield Finding(
            ("description",),
            f"{length:,} characters, more than {limit:,}, {why}",
            "move details into the descriptions of parameters, examples into the system prompt",
        )


_UNWRITTEN = re.compile(
    r"^(?:TODO|TBD|FIXME|XXX)\b(?!\s+(?:items?|lists?|tasks?))|\b(?:TODO|FIXME):|\bTBD[.)]?$|(?i:lorem ipsum)"
)


@tool_rule("TD207", "error", sources=("practice",))
def placeholder(tool: ToolFeatures) -> Findings:
    """A description is TODO, TBD, N/A, “…” or the like.

    The model reads it as the description. A note to the author was not meant to be sent.

    Fails: {"input_schema": {"properties": {"city": {"description": "TODO: describe"}}}}
    """
    for path, text in tool.prose:
        if path[-1] == "description" and (
            text.strip().lower().rstrip(".") in _WHOLE or _UNWRITTEN.search(text)
        ):
            yield Finding(path, f"“{excerpt(text, 40)}” is a placeholder", "write the description")


_WHOLE = PLACEHOLDERS | {""}


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


_USAGE_CUE = re.compile(
    r"\b(?:use (?:this|it|the|when|if|for|only|in|to)|used (?:to|for|when|by)|us(?:e|ing) \S+ (?:tool )?(?:instead"
    r"|when|if|for)"
    r"|instead of|rather than|do(?:es)? not use|don't use|not for|only (?:when|if|for|use|call|works?|available|after)"
    r"|if you|when (?:you|the user|users?|a user|asked|needed|an?)|call this|prefer|useful (?:for|when|to|in)"
    r"|best for|intended for|suitable for|ideal for|should be used|must be (?:called|used)|before calling|after calling"
    r"|useful|requires?|for (?:\w+ ){1,4}use)\b"
)


@set_rule("TD205", "info", worst="warning", sources=("ANT-def", "OAI-fc"))
def no_usage_cue(tools: SetFeatures) -> SetFindings:
    """Nothing says when to use the tool, or when not.

    Phrases like “use when”, “instead of”, “only for” distinguish similar tools. A warning when the set has a
    very similar tool.

    Fails: {"description": "Returns the daily forecast of one city, one entry a day. Fails with not_found for unknown places."}
    """
    rivals: dict[int, str] = {}
    for pair in tools.pairs:
        if pair.score >= LIKELY:
            rivals.setdefault(id(pair.first), pair.second.name)
            rivals.setdefault(id(pair.second), pair.first.name)
    for tool in tools.tools:
        if len(tool.words) < 5 or len(tool.informative_stems) < 2 or _USAGE_CUE.search(tool.lower):
            continue
        rival = rivals.get(id(tool))
        if rival is not None:
            message = f"does not say when to use it rather than {rival}, which is very similar"
            hint = f"“Use for …; for … use {rival}.”"
            yield tool, Finding(("description",), message, hint, severity="warning", others=(rival,))
        else:
            yield Finding(
                ("description",), "does not say when to use it", "“Use when …”, “Do not use for …”"
            ).of(tool)
