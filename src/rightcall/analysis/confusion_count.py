"""Which tool was called where another was expected: one count, used by reports and the linter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from rightcall.model.failure import Failure


def confusions(failures: Iterable[Failure]) -> Counter[tuple[str, str]]:
    """Calls of one case that went to the wrong tool, counted by (expected, called).

    A call counts once, even if a conversation reports it both for its turn and overall. Calls to tools that do not
    exist are not confusions.
    """
    found = {
        (failure.call, failure.tool, failure.actual)
        for failure in failures
        if failure.code == "wrong_tool" and isinstance(failure.actual, str)
    }
    return Counter((wanted, called) for _, wanted, called in found)
