"""Placeholder keys for SDK clients that cannot be created without a key; only while replaying, when nothing is sent."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

NAMES = (
    "ANTHROPIC_API_KEY", "AZURE_OPENAI_API_KEY", "CO_API_KEY", "COHERE_API_KEY", "DEEPSEEK_API_KEY",
    "FIREWORKS_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "GROQ_API_KEY", "MISTRAL_API_KEY", "OPENAI_API_KEY",
    "OPENROUTER_API_KEY", "TOGETHER_API_KEY", "XAI_API_KEY",
)  # fmt: skip
PLACEHOLDER = "no-key-is-needed-while-replaying"

_lock = threading.Lock()
_set: set[str] = set()
_holders = 0


@contextmanager
def placeholder_keys(are_needed: bool = True) -> Iterator[None]:
    """Sets placeholders for missing environment variables inside the block; blocks may overlap."""
    global _holders  # noqa: PLW0603  the environment is global too
    if not are_needed:
        yield
        return
    with _lock:
        _holders += 1
        for name in NAMES:
            if name not in os.environ:
                os.environ[name] = PLACEHOLDER
                _set.add(name)
    try:
        yield
    finally:
        with _lock:
            _holders -= 1
            for name in () if _holders else tuple(_set):
                if os.environ.get(name) == PLACEHOLDER:
                    del os.environ[name]
                _set.discard(name)
