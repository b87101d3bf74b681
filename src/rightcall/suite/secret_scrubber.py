"""Removes secrets from results: a model may repeat a key it was shown, and stores are shared.

Scoring sees what the model said; what is stored, printed and reported is scrubbed, as cassettes are.
"""

from __future__ import annotations

from typing import Any, get_args

import msgspec

from rightcall.model.call import CallStatus, ToolCall, ToolResult
from rightcall.model.failure import Code, Failure
from rightcall.model.message import Message
from rightcall.model.run import CaseResult
from rightcall.model.score import Score
from rightcall.model.trajectory import LedgerEntry, StopReason, Trajectory, Usage
from rightcall.providers import scrubber

RECORDS = (CaseResult, Score, Failure, Trajectory, Message, ToolCall, ToolResult, Usage, LedgerEntry)
WORDS = frozenset(
    word
    for words in (
        *(record.__struct_fields__ for record in RECORDS),
        *map(get_args, (Code, StopReason, CallStatus)),
    )
    for word in words
) | {"assistant"}
"""Words of the record format, never treated as secrets even if the environment has an equal one."""


class ResultScrubber:
    """Reads the environment once per run and checks every result."""

    def __init__(self) -> None:
        self._clean = scrubber()

    def __call__(self, result: CaseResult) -> CaseResult:
        """The same object if its JSON contains no secret."""
        try:
            text = msgspec.json.encode(result, enc_hook=repr).decode()
        except (TypeError, ValueError, RecursionError):  # the store replaces what it cannot encode
            text = repr(result)
        if self._clean(text) == text:
            return result
        plain = self._without_secrets(msgspec.to_builtins(result, enc_hook=repr))
        return msgspec.convert(plain, CaseResult)

    def _without_secrets(self, value: Any) -> Any:
        if isinstance(value, str):
            return value if value in WORDS else self._clean(value)
        if isinstance(value, dict):
            return {self._without_secrets(key): self._without_secrets(inner) for key, inner in value.items()}
        return [self._without_secrets(inner) for inner in value] if isinstance(value, list | tuple) else value
