"""How much a description says."""

from __future__ import annotations

from rightcall.lint.features.mentions import PLACEHOLDERS
from rightcall.lint.features.text import excerpt
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Finding, Findings, tool_rule
from rightcall.schema.provider_limits import provider

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
    """The description has fewer than five words.

    Providers advise three or four sentences. A few words leave open what is covered, and the model uses the
    tool for requests it cannot handle. An info for a tool without parameters.

    Fails: {"description": "Shows coming rain."}
    """
    if not tool.words or not tool.telling_stems or tool.description.strip().lower() in PLACEHOLDERS:
        return  # missing-description, restates-name and placeholder say it better
    if len(tool.words) < FEWEST_WORDS:
        yield Finding(
            ("description",),
            f"{len(tool.words)} {'word is' if len(tool.words) == 1 else 'words are'} too few to choose by",
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
    if len(tool.telling_stems) <= 1 and tool.description.isascii():
        added = "".join(tool.telling_stems)
        more = f"only '{added}' more than" if added else "no more than"
        yield Finding(
            ("description",),
            f"“{excerpt(tool.description)}” says {more} the name",
            "say what exactly it does, its limits, and when to use it",
            severity="info" if tool.telling_stems else None,
        )


@tool_rule("TD204", "info", sources=("ANT-def",))
def under_specified(tool: ToolFeatures) -> Findings:
    """A single sentence describes a tool with several parameters or with an effect.

    Three or four sentences (what, when, limits, result) are the advice of providers for all but the simplest
    tools.

    Fails: {"description": "Returns an error or the daily forecast, use it for coming days only"}
    """
    if len(tool.words) < 5 or len(tool.telling_stems) < 2 or len(tool.sentences) > 1:
        return
    count = len(tool.parameters)
    if count >= 2 or tool.effect.is_write:
        why = f"for {count} parameters" if count >= 2 else "for a tool that changes something"
        yield Finding(
            ("description",), f"one sentence {why}", "add when to use it, its limits, and what it returns"
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
    limits = [limit for target in tool.targets if (limit := provider(target).description_length) is not None]
    limit = min([LONGEST, *limits])
    if length > limit:
        why = "the most OpenAI accepts" if limit < LONGEST else "the most that helps a model"
        yield Finding(
            ("description",),
            f"{length:,} characters, more than {limit:,}, {why}",
            "move details into the descriptions of parameters, examples into the system prompt",
        )
