"""What a description must answer: when to use the tool, and what it returns."""

from __future__ import annotations

import re

from rightcall.lint.confusability.pairs import LIKELY
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Finding, Findings, SetFindings, set_rule, tool_rule

_USAGE_CUE = re.compile(
    r"\b(?:use (?:this|it|the|when|if|for|only|in|to)|used (?:to|for|when|by)|us(?:e|ing) \S+ (?:tool )?(?:instead"
    r"|when|if|for)"
    r"|instead of|rather than|do(?:es)? not use|don't use|not for|only (?:when|if|for|use|call|works?|available|after)"
    r"|if you|when (?:you|the user|users?|a user|asked|needed|an?)|call this|prefer|useful (?:for|when|to|in)"
    r"|best for|intended for|suitable for|ideal for|should be used|must be (?:called|used)|before calling|after calling"
    r"|useful|requires?|for (?:\w+ ){1,4}use)\b"
)

_RETURN_WORDING = re.compile(
    r"\b(?:return(?:s|ed|ing)?|responds?|response|results?|outputs?|yields?|gives? back|produces?|list of|contains?"
    r"|will receive|you get|as json|the id of)\b"
)


@set_rule("TD205", "info", sources=("ANT-def", "OAI-fc"))
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
        if len(tool.words) < 5 or len(tool.telling_stems) < 2 or _USAGE_CUE.search(tool.lower):
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


@tool_rule("TD206", "info", sources=("SM2", "SM1"))
def no_return_info(tool: ToolFeatures) -> Findings:
    """No output schema and no word on what the tool returns.

    A model plans the next call from what this one will give it: an id, a list, a status.

    Fails: {
      "description": "Looks up the daily forecast of one city. Use it for coming days. Fails with not_found for unknown places.",
      "output_schema": null
    }
    """
    if len(tool.words) < 5 or len(tool.telling_stems) < 2 or tool.source.output_schema is not None:
        return
    if not _RETURN_WORDING.search(tool.lower):
        yield Finding(
            ("description",), "does not say what it returns", "“Returns …”, with the fields that matter"
        )


_NEGATIVE = re.compile(
    r"^(?:do not|don't|never|not (?:for|to|intended)|cannot|can't|this (?:tool )?(?:is not|does not|cannot)|avoid)\b",
    re.I,
)


@tool_rule("TD214", "info", sources=("SM1",))
def negative_only(tool: ToolFeatures) -> Findings:
    """Every sentence says what the tool does not do.

    Limits help only together with a purpose: the model must first know what the tool is for.

    Fails: {"description": "Do not use for past days, which fail. Never use it for results of other planets."}
    """
    if len(tool.words) >= 3 and tool.sentences and all(map(_NEGATIVE.search, tool.sentences)):
        yield Finding(("description",), "only says what it is not for", "say first what it does")
