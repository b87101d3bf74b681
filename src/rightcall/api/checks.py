"""check: is a change of a suite safe to ship?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from rightcall.event_loop import finished
from rightcall.gate import CheckResult, CheckSettings
from rightcall.model.codec import convert
from rightcall.store import open_store
from rightcall.suite import CheckOptions, check_suite, load_suite


def check(
    suite: str | Path, *, baseline: str = "branch:main", store: str | Path | None = None, **options: Any
) -> CheckResult:
    """Is a change of this suite safe to ship? PASS, REGRESSED or INCONCLUSIVE; see `acheck` for the options."""
    return finished(acheck(suite, baseline=baseline, store=store, **options))


async def acheck(
    suite: str | Path,
    *,
    baseline: str = "branch:main",
    store: str | Path | None = None,
    settings: Mapping[str, Any] | None = None,
    **options: Any,
) -> CheckResult:
    """Compare a suite as it stands with a baseline: try what the change can reach, and stop as soon as it is known.

    `baseline` is `branch:NAME`, a run, or a file of `rightcall baseline save`. `settings` replace the suite's `check:`
    (drop, drop_rest, alpha, sample, …). The other options are those of `rightcall.suite.CheckOptions`: `full` tries
    everything, `max_calls` is a budget, `record` a mode of recording. Equal inputs give the stored verdict without a
    call, unless asked `again=True`.
    """
    given = None
    if settings is not None:
        mapping = {**msgspec.to_builtins(load_suite(suite).check), **settings}
        given = convert(mapping, CheckSettings, "settings")
    with open_store(store) as opened:
        return await check_suite(Path(suite), opened, CheckOptions(baseline, given, **options))
