"""Refusals that no patience will change: a wrong model name, a wrong key, a used-up quota."""

from __future__ import annotations

import re

from rightcall.errors import InfrastructureError, ProviderError

ENOUGH = 5
"""Equal refusals, with no answer before or between them, that end a run."""

PERMANENT = frozenset(("auth", "rejected", "rate_limit", "unreachable", "tls"))
"""Kinds of failures that, when they are not retryable, speak of the setup rather than of one request."""

_VARYING = re.compile(r"[0-9a-f-]{8,}|\d+|req_\w+", re.IGNORECASE)
"""Numbers of requests and moments, by which equal refusals differ."""


class Refusals:
    """Counts equal permanent refusals until something is answered."""

    def __init__(self) -> None:
        self._last, self._count, self._answered = "", 0, False

    def answered(self) -> None:
        self._answered = True

    def add(self, error: ProviderError) -> None:
        """Take a refusal into account; raises `InfrastructureError` when all there were are alike and enough."""
        if self._answered or error.retryable or error.kind not in PERMANENT:
            return
        likeness = f"{error.status} {_VARYING.sub('', error.problem)}"
        self._count = self._count + 1 if likeness == self._last else 1
        self._last = likeness
        if self._count >= ENOUGH:
            raise InfrastructureError(
                f"the run was stopped: the first {ENOUGH} requests were refused alike and none was answered.\n"
                f"{error.problem}"
            ) from None
