"""Prepares a check: what changed, which goldens that affects, how they are tried. Nothing is spent yet."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import msgspec

from rightcall.check.first_requests import FirstRequests
from rightcall.check.options import CheckOptions
from rightcall.check.reach import (
    Reach,
    guards,
    input_changes,
    reach_of,
    reach_with_first_requests,
)
from rightcall.check.words import change_words, notes_of, why_everything, why_more_trials
from rightcall.core.digest import hex_digest
from rightcall.core.text import names_and_more, pluralize
from rightcall.decide.check_result import StratumPlan
from rightcall.decide.check_rule import settles_at_best
from rightcall.decide.check_settings import CheckSettings, ComparedGoldens, Scores, Stratum, rounds_for
from rightcall.decide.confirmation import MOST_PAIRS
from rightcall.decide.input_change import ComparedInputs, InputChange
from rightcall.decide.small_suite import LARGEST
from rightcall.lint.engine import lint
from rightcall.lint.report import Diagnostic
from rightcall.lint.source.read import read_paths
from rightcall.lint.source.tools import tool_set
from rightcall.metrics.base import asks_model
from rightcall.records.golden import AnyGolden
from rightcall.run.agent_sources import Ownership
from rightcall.run.baseline_file import BaselinePool
from rightcall.run.inputs import Inputs, digest
from rightcall.run.plan import Plan
from rightcall.run.run_record import imported_versions, major_changes, package_changes, sdk_versions
from rightcall.run.suite import Suite
from rightcall.run.suite_document import tool_sources
from rightcall.run.watched_inputs import compare_watched

NEAR = 0.7


class MissingTool(NamedTuple):
    """A tool that is gone: its new name, if it has one, and the goldens that expect it."""

    name: str
    renamed: str
    goldens: tuple[str, ...]

    @property
    def words(self) -> str:
        what = f"is now called {self.renamed}" if self.renamed else "is gone"
        goldens = f"{pluralize(len(self.goldens), 'golden')} expect it: {names_and_more(self.goldens, 3)}"
        return f"{self.name} {what}, and {goldens}"


@dataclass(frozen=True)
class CheckDesign:
    """What will be done and why. `everything` says why all goldens are tried, when they are.

    `compared` are the files and variables that were compared besides what the suite states, `unknown` says why their
    equality is not enough.
    """

    suite: str
    settings: CheckSettings
    inputs: Inputs
    baseline: BaselinePool
    changes: tuple[InputChange, ...]
    reach: Reach
    drawn_from: ComparedGoldens
    strata: list[Stratum]
    goldens: Mapping[str, AnyGolden]
    places: Mapping[str, tuple[str, int]]
    lint: tuple[Diagnostic, ...]
    seed: str
    trials: int
    rescored: str = ""
    everything: str = ""
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    keeps_state: str = ""
    control: tuple[str, ...] = ()
    compared: ComparedInputs = field(default_factory=ComparedInputs)
    unknown: str = ""
    ownership: Ownership = "owned"
    base_problem: str = ""
    """Why the base version cannot be run to confirm an alarm; "" when it can, or need not be."""
    few: Mapping[str, int] = field(default_factory=dict)
    """The planned trials of each golden where they are too few for the rule of many."""
    missing: tuple[MissingTool, ...] = ()
    judges: tuple[str, ...] = ()
    """Judged metrics that are part of whether a trial passes: their difference is observed, and decides nothing."""

    @property
    def subject(self) -> str:
        """What changed, in a few words; without a change, why goldens are tried nevertheless."""
        if self.changes:
            return change_words(self.changes)
        return self.unknown or ("the dataset changed" if self.reach.new else "no input changed")

    @property
    def drawn(self) -> set[str]:
        """The goldens of the strata."""
        return set(chain.from_iterable(chain.from_iterable(stratum.order for stratum in self.strata)))

    @property
    def before(self) -> Mapping[str, Scores]:
        """The baseline's trials of the goldens that the verdict is about."""
        return {**self.drawn_from.affected, **self.drawn_from.rest}

    @property
    def most_calls(self) -> int:
        """Maximum number of calls."""
        return sum(stratum.calls for stratum in self.stratum_plans())

    @property
    def full(self) -> int:
        """Calls of a run of everything: three trials each or more, never more often than the baseline was tried."""
        tried = max(1, round(self.baseline.trials / max(1, len(self.baseline.lines))))
        return len(self.goldens) * rounds_for(len(self.goldens), tried, self.settings.rounds)

    @property
    def planned_calls(self) -> int:
        """Maximum number of calls, with those of a confirmation."""
        return self.most_calls + self.confirm_calls

    @property
    def confirm_calls(self) -> int:
        """Maximum number of further calls if there is an alarm."""
        if not self.strata or self.settings.confirm == "off":
            return 0
        if self.settings.confirm == "base" or self.few:
            return 2 * MOST_PAIRS
        return sum(stratum.calls for stratum in self.strata)

    @property
    def tries_all(self) -> bool:
        """Whether the rest is tried in rounds, and not sampled."""
        return any(stratum.whole_rounds for stratum in self.strata if stratum.name == "rest")

    def another_draw(self) -> list[Stratum]:
        """The same strata in another order, with another sample of the rest."""
        return self.drawn_from.strata(self.settings, f"{self.seed}/confirm", full=self.tries_all)

    def stratum_plans(self) -> list[StratumPlan]:
        """How many calls each stratum takes at most."""
        if self.few:
            drawn = [(s.name, chain.from_iterable(s.order)) for s in self.strata]
            groups = [(name, [g for g in order if g in self.few]) for name, order in drawn]
            plans = [
                StratumPlan(name, len(goldens), sum(self.few[golden] for golden in goldens))
                for name, goldens in groups
            ]
        else:
            plans = [StratumPlan(s.name, s.goldens, s.calls, s.margin, rounds=s.rounds) for s in self.strata]
        if guards := len({*self.reach.hard} - self.drawn - self.few.keys()):
            plans.append(StratumPlan("hard", guards, guards))
        if self.reach.new:
            new = len(self.reach.new)
            plans.append(StratumPlan("new", new, new * self.trials, rounds=self.trials))
        if self.control:
            plans.append(StratumPlan("control", len(self.control), len(self.control)))
        return plans


