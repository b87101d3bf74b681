"""The seam: where limbs and installed packages enter the core, which imports none of them.

A part has a kind (`commands`, `metrics`, …) and a name. `BUILT_IN` lists the parts of the limbs as `module:attribute`;
nothing is imported until it is used. Installed packages add parts as entry points of the group `rightcall.<kind>`. A
built-in part wins over an installed one of the same name, unless its limb was removed: a limb may become a separate
package. Rooms with a shelf (metrics, providers, lint rules, …) list their own built-in parts and ask here for the rest.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from rightcall.core.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

T = TypeVar("T")
Schema = dict[str, Any]

KINDS = {
    "adapters": "adapter",
    "commands": "command",
    "dialects": "trace dialect",
    "evidence": "evidence",
    "importers": "importer",
    "layers": "layer",
    "limbs": "limb",
    "lint_rules": "lint rule",
    "matchers": "matcher",
    "metrics": "metric",
    "names": "name",
    "pages": "page",
    "providers": "provider",
    "receivers": "receiver of an agent's calls",
    "report_formats": "report format",
    "rules": "rule of a gate",
    "services": "service",
    "stored_evidence": "evidence of a stored run",
}
"""Each kind, and the word for one of it."""

BUILT_IN: dict[str, dict[str, str]] = {
    "commands": {
        "attacks": "rightcall.limbs.attacks.command:attacks",
        "audit": "rightcall.limbs.audit.command:audit",
        "generate": "rightcall.limbs.generate.command:generate",
        "monitor": "rightcall.limbs.monitor.command:monitor",
        "traces": "rightcall.limbs.traces.command:traces",
        "view": "rightcall.limbs.dashboard.command:view",
    },
    "evidence": {
        "above_floor": "rightcall.run.floor:floor_evidence",
        "judges": "rightcall.run.judged_estimate:label_evidence",
        "worst_case": "rightcall.limbs.attacks.worst_case.run:worst_case_evidence",
    },
    "layers": {
        "guard": "rightcall.tools.guard.monitor:guard_layer",
        "safety": "rightcall.tools.attacks.call_stage:PlantLayer",
        "faults": "rightcall.tools.faults.inject:fault_layer",
    },
    "limbs": {
        "worlds": "rightcall.tools.worlds.base:WorldsLimb",
        "faults": "rightcall.tools.faults.plan:FaultsLimb",
        "guard": "rightcall.tools.guard.policy:GuardLimb",
        "attacks": "rightcall.limbs.attacks.suite_key:AttacksLimb",
        "audit": "rightcall.limbs.audit.suite_audit:AuditLimb",
        "workers": "rightcall.limbs.ray.place:WorkersLimb",
    },
    "matchers": {
        "bfcl": "rightcall.datasets.importers.bfcl:bfcl_matcher",
        "python_function": "rightcall.metrics.matching.matchers.values:function_matcher",
    },
    "receivers": {
        "otel": "rightcall.limbs.traces.span_receiver:SpanReceiver",
    },
    "rules": {
        "above_floor": "rightcall.decide.floor_rule:FloorRules",
        "safety": "rightcall.decide.safety_rule:SafetyRules",
        "baseline": "rightcall.decide.baseline:BaselineRules",
        "worst_case": "rightcall.decide.safety_rule:WorstCaseRules",
        "judged": "rightcall.decide.judged_rule:JudgedRules",
    },
    "services": {
        "agent_tools": "rightcall.agents.observed.catalog:agent_tools",
        "attacks": "rightcall.limbs.attacks.attacked_plan:attacks",
        "attacked_plan": "rightcall.limbs.attacks.attacked_plan:plan_with_attacks",
        "assistant": "rightcall.limbs.assistant.server:serve_assistant",
        "expected_drafts": "rightcall.limbs.generate.run_proposals:draft_expectations",
        "mcp_record": "rightcall.limbs.contracts.command:record",
        "mcp_serve": "rightcall.limbs.contracts.command:serve",
        "monitor_demo": "rightcall.limbs.monitor.command:show_demo",
        "mcp_verify": "rightcall.limbs.contracts.command:verify",
        "spellings": "rightcall.records.dialects",
        "simulator": "rightcall.limbs.generate.simulator:ConversationSimulator",
        "synthesizer": "rightcall.limbs.generate.synthesizer:Synthesizer",
        "synthesizer_configs": "rightcall.limbs.generate.config",
        "traced_goldens": "rightcall.limbs.traces.trace_import:recorded_goldens",
        "workers": "rightcall.limbs.ray.place:Workers",
    },
    "stored_evidence": {
        "judges": "rightcall.run.judged_estimate:StoredJudges",
    },
}
"""What limbs, and modules that are loaded late, add. A service is one function or class that the core asks for."""

LIMBS = "rightcall.limbs."
GROUP = "rightcall."

project_folders: list[str] = []
"""Folders on `sys.path` for the modules of a project. What looks like an installed package there, or in the working
folder, is not one: a checkout must not bring code that runs unasked."""


class Plugin(NamedTuple):
    """A part that an installed package adds."""

    kind: str
    name: str
    target: str
    package: str

    @property
    def label(self) -> str:
        return f"{KINDS[self.kind]} '{self.name}' of the package {self.package}"

    @property
    def problem(self) -> str:
        """Why it cannot be loaded; nothing when it can."""
        try:
            self.load()
        except ConfigError as error:
            return str(error)
        return ""

    def load(self) -> Any:
        """The object itself; `ConfigError` names the package that fails to import, whatever it raises."""
        try:
            return import_target(self.target)
        except (Exception, SystemExit) as error:
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            raise ConfigError(
                f"{self.label} cannot be loaded: {reason}; update or uninstall {self.package.split()[0]}"
            ) from error


class Limb:
    """What a limb adds to suites: a key. This one adds nothing; it is asked where a suite or an option has the key."""

    block: ClassVar[Any] = Any
    """The type of the key's value, with its description."""
    parts: ClassVar[Sequence[type]] = ()
    """Types that `schema` refers to."""

    def setting(self, value: Any) -> Any:
        """What an agent is given under its name, read; None for nothing."""
        return value

    def override(self, block: Any, option: Any) -> Any:
        """The value with what an option of the command line replaces."""
        return option

    def tools(self, block: Any) -> list[Any]:
        """Tools that it gives the agent."""
        return []

    def agent(self, agent: T, block: Any, folder: Path, *, loops: bool) -> T:
        """The agent as it changes it; `loops` where it runs tools."""
        return agent

    def gate(self, block: Any) -> Mapping[str, Any]:
        """What it requires of a run, by keys of a gate."""
        return {}

    def plan(self, plan: T, block: Any, folder: Path) -> T:
        """The plan as it changes it."""
        return plan

    def schema(self, ref: Callable[[str], Schema]) -> Schema:
        """What the JSON Schema of its key says besides its type."""
        return {}


