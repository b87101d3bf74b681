"""Which traces a paid check sees.

The choice depends only on a salt and the trace id: equal in every process, independent of content, and
raising `p` keeps the traces that were already chosen.
"""

from __future__ import annotations

from rightcall.core.digest import hex_digest


def is_chosen(salt: str, trace_id: str, p: float) -> bool:
    """Whether SHA-256(salt ‖ trace id) falls into the share p."""
    return int(hex_digest(f"{salt}{trace_id}", 16), 16) / 2**64 < p
