"""check: is a change of a suite safe to ship?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from rightcall.check.suite_check import CheckOptions, check_suite
from rightcall.core.codec import convert
from rightcall.core.event_loop import blocking
from rightcall.decide.check_result import CheckResult
from rightcall.decide.check_settings import CheckSettings
from rightcall.recording.settings import RecordMode
from rightcall.run.suite import load_suite
from rightcall.run.trust import require_trust
from rightcall.store.address import open_store


async def acheck(
    suite: str | Path,
    *,
    baseline: str = "branch:main",
    store: str | Path | None = None,
    settings: Mapping[str, Any] | None = None,
    full: bool = False,
    again: bool = False,
    plan_only: bool = False,
    max_calls: int | None = None,
    changed: Sequence[str] = (),
    record: RecordMode | None = None,
    trials: int | None = None,
    model: str | None = None,
    base_url: str | None = None,
    concurrency: int | None = None,
    trust: bool = False,
) -> CheckResult:
    """Compare the working version of a suite with a baseline: try what the change can affect, and stop once decided.

    `baseline` is `branch:NAME`, a run, or a file of `rightcall baseline save`. `settings` replace the suite's `check:`
    (drop, drop_rest, alpha, sample, …). `full` tries everything, `max_calls` is a budget, `record` a mode of
    recording, `changed` names tools to treat as changed, and with `plan_only` nothing is sent. `trials`, `model`,
    `base_url` and `concurrency` replace the suite's. Equal inputs give the stored verdict without a call, unless
    `again=True`. A suite from outside the project starts programs and imports modules only with `trust=True`.
    """
    loaded, given = load_suite(suite), None
    require_trust(loaded, Path(suite), model=model, trust=trust)
    if settings is not None:
        mapping = {**msgspec.to_builtins(loaded.check), **settings}
        given = convert(mapping, CheckSettings, "settings")
    options = CheckOptions(
        baseline,
        given,
        full=full,
        again=again,
        plan_only=plan_only,
        max_calls=max_calls,
        changed=tuple(changed),
        record=record,
        trials=trials,
        model=model,
        base_url=base_url,
        concurrency=concurrency,
    )
    with open_store(store) as opened:
        return await check_suite(Path(suite), opened, options)


check = blocking("check", acheck)
