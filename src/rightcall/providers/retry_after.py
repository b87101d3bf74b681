"""Retry delays from response headers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_LONGEST = 24 * 3600.0


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds to wait, or None when the server did not say.

    `retry-after-ms`, then `Retry-After` (seconds or an HTTP date), then the reset times of the limits
    that are used up, as OpenAI (`x-ratelimit-reset-*: 6m0s`) and Anthropic
    (`anthropic-ratelimit-*-reset`: a time) write them.
    """
    now = now or datetime.now(UTC)
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return _bounded(milliseconds / 1000)
    if stated := headers.get("retry-after", "").strip():
        seconds = _number(stated)
        return _bounded(seconds) if seconds is not None else _until(_http_date(stated), now)
    resets = [*_openai_resets(headers), *_anthropic_resets(headers, now)]
    return max(resets, default=None)


def _openai_resets(headers: Mapping[str, str]) -> list[float]:
    waits = []
    for limit in ("requests", "tokens"):
        if headers.get(f"x-ratelimit-remaining-{limit}", "").strip() == "0":
            wait = _duration(headers.get(f"x-ratelimit-reset-{limit}", ""))
            waits += [wait] if wait is not None else []
    return waits


def _anthropic_resets(headers: Mapping[str, str], now: datetime) -> list[float]:
    waits = []
    for limit in ("requests", "tokens", "input-tokens", "output-tokens"):
        prefix = f"anthropic-ratelimit-{limit}"
        if headers.get(f"{prefix}-remaining", "").strip() == "0":
            wait = _until(_iso_date(headers.get(f"{prefix}-reset", "")), now)
            waits += [wait] if wait is not None else []
    return waits


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\s*\d{1,12}(\.\d{1,9})?\s*", text, re.ASCII) else None


def _duration(text: str) -> float | None:
    """`1h2m3.5s`, `20ms` as seconds."""
    units = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
    parts = re.findall(r"(\d{1,9}(?:\.\d{1,9})?)(ms|h|m|s)", text, re.ASCII)
    if not parts or "".join(n + u for n, u in parts) != text.strip():
        return None
    return _bounded(math.fsum(float(n) * units[u] for n, u in parts))


def _http_date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, OverflowError, TypeError, IndexError):
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)


def _iso_date(text: str) -> datetime | None:
    try:
        date = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)


def _until(moment: datetime | None, now: datetime) -> float | None:
    return None if moment is None else _bounded((moment - now).total_seconds())


def _bounded(seconds: float) -> float:
    return min(max(seconds, 0.0), _LONGEST)
