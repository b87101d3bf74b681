"""The page of codes: exit codes, failure codes, errors that a model reads, errors of providers, exceptions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping

from rightcall.core import errors
from rightcall.core.errors import EXIT_CODES, RightCallError
from rightcall.records.failure import CODES
from rightcall.tools.runtime.errors import DEFAULT_HINTS


def codes_page() -> str:
    """Every code that RightCall prints, stores or returns."""
    failures = {
        code: f"{facts.meaning}{' (**damage**)' if facts.damage else ''}" for code, facts in CODES.items()
    }
    parts = [
        "# Codes",
        "Generated from the code. Each lint rule has [its own page](lint/rules/index.md).",
        "## Exit codes",
        table("exit code", "meaning", {str(code): text for code, text in EXIT_CODES.items()}),
        "`on_inconclusive` of a [gate](suite.md#gate) or a [check](suite.md#check) turns 3 into 0 or 1.",
        "## Failure codes",
        "What went wrong in a case ([Scoring](scoring.md)). One that is **damage** fails "
        "a gate regardless of the rates, unless the gate allows it.",
        table("code", "what happened", failures),
        "## Tool errors",
        "What a model reads when a call fails, and the hint it gets with it. See "
        "[Tools that cannot hurt](tools-that-cannot-hurt.md).",
        table("error", "hint", DEFAULT_HINTS),
        "## Provider errors",
        "`kind` of a `ProviderError`: why a model gave no usable answer.",
        table("kind", "meaning", provider_kinds()),
        "## Exceptions",
        "Raised on purpose, with a message for users; everything else is a bug.",
        exceptions_table(),
    ]
    return "\n\n".join(parts) + "\n"


def table(first: str, second: str, rows: Mapping[str, str]) -> str:
    """Two columns."""
    return lines(
        [f"| {first} | {second} |", "|---|---|", *(f"| `{one}` | {two} |" for one, two in rows.items())]
    )


def lines(rows: Iterable[str]) -> str:
    return "\n".join(rows)


def provider_kinds() -> dict[str, str]:
    """The kinds of provider errors; their meanings are the comments in the code."""
    source = inspect.getsource(errors)
    block = source[source.index("ProviderErrorKind = ") :].partition("\n]")[0]
    return dict(re.findall(r'"(\w+)",  # (.*)', block))


def exceptions_table() -> str:
    """The exceptions with the exit code of a command that ends with one."""
    kinds = [
        kind for kind in vars(errors).values() if inspect.isclass(kind) and issubclass(kind, RightCallError)
    ]
    rows = [
        f"| `{kind.__name__}` | `{kind.__mro__[1].__name__}` | {kind.exit_code} | {first_line(kind)} |"
        for kind in kinds
    ]
    return lines(["| exception | kind of | exit code | meaning |", "|---|---|---|---|", *rows])


def first_line(kind: type) -> str:
    return " ".join(inspect.cleandoc(kind.__doc__ or "").partition("\n\n")[0].split())
