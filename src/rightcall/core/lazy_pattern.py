"""Regular expressions that are compiled when they are first used.

Compiling the patterns that find secrets takes 20 ms, at the start of every command, and most texts need none of them.
"""

from __future__ import annotations

import re
from typing import Any, cast


def lazy_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` returns, compiled by the first use of one of its methods."""
    return cast("re.Pattern[str]", _LazyPattern(pattern, flags))


class _LazyPattern:
    def __init__(self, pattern: str, flags: int) -> None:
        self._pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """A method of the compiled pattern, which is an attribute from now on."""
        value = getattr(re.compile(self._pattern, self._flags), name)
        setattr(self, name, value)
        return value
