"""The exceptions RightCall raises on purpose.

    RightCallError
    ├── InputError          a file or a value in it is invalid; says where, what was found and what to do
    │   └── MatcherBroke        a function in a golden failed; its case becomes an error
    ├── ConfigError         the configuration is invalid (lists every problem); raised before money is spent
    │   └── MissingExtraError   an optional package is missing; includes the install command
    └── InfrastructureError an external service (a model, a store) failed
        ├── ProviderError       a model request failed; says whether and when to retry
        ├── ToolServerDown      a tool server cannot be restarted; ends the run
        └── StoreError          the store failed; says whether to retry
            └── RunTakenOver        another process resumed the run

    CheckFailed             an AssertionError, raised by `check` and `assert_test` in tests when the agent failed
    CheckError              raised by them when nothing can be said about the agent: an error of the test, not a failure
    CodeExit                an agent or a tool tried to end the process; a failure like any other that it raises

A failing agent is data, not an exception, and so is a broken metric. Only tests, which fail by raising, get a
`CheckFailed` or a `CheckError`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Literal

EXIT_CODES: dict[int, str] = {
    0: "good: the gate passed, nothing regressed, no finding is severe enough",
    1: "the agent did not pass, the change is a regression, or lint found errors",
    2: "usage, an invalid file, or a configuration that cannot work",
    3: "inconclusive: the evidence is not enough for a verdict",
    4: "infrastructure: a model, a tool server or a store failed, which says nothing about the agent",
    129: "the terminal was closed (SIGHUP); as 130",
    130: "interrupted; finished results are stored, and the run can be resumed",
    143: "terminated (SIGTERM); as 130",
}
"""The exit codes of every command."""


class RightCallError(Exception):
    """Base class of all errors raised on purpose; the message is written for users."""

    exit_code = 2


class InputError(RightCallError):
    """A file or a value in it is invalid.

    `where` is a place such as `weather.jsonl:14`, `problem` says what is wrong and what was found,
    `hint` says what to do about it.
    """

    def __init__(self, where: str, problem: str, hint: str = "") -> None:
        self.where = where
        self.problem = problem
        self.hint = hint
        text = f"{where}: {problem}" if where else problem
        super().__init__(f"{text}; {hint}" if hint else text)


class MatcherBroke(InputError):  # noqa: N818  it is news of one case
    """A function in a golden raised an exception, or no longer exists."""


class ConfigError(RightCallError):
    """The configuration cannot work. Lists every problem found, each once, also when it has several places."""

    def __init__(self, *problems: str) -> None:
        distinct = dict.fromkeys(problems)
        self.problems = tuple(
            problem for problem in distinct if not any(problem.endswith(f": {other}") for other in distinct)
        )
        super().__init__("\n".join(self.problems))


class AgentSetupError(ConfigError):
    """The agent does not start. `lines` say what happened, where, and what to do, for a terminal."""

    def __init__(self, problem: str, lines: Iterable[str]) -> None:
        self.lines = tuple(lines)
        super().__init__(problem)


class MissingExtraError(ConfigError):
    """An optional package is required."""

    def __init__(self, what: str, package: str, extra: str) -> None:
        super().__init__(
            f'{what} requires the package {package}; install it with: pip install "rightcall[{extra}]"'
        )


class InfrastructureError(RightCallError):
    """An external service failed, which says nothing about the agent."""

    exit_code = 4


class StoreError(InfrastructureError):
    """The store could not read or write.

    `retryable` says whether the same request may succeed later: a lock is released, a server comes back, disk space
    is freed. A store that was deleted or replaced does not come back.
    """

    def __init__(self, problem: str, *, retryable: bool = True) -> None:
        self.retryable = retryable
        super().__init__(problem)


class RunTakenOver(StoreError):  # noqa: N818  it is news of a run
    """Another process resumed the run: it writes the results from now on, and this one stops."""

    def __init__(self, run_id: str) -> None:
        super().__init__(
            f"run {run_id} was taken over by another process, which finishes it", retryable=False
        )


class ToolServerDown(InfrastructureError):  # noqa: N818  it is news of a server
    """A tool server cannot be restarted, or dies in every call: no further case could reach its tools.

    It is raised before a call is sent, so that call had no effect.
    """

    effect: Literal["none"] = "none"


class _WithResults(Exception):  # noqa: N818  what both have
    def __init__(self, text: str, *, result: object = None, results: tuple[object, ...] = ()) -> None:
        self.result = result
        self.results = results or (() if result is None else (result,))
        super().__init__(text)


class CheckFailed(_WithResults, AssertionError):  # noqa: N818  it is news of an agent, not an error
    """An agent did not do what was expected; the message explains how.

    `result` is the result the message is about, `results` are those of all trials and of all simulated users.
    """


class CheckError(_WithResults):
    """Nothing is known about the agent: a model, a store, a metric or the setup of the test failed.

    Not an `AssertionError`, so that test runners show an error and no failure. `result` and `results` are those of
    `CheckFailed`, if there are any.
    """


ProviderErrorKind = Literal[
    "rate_limit",  # rate limited, or the quota is used up
    "overloaded",  # the server is overloaded (503, 529)
    "server",  # any other server error (5xx)
    "timeout",  # no complete answer within the deadline
    "dropped",  # the connection closed before the answer was complete
    "unreachable",  # no connection
    "tls",  # the server's certificate or encryption is not acceptable
    "auth",  # the key is missing, invalid or lacks permission
    "request",  # the server cannot answer this request, whoever sends it (400, 413, 422)
    "filtered",  # a content filter stopped the request
    "rejected",  # the server rejected the request for another reason (404, a redirect)
    "malformed",  # the answer violates the wire format
    "too_large",  # the answer is longer than the limit
    "not_recorded",  # a script or cassette has no answer to this request
    "local",  # the local model failed
]


class ProviderError(InfrastructureError):
    """A model gave no usable answer to a request.

    `retryable` says whether the same request may succeed later; `retry_after` is the delay the
    server asked for, in seconds; `status` is the HTTP status, if there was a response.
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
        self.problem = problem
        self.kind = kind
        self.retryable = retryable
        self.retry_after = retry_after
        self.status = status
        super().__init__(problem)


