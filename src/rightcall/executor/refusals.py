"""Refusals that retrying cannot fix: a wrong model name, a wrong key, a used-up quota."""

from __future__ import annotations

import re

from rightcall.errors import InfrastructureError, ProviderError

ENOUGH = 5
"""Number of equal refusals in a row, without any answer, that stop a run."""

PERMANENT = frozenset(("auth", "rejected", "rate_limit", "unreachable", "tls"))
"""Failures that, when not retryable, point to the setup rather than to one request."""

_VARYING = re.compile(r"[0-9a-f-]{8,}|\d+|req_\w+", re.IGNORECASE)
"""Request ids and timestamps, which differ between equal refusals."""


class Refusals:
    """Counts equal permanent refusals until something is answered."""

    def __init__(self) -> None:
        self._last, self._count, self._answered = "", 0, False

    def answered(self) -> None:
        self._answered = True

    def add(self, error: ProviderError) -> None:
        """Count a refusal; raises `InfrastructureError` after enough equal ones."""
        if self._answered or error.retryable or error.kind not in PERMANENT:
            return
        likeness = f"{error.status} {_VARYING.sub('', error.problem)}"
        self._count = self._count + 1 if likeness == self._last else 1
        self._last = likeness
        if self._count >= ENOUGH:
            raise InfrastructureError(
                f"run stopped: the first {ENOUGH} requests were all rejected with the same error.\n"
                f"{error.problem}"
            ) from None
