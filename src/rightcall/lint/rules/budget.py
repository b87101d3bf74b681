"""How many tools there are, what they cost, and text that costs tokens and says nothing."""

from __future__ import annotations

from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Finding, Findings, SetFindings, set_rule, tool_rule
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
