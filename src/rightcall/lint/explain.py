"""Explains rules: in the terminal and as JSON."""

from __future__ import annotations

import json
import textwrap
from typing import Any

from rightcall.core.groups import group_by
from rightcall.lint.rule import FAMILIES, Rule, all_rules

FIXES = {
    "none": "",
    "safe": "`rightcall lint --fix` fixes it without changing the meaning.",
    "suggested": "`rightcall lint --suggest` shows a patch for review.",
}


def rule_facts(rule: Rule) -> dict[str, Any]:
    """A rule as plain values."""
    return {
        "code": rule.code,
        "name": rule.name,
        "family": rule.family,
        "severity": rule.severity,
        "fix": rule.fix,
        "summary": rule.summary,
        "explanation": " ".join(rule.explanation.split()),
        "bad": rule.bad,
        "good": rule.good,
        "targets": list(rule.targets),
        "sources": [SOURCES[source] for source in rule.sources],
    }


def as_text(rule: Rule) -> str:
    """A rule for the terminal."""
    parts = [
        f"{rule.code} {rule.name} ({rule.severity}, {FAMILIES[rule.family].lower()})",
        rule.summary,
        textwrap.fill(" ".join(rule.explanation.split()), 100),
        *example_parts(rule, lambda title, code: f"{title}\n{textwrap.indent(code, '    ')}"),
        *([FIXES[rule.fix].replace("`", "")] if rule.fix != "none" else []),
        "sources:\n" + "\n".join(f"  - {SOURCES[source]}" for source in rule.sources),
        f'disable it for one skill: per-tool-ignores = {{"NAME" = ["{rule.code}"]}} in [tool.rightcall.lint]'
        if rule.family == "skills"
        else f'disable it in one definition: "x-rightcall": {{"ignore": {{"{rule.code}": "the reason"}}}}',
    ]
    return "\n\n".join(parts)


def as_table() -> str:
    """All rules, a line each, under their families."""
    return "\n".join(
        "\n".join([title, *(f"  {r.code}  {r.severity:<7}  {r.name:<26} {r.summary}" for r in rules)])
        for title, rules in rules_by_title().items()
    )


def rules_by_title() -> dict[str, list[Rule]]:
    """The rules under the titles of their families, in the order of the codes."""
    families = group_by(all_rules(), lambda rule: rule.family)
    return {title: families[family] for family, title in FAMILIES.items() if family in families}


def example_parts(rule: Rule, shown: Any) -> list[str]:
    """The bad example and, when it says something, the good one."""
    parts = [shown("Fails", _compact(rule.bad))] if rule.bad else []
    says_something = rule.good and rule.good != [{}] * len(rule.good)
    return [*parts, shown("Passes", _compact(rule.good))] if says_something else parts


def _compact(value: Any, indent: int = 0) -> str:
    """JSON with what fits on a line on one line."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + indent <= 96 or not isinstance(value, dict | list) or not value:
        return line
    inner = " " * (indent + 2)
    if isinstance(value, dict):
        members = [
            f"{inner}{json.dumps(k, ensure_ascii=False)}: {_compact(v, indent + 2)}" for k, v in value.items()
        ]
        return "{\n" + ",\n".join(members) + "\n" + " " * indent + "}"
    return "[\n" + ",\n".join(f"{inner}{_compact(v, indent + 2)}" for v in value) + "\n" + " " * indent + "]"


SOURCES: dict[str, str] = {
    "SKILLS": (
        "Agent Skills, the published format (agentskills.io): front matter, limits of name and description, "
        "allowed-tools, progressive loading; and the guide for clients"
    ),
    "ANT-def": (
        "Anthropic, “Define tools” (platform.claude.com): names, detailed descriptions, consolidation, "
        "namespaces"
    ),
    "ANT-sdk": (
        "PyPI anthropic 2.8.0: types/tool_param.py and lib/_parse/_transform.py, the strict subset as "
        "implemented"
    ),
    "ANT-lim": "Anthropic strict-mode limits per request (20 strict tools, 24 optional, 16 union parameters), "
    "documentation and error texts",
    "ANT-root": "Anthropic error text: input_schema does not support oneOf, allOf, or anyOf at the top level",
    "ANT-eng": "Anthropic Engineering, “Writing effective tools for agents”, 2025-09-11",
    "OAI-fc": "OpenAI, function-calling guide: fewer than 20 functions, enums, invalid states, the intern test",
    "OAI-so": "OpenAI, structured outputs, “Supported schemas”",
    "OAI-sdk": "PyPI openai 3.49.0: names, lib/_pydantic.py ($ref with siblings is inlined)",
    "OAI-1024": "OpenAI error text “string too long … maximum length 1024” (getsentry/sentry-mcp#106, "
    "OpenHands#4838, 2024-11 to 2025-04)",
    "GEM": "PyPI google-genai 3.1.0 types.py and the Gemini function-calling documentation",
    "BED": "PyPI botocore 1.44.0, bedrock-runtime: ToolName, ToolSpecification",
    "MCP": "Model Context Protocol, specification 2026-07-28: server/tools, JSON Schema usage",
    "SM1": "arXiv 2602.14878, smells in 856 tools of 103 MCP servers",
    "SM2": "arXiv 2602.18914, smells in 10,831 MCP servers and their effect on selection",
    "TSC": "ToolScope, arXiv 2510.20036: merging overlapping tools raises selection accuracy",
    "GAME": "“Gaming Tool Preferences”, arXiv 2505.18135: assertive cues shift which of two equal tools is used",
    "META": "MetaTool, arXiv 2310.03128: similar tools are confused",
    "CAMEL": "Debenedetti et al., Defeating Prompt Injections by Design (arXiv:2503.18813)",
    "SNYK": "Snyk agent-scan, issue codes",
    "CISCO": "Cisco mcp-scanner, YARA rules and readiness heuristics",
    "STR": "Stripe API reference, idempotent requests",
    "IETF": "draft-ietf-httpapi-idempotency-key-header-07",
    "JSON": "JSON Schema 2020-12, core and validation",
    "UTS39": "Unicode Technical Standard 39, security mechanisms",
    "measured": "measured on public tool sets: 3,420 definitions of bfcl-eval and MCP servers as installed",
    "practice": "engineering practice, no single source",
}
