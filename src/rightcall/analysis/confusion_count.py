"""Which tool was called where another was expected: the one count that reports and the linter show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from rightcall.model.failure import Failure


def confusions(failures: Iterable[Failure]) -> Counter[tuple[str, str]]:
    """How many calls of one case went to another tool, by (expected, called).

    A call counts once, though a conversation may name it for its turn and for the whole. Tools that do not exist are
    no confusion but inventions.
    """
    found = {
        (failure.call, failure.tool, failure.actual)
        for failure in failures
        if failure.code == "wrong_tool" and isinstance(failure.actual, str)
    }
    return Counter((wanted, called) for _, wanted, called in found)
