"""How many tokens a definition costs, estimated offline.

The estimate is the length of the compact JSON (name, description, schema) divided by 4.4 characters a token,
with 0.7 tokens for every character outside ASCII. Tokenizers differ by about a tenth on tool definitions and
providers wrap definitions in text of their own, so treat it as good to about 15 %.
"""

from __future__ import annotations

CHARACTERS_PER_TOKEN = 4.4
TOKENS_PER_WIDE_CHARACTER = 0.7


def estimate_tokens(text: str) -> int:
    """Tokens of a text, rounded up."""
    if text.isascii():
        return -int(-len(text) // CHARACTERS_PER_TOKEN)
    wide = sum(1 for character in text if character > "\x7f")
    return -int(-(wide * TOKENS_PER_WIDE_CHARACTER + (len(text) - wide) / CHARACTERS_PER_TOKEN) // 1)
