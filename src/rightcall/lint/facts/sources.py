"""Where each piece of advice comes from; rules cite by the short name."""

from __future__ import annotations

SOURCES: dict[str, str] = {
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
    "SNYK": "Snyk agent-scan, issue codes",
    "CISCO": "Cisco mcp-scanner, YARA rules and readiness heuristics",
    "STR": "Stripe API reference, idempotent requests",
    "IETF": "draft-ietf-httpapi-idempotency-key-header-07",
    "JSON": "JSON Schema 2020-12, core and validation",
    "UTS39": "Unicode Technical Standard 39, security mechanisms",
    "measured": "measured on public tool sets: 3,420 definitions of bfcl-eval and MCP servers as installed",
    "practice": "engineering practice, no single source",
}
