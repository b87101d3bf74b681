"""Notes on a check that qualify its verdict, and why it tries more than a sample."""

from __future__ import annotations

import math
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from rightcall.check.reach import Reach
from rightcall.core.text import percent, pluralize
from rightcall.decide.check_rule import settles_at_best
from rightcall.decide.check_settings import CheckSettings
from rightcall.decide.trial_pairs import Stratum
from rightcall.files.revision import base_commit, commits_between
from rightcall.run.baseline_file import BaselinePool
from rightcall.run.package_versions import major, minor_changes
from rightcall.run.plan import Plan

OLD_DAYS, TOO_OLD_DAYS = 14, 30
MOST_UNKNOWN = 0.2
"""Share of goldens without a baseline above which it says too little of the suite."""


def why_everything(baseline: BaselinePool, reach: Reach, goldens: int, full: bool) -> str:
    """Why a sample is not enough; "" when it is."""
    if full:
        return "--full was passed"
    unknown = len(reach.new) / max(1, goldens)
    if unknown > MOST_UNKNOWN:
        return f"{percent(unknown, 0)} of the goldens are not in the baseline or were edited since"
    age = baseline.header.age_days()
    if age > TOO_OLD_DAYS:
        return f"the baseline is {age:.0f} days old"
    made_with = baseline.header.versions.get("rightcall", "")
    if made_with and major(made_with) != major(version("rightcall")):
        return f"the baseline was made with RightCall {made_with}"
    return ""


def why_more_trials(once: list[Stratum], full: list[Stratum], settings: CheckSettings) -> str:
    """Why goldens that are all tried are tried as often as in the baseline; "" when once is enough."""
    for sampled, more in zip(once, full, strict=True):
        whole = sampled.name == "rest" and sum(map(len, sampled.order)) == sampled.goldens
        if whole and not settles_at_best(sampled, settings.beta) and settles_at_best(more, settings.beta):
            return (
                f"{sampled.goldens} goldens tried once cannot settle a margin of {percent(sampled.margin, 0)}"
            )
    return ""


def notes_on_unchecked(plan: Plan) -> list[str]:
    """How many goldens are left out because nothing about them could change the verdict."""
    count = sum(not plan.scorer.checks(golden) for golden in plan.in_dataset_order())
    return [f"{pluralize(count, 'golden')} without a check not tried"] if count else []


def notes_of(baseline: BaselinePool, strata: list[Stratum], reach: Reach, folder: Path) -> list[str]:
    """Notes that qualify the verdict."""
    notes = []
    age = baseline.header.age_days()
    if age > OLD_DAYS:
        notes.append(f"the baseline is {age:.0f} days old; save a new one on the main branch")
    for stratum in strata:
        if not settles_at_best(stratum):
            notes.append(_too_small(stratum))
    if strata and all(len(scores) == 1 for stratum in strata for scores in stratum.before.values()):
        notes.append(
            "the baseline has one trial per golden, which is weak evidence; run the suite again on the main branch: "
            "trials with equal inputs are pooled"
        )
    if reach.quarantined:
        notes.append(
            f"{len(reach.quarantined)} quarantined goldens are not tried: {', '.join(reach.quarantined[:5])}"
        )
    base = base_commit(folder) if baseline.header.commit else ""
    behind = commits_between(folder, baseline.header.commit, base) if base else None
    if behind:
        notes.append(
            f"the baseline is {pluralize(behind, 'commit')} behind the base: their changes are tested with yours"
        )
    return notes


def version_notes(baseline: BaselinePool, versions: Mapping[str, str]) -> list[str]:
    """Version differences that do not show in the requests."""
    versions_changed = minor_changes(baseline.header.versions, versions)
    return [f"since the baseline: {', '.join(versions_changed)}"] if versions_changed else []


def _too_small(stratum: Stratum) -> str:
    needed = math.ceil(math.log(0.025) / math.log(1 - stratum.margin))
    goldens = len(stratum.order)
    if stratum.name == "affected" and goldens:
        trials = math.ceil(40 / goldens)
        return (
            f"{goldens} affected goldens × {stratum.rounds} = {stratum.pairs} pairs cannot settle a margin of "
            f"{percent(stratum.margin, 0)} ({needed} are needed); {trials} baseline trials give {goldens * trials}"
        )
    tried = f"{goldens} goldens × {stratum.rounds} trials" if stratum.rounds > 1 else f"{goldens} goldens"
    return f"{tried} cannot settle a margin of {percent(stratum.margin, 0)}: {needed} are needed"
