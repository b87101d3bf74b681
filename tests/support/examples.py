"""How many examples a property test tries: all of them in `make nightly`, a few in `make test`."""

from __future__ import annotations

from hypothesis import settings

FEW = 40


def examples(full: int, few: int = FEW) -> int:
    """For `@settings(max_examples=examples(600))`: a law that needs a long search is searched every night."""
    return full if settings.get_current_profile_name() == "nightly" else min(full, few)
