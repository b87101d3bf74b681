"""Keys: read from the environment when needed, and kept out of everything that is written."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from rightcall.model.text import PLAIN_WORD
from rightcall.providers.secret_spellings import SplitSecrets, spellings

HIDDEN = "[secret]"

_SECRET_NAME = re.compile(
    r"(^|_)((API|ACCESS)?_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|PASSPHRASE|PAT|CREDENTIAL|SECRET_KEY_BASE)S?(_?\d+)?$",
    re.IGNORECASE,
)
_LOOKS_SECRET = re.compile(
    r"""
      \b(?:sk|pk|rk|xai|gsk|hf|ghp|github_pat|glpat|xox[abpr])[-_][A-Za-z0-9_\-]{12,}   # vendors' prefixes
    | \bAKIA[0-9A-Z]{16}\b                                                              # AWS
    | \bAIza[0-9A-Za-z_\-]{30,}                                                         # Google
    | (?<=uthorization:\ Bearer\ )[A-Za-z0-9._~+/=\-]{8,}
    | (?<=uthorization['"]:\ ['"]Bearer\ )[A-Za-z0-9._~+/=\-]{8,}
    | (?<=uthorization['"]:['"]Bearer\ )[A-Za-z0-9._~+/=\-]{8,}
    | (?<=\bBearer\ )(?!{WORD})[A-Za-z0-9._~+/=\-]{8,}
    """.replace("{WORD}", PLAIN_WORD),
    re.VERBOSE,
)
_HINTS = (
    *("sk-", "sk_", "pk-", "pk_", "rk-", "rk_", "xai-", "xai_", "hf-", "hf_", "ghp-", "ghp_", "pat-", "pat_"),
    *("xox", "AKIA", "AIza", "Bearer "),
)
"""Every match has one of these in it. Most texts have none, and looking for them takes a tenth of the time."""
_SHORTEST = 8  # a shorter value would blank out ordinary words


def scrub(text: str, *known: str) -> str:
    """The text without anything that is, or looks like, a key. `known` values are always removed."""
    return scrubber(*known)(text)


def scrubber(*known: str) -> Callable[[str], str]:
    """`scrub` for many texts: the environment is read once.

    Values of environment variables named like secrets (`…_API_KEY`, `…_TOKEN`) are added to the known ones. Their other
    spellings are removed too: `secret_spellings`.
    """
    secrets = {value for value in (*known, *environment_secrets()) if value}
    values = sorted({form for value in secrets for form in spellings(value)}, key=len, reverse=True)
    split = SplitSecrets([value for value in values if len(value) >= _SHORTEST], HIDDEN)

    def clean(text: str) -> str:
        for value in values:
            if value in text:
                text = text.replace(value, HIDDEN)
        text = split(text)
        for hint in _HINTS:
            if hint in text:
                return _LOOKS_SECRET.sub(HIDDEN, text)
        return text

    return clean


def environment_secrets() -> list[str]:
    """Values of the environment variables that are named like secrets."""
    return [
        value for name, value in os.environ.items() if len(value) >= _SHORTEST and _SECRET_NAME.search(name)
    ]


def one_line(text: str, limit: int = 300) -> str:
    """Untrusted text for an error message: printable, on one line, truncated to `limit` characters."""
    text = text[: 4 * limit]
    flat = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