def design_check(
    suite: Suite,
    folder: Path,
    plan: Plan,
    baseline: BaselinePool,
    options: CheckOptions,
    first: FirstRequests,
    *,
    draw: int = 0,
    base: bool = False,
) -> CheckDesign:
    """Compare the current inputs with the baseline's, and plan what to try; `draw` numbers further draws of it.

    With `base` the control asks the goldens that the verdict is about, of the version before the change; otherwise
    those that make the same request as before.
    """
    inputs = plan.inputs()
    settings = suite.check
    placed = goldens_with_places(plan)
    goldens = {golden.id: golden for golden, _, _ in placed}
    versions = _versions_of(plan, inputs)
    others = package_changes(baseline.header.versions, versions)
    newer = tuple(dict.fromkeys((*others, *major_changes(baseline.header.versions, versions))))
    given = baseline.header.given
    watch = compare_watched(
        plan.agent_sources,
        baseline.header.watched,
        code_before=given.code,
        code=inputs.code,
        variables=inputs.variables,
    )
    unknown = watch.sameness.why if watch.sameness.word == "unknown" else ""
    changes = (*input_changes(given, inputs), *watch.changes, *first.changes, *newer)
    changes += tuple(InputChange("code", name, "named with --changed") for name in options.changed)
    linted = lint_changed_tools(suite, folder, plan, changes)
    reach = reach_of(
        goldens.values(), baseline.goldens, inputs, changes, near=linted.near, quarantine=plan.quarantine
    )
    if options.full or options.changed or newer or watch.sameness.word != "same":
        reach = all_reached(reach, goldens)
    reach = reach_with_first_requests(reach, goldens.values(), first)
    state = filter(None, (watch.state, first.state))
    seed = digest([suite.name, baseline.header.id, inputs.hash, digest([*goldens]), draw, *state])[:32]
    drawn_from = _goldens_to_compare(goldens, baseline, reach, settings)
    everything = why_everything(baseline, reach, len(goldens), options.full)
    strata, everything = _draw(drawn_from, settings, seed, everything)
    unchanged = {*reach.rest} if not changes else {*first.equal}
    few = _few_goldens(drawn_from, settings, seed, unchanged=set() if options.full else unchanged)
    controlled = [*reach.affected, *reach.rest] if base else reach.untouched
    control = sorted(controlled, key=lambda g: hex_digest(f"{seed}/control/{g}"))
    return CheckDesign(
        suite.name,
        settings,
        inputs,
        baseline,
        changes=changes,
        reach=reach,
        drawn_from=drawn_from,
        strata=strata,
        goldens=goldens,
        places={golden.id: (file, line) for golden, file, line in placed},
        lint=linted.findings,
        seed=seed,
        trials=max(1, plan.trials),
        everything=everything,
        notes=(*notes_of(plan, baseline, strata, reach, folder=folder, versions=versions), *first.notes),
        warnings=tuple(filter(None, (_baseline_state(baseline), first.keeps_state))),
        keeps_state=first.keeps_state,
        control=tuple(control[: settings.control]),
        compared=msgspec.structs.replace(watch.compared, first_requests=first.compared),
        unknown=unknown or first.unknown_words,
        ownership=plan.agent_sources.ownership,
        few=few,
        missing=missing_tools(changes, placed, inputs),
        judges=_deciding_judges(plan),
    )


