"""An audit in few words, for an assistant."""

from __future__ import annotations

from typing import Any

from rightcall.limbs.audit.sections import headline, notes, proposal_lines
from rightcall.limbs.audit.suite_audit import aaudit


async def audit_overview(suite: str, *, store: str | None, trust: bool, most: int) -> dict[str, Any]:
    """The headline, the most harmful survivors with what would catch each, and goldens that may be wrong."""
    result = await aaudit(suite, store=store, trust=trust)
    survivors = [
        {
            "id": survivor.id,
            "golden_id": survivor.golden_id,
            "where": survivor.where,
            "harm": survivor.harm,
            "passes": survivor.sentence,
            "change": list(proposal_lines(survivor)),
        }
        for survivor in result.survivors
    ]
    doubts = [
        {"golden_id": doubt.golden_id, "code": doubt.code, "band": doubt.band, "sentence": doubt.sentence}
        for doubt in result.doubts
    ]
    return {
        "sentence": headline(result),
        "rate": result.rate if result.sure.caught + result.sure.survived else None,
        "interval": [result.low, result.high],
        "goldens": result.goldens,
        "audited": result.audited,
        "survivors": {"items": survivors[:most], "more": max(0, len(survivors) - most)},
        "doubts": {"items": doubts[:most], "more": max(0, len(doubts) - most)},
        "notes": list(notes(result)),
    }
