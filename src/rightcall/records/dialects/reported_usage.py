"""Tokens as each format of model answers reports them; unknown where an answer reports none."""

from __future__ import annotations

from typing import Any

from rightcall.records.trajectory import UNKNOWN_USAGE, Usage, token_count


def chat_usage(usage: Any) -> Usage:
    """Of chat completions; cached tokens are part of the prompt's."""
    return _usage(usage, "prompt_tokens", "completion_tokens", "prompt_tokens_details")


def responses_usage(usage: Any) -> Usage:
    """Of responses; cached tokens are part of the input's."""
    return _usage(usage, "input_tokens", "output_tokens", "input_tokens_details")


def anthropic_usage(usage: Any) -> Usage:
    """Of Anthropic messages, which count what was read from and written to the cache apart from the input."""
    fresh = _usage(usage, "input_tokens", "output_tokens", "")
    if fresh.input_tokens is None:
        return fresh
    cached = token_count(usage.get("cache_read_input_tokens"))
    written = token_count(usage.get("cache_creation_input_tokens"))
    return Usage(fresh.input_tokens + cached + written, fresh.output_tokens, cached_tokens=cached)


def _usage(usage: Any, input_field: str, output_field: str, details: str) -> Usage:
    if not isinstance(usage, dict) or (usage.get(input_field) is None and usage.get(output_field) is None):
        return UNKNOWN_USAGE
    parts = usage.get(details)
    cached = parts.get("cached_tokens") if isinstance(parts, dict) else None
    tokens_in = token_count(usage.get(input_field))
    tokens_out = token_count(usage.get(output_field))
    return Usage(tokens_in, tokens_out, cached_tokens=token_count(cached))
