"""Everything RightCall raises on purpose.

    RightCallError
    ├── InputError          a file or a value in it is wrong; says where, what was found, what to do
    │   └── MatcherBroke        a function in a golden could not be asked; makes its case an error
    ├── ConfigError         a setup is wrong (several problems at once); raised before money is spent
    │   └── MissingExtraError   an optional package is needed; says the install line
    └── InfrastructureError something outside (a model, a store) did not answer
        ├── ProviderError       a model's; says whether asking again can help, and when
        └── StoreError          the store's; says whether trying again can help

    CheckFailed             an AssertionError: `check` and `assert_test` say so in a test

A failing agent is not an exception, and neither is a broken metric: both are data. Only in a test, where failing is
spelt as an exception, `CheckFailed` carries that news.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal


class RightCallError(Exception):
    """Base of all errors raised on purpose; its text is written for the user."""

    exit_code = 2


class InputError(RightCallError):
    """Something in a file or a value is wrong.

    `where` is a place such as `weather.jsonl:14`, `problem` says what is wrong and what was found,
    `hint` says what to do about it.
    """

    def __init__(self, where: str, problem: str, hint: str = "") -> None:
        self.where, self.problem, self.hint = where, problem, hint
        text = f"{where}: {problem}" if where else problem
        super().__init__(f"{text}; {hint}" if hint else text)


class MatcherBroke(InputError):  # noqa: N818  it is news of one case
    """A function that stands in a golden raised, or is not there any more."""


class ConfigError(RightCallError):
    """A setup cannot work. Holds every problem found, not only the first."""

    def __init__(self, *problems: str) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


class MissingExtraError(ConfigError):
    """An optional package is needed for what was asked."""

    def __init__(self, what: str, package: str, extra: str) -> None:
        super().__init__(
            f'{what} needs the package {package}; install it with: pip install "rightcall[{extra}]"'
        )


class InfrastructureError(RightCallError):
    """Something outside this process did not answer; says nothing about the agent."""

    exit_code = 4


class StoreError(InfrastructureError):
    """The store did not keep or give what was asked of it.

    `retryable` says whether the same request may succeed later: a lock is released, a server comes back, room is made.
    A store that was deleted or replaced does not come back.
    """

    def __init__(self, problem: str, *, retryable: bool = True) -> None:
        self.retryable = retryable
        super().__init__(problem)


class CheckFailed(AssertionError):  # noqa: N818  it is news of an agent, not an error
    """An agent did not do what was expected of it, told in full by its text.

    `infrastructure` says that nothing is known of the agent, because a model or a store did not answer or a metric
    broke. `result` is the result of the case, when one case was asserted.
    """

    def __init__(self, text: str, *, infrastructure: bool = False, result: object = None) -> None:
        self.infrastructure, self.result = infrastructure, result
        super().__init__(text)


ProviderErrorKind = Literal[
    "rate_limit",  # asked too often, or the quota is used up
    "overloaded",  # the server says it is too busy (503, 529)
    "server",  # any other fault of the server (5xx)
    "timeout",  # no whole answer within the deadline
    "dropped",  # the connection ended before the answer did
    "unreachable",  # no connection at all
    "tls",  # the server's certificate or encryption is not acceptable
    "auth",  # the key is missing, wrong, or not allowed to do this
    "rejected",  # the server understood the request and refused it (4xx)
    "malformed",  # the answer is not what the wire format says
    "too_large",  # the answer is longer than the limit
    "not_recorded",  # a script or a cassette holds no answer to this request
    "local",  # the model inside this process broke
]


class ProviderError(InfrastructureError):
    """A model gave no usable answer to one request.

    `retryable` says whether the same request may succeed later; `retry_after` is the server's own wish in
    seconds, when it stated one; `status` is the HTTP status, when there was an answer at all.
    """

    def __init__(
        self,
        problem: str,
        *,
        kind: ProviderErrorKind,
        retryable: bool = False,
        retry_after: float | None = None,
        status: int | None = None,
    ) -> None:
        self.problem, self.kind, self.retryable = problem, kind, retryable
        self.retry_after, self.status = retry_after, status
        super().__init__(problem)


def suggestion(word: str, known: Iterable[str]) -> str:
    """`did you mean 'x'?` for the known word nearest to `word`, or "" when none is near."""
    import difflib  # only on the way to an error message

    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"did you mean '{near[0]}'?" if near else ""
