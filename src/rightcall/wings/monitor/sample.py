"""Which traces a paid check sees, and rates from such samples.

The choice depends only on a salt and the trace id: equal in every process, independent of content, and
raising `p` keeps the traces that were already chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rightcall.core.digest import hex_digest
from rightcall.stats.clusters import cluster_se, weighted_mean


def is_chosen(salt: str, trace_id: str, p: float) -> bool:
    """Whether SHA-256(salt ‖ trace id) falls into the share p."""
    return int(hex_digest(f"{salt}{trace_id}", 16), 16) / 2**64 < p


@dataclass(frozen=True)
class SampledRate:
    """A rate with its standard error, None when unknown."""

    value: float
    se: float | None
    n: int


def hajek(
    values: Sequence[float], shares: Sequence[float], sessions: Sequence[str] | None = None
) -> SampledRate | None:
    """Σ(x/p) / Σ(1/p), with the CR1 standard error of the weighted residuals by session; None without values."""
    if not values:
        return None
    weights = [1 / p for p in shares]
    return SampledRate(weighted_mean(values, weights), cluster_se(values, sessions, weights), len(values))