def _versions_of(plan: Plan, inputs: Inputs) -> dict[str, str]:
    """The versions of the packages that the agent imports, of clients of models, and of RightCall."""
    imported = imported_versions(plan.agent_sources.imported_modules) if inputs.code else {}
    return {**imported, **(sdk_versions() if inputs.code else {}), "rightcall": version("rightcall")}


def _baseline_state(baseline: BaselinePool) -> str:
    words = baseline.header.keeps_state
    return f"in the baseline, {words}, so its trials are not independent" if words else ""


def _deciding_judges(plan: Plan) -> tuple[str, ...]:
    """The judged metrics that decide cases, unless the suite allows judges that nobody has measured."""
    if plan.judges.uncalibrated == "allow":
        return ()
    return tuple(metric.name for metric in plan.metrics if asks_model(metric))


def _goldens_to_compare(
    goldens: Mapping[str, AnyGolden], baseline: BaselinePool, reach: Reach, settings: CheckSettings
) -> ComparedGoldens:
    """The goldens that are compared with the baseline, as those that a changed tool can affect and the rest."""
    before = baseline.goldens
    graded = settings.compare == "score"
    scores = {name: line.grades if graded else line.scores for name, line in before.items() if line.scores}
    history = {name: line.history for name, line in before.items()}
    clusters = {g.id: g.cluster for g in goldens.values() if g.cluster is not None}
    affected = {g: scores[g] for g in reach.affected}
    rest = {g: scores[g] for g in reach.rest}
    if 2 * len(affected) >= reach.compared:
        # one stratum: a sample of everything that is reached
        rest = {**affected, **rest}
        affected = {}
    unanswered = {name: line.unanswered for name, line in before.items()}
    return ComparedGoldens(affected, rest, clusters, history, unanswered=unanswered)


def _draw(
    goldens: ComparedGoldens, settings: CheckSettings, seed: str, everything: str
) -> tuple[list[Stratum], str]:
    """Which are tried, and in which order: a sample, or everything when there is a reason for it, and that reason."""
    full = goldens.strata(settings, seed, full=True)
    if everything:
        return full, everything
    sampled = goldens.strata(settings, seed, full=False)
    reason = why_more_trials(sampled, full, settings)
    return full if reason else sampled, reason


def _few_goldens(
    goldens: ComparedGoldens, settings: CheckSettings, seed: str, *, unchanged: set[str]
) -> dict[str, int]:
    """How often each golden is tried, in the drawn order, where they are too few to settle a margin; else empty.

    What asks its model the same as before, as far as is known, is tried once, and only a sample of many is.
    """
    whole = goldens.strata(settings, seed, full=True)
    reached = len(goldens.affected) + len(goldens.rest)
    if not reached or (reached > LARGEST and all(map(settles_at_best, whole))):
        return {}
    few = dict[str, int]()
    for stratum in whole:
        names = list(chain.from_iterable(stratum.order))
        sampled = stratum.name == "rest" and bool(goldens.affected)
        many = sampled and settles_at_best(msgspec.structs.replace(stratum, rounds=1))
        for golden in names[:LARGEST] if many else names:
            few[golden] = 1 if golden in unchanged else stratum.rounds
    return few