def suggestion(word: str, words: Iterable[str]) -> str:
    """`did you mean 'x'?` for the known word closest to `word`, else one that is a part of it; "" without any."""
    import difflib  # only needed for error messages

    known = list(words)
    parts = word.split("_")

    def is_like(name: str) -> bool:
        """Whether each part of the word is like one of the name: `json_match` is no `argument_match`."""
        return all(difflib.get_close_matches(part, name.split("_"), cutoff=0.6) for part in parts)

    close = difflib.get_close_matches(word, known, n=5, cutoff=0.6)
    joined = word.replace("_", "")
    begun = [name for name in known if len(joined) > 3 and name.replace("_", "").startswith(joined)]
    near = [
        *sorted(begun, key=len),
        *(name for name in close if len(parts) == 1 or "_" not in name or is_like(name)),
        *(name for name in known if name in parts),
    ]
    return f"did you mean '{near[0]}'?" if near else ""


class CodeExit(Exception):  # noqa: N818  what the code did
    """An agent or a tool tried to end the process, with `sys.exit()` or an exception that is no `Exception`."""

    def __init__(self, cause: BaseException) -> None:
        if isinstance(cause, SystemExit):
            super().__init__(f"it called sys.exit({'' if cause.code is None else repr(cause.code)})")
        else:
            super().__init__(f"it raised {type(cause).__name__}: {cause}")


@contextmanager
def contain_exits(*, in_thread: bool = False) -> Iterator[None]:
    """Run code under test. What would end the process becomes a `CodeExit`, which ends one case at most.

    Cancellation and Ctrl-C still end it; neither can happen `in_thread`, where every such exception is the code's own.
    """
    try:
        yield
    except Exception:
        raise
    except BaseException as error:
        if in_thread or not _ends_the_run(error):
            raise CodeExit(error) from error
        raise


def _ends_the_run(error: BaseException) -> bool:
    """Whether it was done to the code, and not by it."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is None or isinstance(error, (KeyboardInterrupt, GeneratorExit)):
        return True
    try:
        task = asyncio.current_task()
    except RuntimeError:
        return False
    return task is not None and task.cancelling() > 0
