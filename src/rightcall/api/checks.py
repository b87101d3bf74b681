"""check: is a change of a suite safe to ship?"""

from __future__ import annotations

from pathlib import Path

import msgspec

from rightcall.check.options import CheckSuiteOptions
from rightcall.check.suite_check import check_suite
from rightcall.core.codec import convert
from rightcall.core.event_loop import as_blocking
from rightcall.core.options import takes
from rightcall.decide.check_result import CheckResult
from rightcall.decide.check_settings import CheckSettings
from rightcall.run.suite import load_suite
from rightcall.run.trust import require_trust
from rightcall.store.address import open_store


@takes(CheckSuiteOptions)
async def acheck(options: CheckSuiteOptions) -> CheckResult:
    """Compare the working version of a suite with a baseline: try what the change can affect, and stop once decided.

    Equal inputs give the stored verdict without a call, unless `again=True`.
    """
    suite = load_suite(options.suite)
    require_trust(Path(options.suite), trust=options.trust)
    if options.settings is not None:
        mapping = {**msgspec.to_builtins(suite.check), **options.settings}
        suite = msgspec.structs.replace(suite, check=convert(mapping, CheckSettings, "settings"))
    with open_store(options.store) as store:
        return await check_suite(suite, Path(options.suite), store, options)


check = as_blocking("check", acheck)
