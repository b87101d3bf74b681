"""Why an agent stopped, told by the class names of what it raised: no framework is imported to know."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.errors import InfrastructureError
from rightcall.model.trajectory import StopReason

LIMITS = frozenset(
    ("MaxTurnsExceeded", "GraphRecursionError", "UsageLimitExceeded", "AgentMaxStepsError",
     "LlmCallsLimitExceededError", "WorkflowTimeoutError", "MaxIterationsExceeded", "LimitReachedError")
)  # fmt: skip
"""What frameworks raise at a limit the user set."""

UNREACHED = frozenset(
    ("APIConnectionError", "APITimeoutError", "RateLimitError", "InternalServerError", "ServiceUnavailableError",
     "OverloadedError", "ModelHTTPError")
)  # fmt: skip
"""What model clients raise when their server does not answer, after their own retries."""


def ending(error: BaseException) -> tuple[StopReason, str]:
    """The stop reason and its words for what came out of an agent."""
    words = str(error) if isinstance(error, InfrastructureError) else f"{type(error).__name__}: {error}"[:500]
    for link in _chain(error):
        names = {kind.__name__ for kind in type(link).__mro__}
        if names & LIMITS:
            return "limit", words
        if isinstance(link, InfrastructureError) or (names & UNREACHED and _of_the_server(link)):
            return "infra_error", words
    return "agent_error", words


def _of_the_server(error: BaseException) -> bool:
    """Whether a status, when there is one, tells of the server and not of the request."""
    status = getattr(error, "status_code", None)
    return not isinstance(status, int) or status in (408, 409, 429) or status >= 500


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The exception and what caused it, and what a group holds; each once."""
    waiting, seen = [error], set()
    while waiting:
        link = waiting.pop(0)
        if id(link) in seen:
            continue
        seen.add(id(link))
        yield link
        if isinstance(link, BaseExceptionGroup):
            waiting += link.exceptions
        waiting += [cause for cause in (link.__cause__, link.__context__) if cause is not None]