def plugins(kind: str, built_in: Collection[str] = ()) -> dict[str, Plugin]:
    """What installed packages add of a kind, by name, without those that a built-in part hides."""
    return {plugin.name: plugin for plugin in reversed(_plugins_of_kind(kind)) if plugin.name not in built_in}


def load_plugins(kind: str, built_in: Collection[str] = ()) -> dict[str, Any]:
    """All parts that installed packages add of a kind, loaded; `ConfigError` for the first that cannot be."""
    return {name: plugin.load() for name, plugin in plugins(kind, built_in).items()}


def name_clashes(kind: str, built_in: Collection[str] = ()) -> list[str]:
    """For listings: a sentence about each installed part that is not used, because its name is taken."""
    used = plugins(kind, built_in)
    return [
        f"{plugin.label} is not used: "
        + (f"{used[plugin.name].package} has" if plugin.name in used else "RightCall has")
        + f" a {KINDS[kind]} of that name"
        for plugin in _plugins_of_kind(kind)
        if used.get(plugin.name) != plugin
    ]


def plugin_errors(kind: str, built_in: Collection[str] = ()) -> list[str]:
    """For listings: why installed parts cannot be loaded."""
    return [problem for plugin in plugins(kind, built_in).values() if (problem := plugin.problem)]


def find(kind: str, name: str) -> Any | None:
    """The part of that name, loaded; None when there is none, or when its limb was removed."""
    target = BUILT_IN.get(kind, {}).get(name)
    if target is not None:
        try:
            return import_target(target)
        except ModuleNotFoundError as error:
            if not missing_limb(error):
                raise
    plugin = plugins(kind).get(name)
    return plugin.load() if plugin is not None else None


def load(kind: str, name: str) -> Any:
    """The part of that name, loaded; `ConfigError` says what to install when its limb was removed."""
    part = find(kind, name)
    if part is None:
        try:
            return import_target(BUILT_IN[kind][name])
        except ModuleNotFoundError as error:
            raise ConfigError(f"{KINDS[kind]} '{name}': {missing_limb(error)}") from None
    return part


def import_target(target: str) -> Any:
    """What `module:attribute` names, or the module."""
    module, _, attribute = target.partition(":")
    part: Any = import_module(module)
    for name in filter(None, attribute.split(".")):
        part = getattr(part, name)
    return part


def missing_limb(error: ModuleNotFoundError) -> str:
    """What to install when a limb could not be imported; empty when something else is missing."""
    module = error.name or ""
    if not module.startswith(LIMBS) and f"{module}." != LIMBS:
        return ""
    return (
        f"{module} is not part of this installation; install it with: pip install --force-reinstall rightcall"
    )


def _plugins_of_kind(kind: str) -> list[Plugin]:
    """The parts of a kind in installed packages, in the order of `sys.path`."""
    try:
        here = os.getcwd()  # noqa: PTH109  pathlib is not loaded at start-up
    except OSError:  # the working folder was deleted
        here = ""
    return _parts(tuple(path for path in sys.path if path not in ("", here, *project_folders))).get(kind, [])


@cache
def _parts(path: tuple[str, ...]) -> dict[str, list[Plugin]]:
    """Every part of the packages in these folders. Reading their metadata takes milliseconds."""
    from importlib.metadata import distributions

    parts: dict[str, list[Plugin]] = {}
    packages: set[str] = set()
    for distribution in distributions(path=list(path)):
        points = [point for point in distribution.entry_points if point.group.startswith(GROUP)]
        if not points or distribution.name in packages:  # its metadata is read only when it has parts
            continue
        packages.add(distribution.name)
        package = f"{distribution.name} {distribution.version}"
        for point in points:
            kind = point.group.removeprefix(GROUP)
            if kind in KINDS:
                parts.setdefault(kind, []).append(Plugin(kind, point.name, point.value, package))
    return parts
