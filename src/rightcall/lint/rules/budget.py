"""How many tools there are, what they cost, and text that costs tokens and says nothing."""

from __future__ import annotations

import re

from rightcall.core.words import name_tokens
from rightcall.lint.features.tool import INPUT, ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import REMOVED, Edit, Finding, Findings, SetFindings, set_rule, tool_rule
from rightcall.schema.provider_limits import lower_limits

FAR_TOO_MANY = 50

HEAVY = 600


@set_rule("TD601", "warning", settings={"max_tools": 2}, sources=("OAI-fc", "GEM", "ANT-def"))
def too_many_tools(tools: SetFeatures) -> SetFindings:
    """More than 20 tools are offered together (`max-tools`).

    OpenAI advises fewer than 20, Gemini 10 to 20; beyond 30 to 50 selection degrades with every model. An
    error if a provider rejects the number.

    Fails: [{}, {}, {}]
    Passes: [{}, {}]
    """
    count = len(tools.tools)
    most = tools.config.max_tools
    if count <= most:
        return
    refusing = lower_limits(tools.targets, "tools offered", count)
    far = ", far more" if count > FAR_TOO_MANY else ", more"
    message = f"{count} tools{far} than the {most} a model chooses from reliably"
    if refusing:
        message = f"{count} tools, more than {', '.join(refusing)} accepts"
    yield Finding(
        (),
        message,
        "offer a few at a time: load them by topic, or let the model search for tools",
        severity="error" if refusing else None,
    ).of(tools.tools[0])


@tool_rule(
    "TD602",
    "warning",
    bad={
        "description": "Returns the daily forecast, or an error. Use it for coming days. "
        + " ".join(f"Region {n} is covered by its own office." for n in range(80))
    },
    sources=("measured",),
)
def heavy_tool(tool: ToolFeatures) -> Findings:
    """One definition costs more than about 600 tokens.

    Nine of ten public MCP tools are below that. The definition is sent with every request, and its length
    hides what matters. Tokens are estimated offline: characters of the compact JSON divided by 4.4.
    """
    if tool.tokens > HEAVY:
        yield Finding(
            (), f"about {tool.tokens:,} tokens in every request", "shorten texts, drop rare options, split it"
        )


@set_rule("TD603", "warning", settings={"max_tokens": 300}, sources=("measured",))
def heavy_set(tools: SetFeatures) -> SetFindings:
    """All definitions together cost more than about 10,000 tokens (`max-tokens`).

    They are paid for in every request and crowd out the conversation. Public servers reach 25,000.

    Fails: [{}, {}, {}]
    Passes: [{}]
    """
    most = tools.config.max_tokens
    if tools.tokens > most:
        heaviest = sorted(tools.tools, key=lambda tool: -tool.tokens)[:3]
        names = ", ".join(f"{tool.name} {tool.tokens:,}" for tool in heaviest)
        yield Finding(
            (),
            f"about {tools.tokens:,} tokens in every request, more than {most:,}",
            f"load tools by topic; the heaviest: {names}",
        ).of(tools.tools[0])


_PREFIX = re.compile(
    r"^\s*(?:(?:this|the) (?:tool|function|method|api|endpoint|operation)(?: \w+)? (?:(?:allows?|enables?"
    r"|lets?) (?:you |users? |the user )?(?:to )?"
    r"|is (?:used|designed) to |can be used to |will |helps? (?:you )?(?:to )?|(?=[a-z]+s\b))"
    r"|(?:allows?|enables?|lets?) (?:you|users?|the user) (?:to )?)",
    re.IGNORECASE,
)
_NOT_VERBS = frozenset(("is", "was", "has", "does", "belongs"))


@tool_rule("TD604", "info", fix="safe", sources=("practice",))
def boilerplate_prefix(tool: ToolFeatures) -> Findings:
    """The description begins with “This tool …” or “Allows you to …”.

    Every tool is a tool. The words cost tokens and push the verb away from the place where it is read first.

    Fails: {"description": "This tool returns the daily forecast of one city. Use it when the user asks about coming days. Fails with not_found."}
    """
    match = _PREFIX.match(tool.description)
    if not match:
        return
    rest = tool.description[match.end() :]
    first = re.match(r"[a-z]+", rest)
    if not first or first.group() in _NOT_VERBS:
        return
    better = rest[0].upper() + rest[1:]
    yield Finding(
        ("description",),
        f"begins with “{match.group().strip()}”",
        "start with what it does",
        edits=(Edit(("description",), better),),
        safe=True,
    )


@tool_rule("TD606", "info", fix="safe", sources=("OAI-sdk", "measured"))
def title_noise(tool: ToolFeatures) -> Findings:
    """Titles that only repeat property names, or `$schema` naming the default dialect.

    Generators put them there; they are sent with every request and tell the model nothing.

    Fails: {"input_schema": {"properties": {"city": {"title": "City"}, "days": {"title": "Days"}}}}
    """
    noise = [
        node
        for node in tool.nodes
        if isinstance(title := node.schema.get("title"), str)
        and (
            (node.name and name_tokens(title) == name_tokens(node.name))
            or (node.parent is None and _is_generated(tool, title))
        )
    ]
    if noise:
        what = "the title repeats the name" if len(noise) == 1 else f"{len(noise)} titles repeat the names"
        edits = tuple(Edit((*node.path, "title"), REMOVED) for node in noise)
        yield Finding((*noise[0].path, "title"), f"{what}", "remove them", edits=edits, safe=True)
    if tool.schema.get("$schema") == "https://json-schema.org/draft/2020-12/schema":
        path = (*INPUT, "$schema")
        message = "$schema names the dialect that is the default"
        yield Finding(path, message, "remove it", edits=(Edit(path, REMOVED),), safe=True)


def _is_generated(tool: ToolFeatures, title: str) -> bool:
    """Frameworks call the root `<name>Arguments`, `<name>Args` or `<name>Input`."""
    tokens = name_tokens(title)
    generated = bool(tokens) and tokens[-1] in ("arguments", "args", "input", "schema")
    return generated and tokens[:-1] == tool.name_tokens