def goldens_with_places(plan: Plan) -> list[tuple[AnyGolden, str, int]]:
    """The goldens of a plan that are checked, with their file and line: the others can show no change."""
    lines = {golden.id: line for line, golden in plan.numbered_goldens()}
    file = path_for_ci(plan.dataset) if isinstance(plan.dataset, Path) else ""
    checked = filter(plan.scorer.checks, plan.goldens())
    return [(golden, file, lines.get(golden.id, 0)) for golden in sorted(checked, key=lambda g: g.id)]


def path_for_ci(path: Path) -> str:
    """The path relative to the working folder where possible, as CI servers expect."""
    try:
        return Path(os.path.relpath(path.resolve())).as_posix()
    except ValueError:  # on another drive
        return str(path)


def missing_tools(
    changes: tuple[InputChange, ...], placed: list[tuple[AnyGolden, str, int]], inputs: Inputs
) -> tuple[MissingTool, ...]:
    """The tools that goldens expect, as on main, and that no longer exist; those most expected first."""
    gone = {
        change.before or change.name: change.name if change.before else ""
        for change in changes
        if change.kind in ("tool_removed", "tool_renamed")
    }
    places: dict[str, list[str]] = {}
    for golden, file, line in placed:
        if golden.tools is not None and any(not isinstance(tool, str) for tool in golden.tools):
            continue
        expected = {call.tool for call in golden.expected_calls if isinstance(call.tool, str)}
        for name in sorted(expected & gone.keys() - set(inputs.tools)):
            places.setdefault(name, []).append(f"{golden.id} ({file}:{line})" if line else golden.id)
    most = sorted(places, key=lambda name: (-len(places[name]), name))
    return tuple(MissingTool(name, gone[name], tuple(places[name])) for name in most)


class LintedChange(NamedTuple):
    """What the linter says of changed tools: errors and warnings, and by changed tool those that read like it."""

    findings: tuple[Diagnostic, ...] = ()
    near: Mapping[str, Sequence[str]] = {}


def lint_changed_tools(
    suite: Suite, folder: Path, plan: Plan, changes: tuple[InputChange, ...]
) -> LintedChange:
    """What is wrong with changed tools, with line numbers where they are in a file; nothing when no tool changed."""
    changed = set(chain.from_iterable(change.tools for change in changes))
    if not changed:
        return LintedChange()
    redefined = {c.name for c in changes if c.kind in ("tool_changed", "tool_renamed", "tool_added")}
    listed = tool_sources(suite.tools).listed
    skills = any(tool.kind == "skill" for tool in plan.definitions)
    file = folder / listed if isinstance(listed, str) and not skills else None
    in_file = file is not None and file.suffix in (".json", ".yaml", ".yml") and file.is_file()
    source = read_paths([path_for_ci(file)]) if file and in_file else [tool_set(plan.definitions)]
    report = lint(source, only=redefined, infos=False)
    findings = (d for d in report.diagnostics if d.tool in redefined and d.severity != "info")
    near: dict[str, list[str]] = {}
    for pair in report.pairs:
        for name, other in ((pair.first, pair.second), (pair.second, pair.first)):
            if pair.score >= NEAR and name in changed:
                near.setdefault(name, []).append(other)
    return LintedChange(tuple(findings), near)


def all_reached(reach: Reach, goldens: Mapping[str, AnyGolden]) -> Reach:
    """The same goldens when nothing rules out that a change reaches each of them."""
    hard = [name for name in reach.untouched if guards(goldens[name])]
    rest = (*reach.rest, *reach.untouched)
    return msgspec.structs.replace(reach, untouched=(), rest=rest, hard=(*reach.hard, *hard))
