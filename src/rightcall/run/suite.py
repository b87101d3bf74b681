"""`suite.yaml`: the dataset, the agent, the metrics and the limits of a run."""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

import msgspec

from rightcall.agents.conversation.personas import DEFAULT_PERSONAS
from rightcall.agents.limits import Limits, RunLimits
from rightcall.core import codec
from rightcall.core.errors import ConfigError, InputError
from rightcall.core.options import described, suite_key
from rightcall.core.seam import BUILT_IN, Limb, load, plugins
from rightcall.decide.check_settings import CheckSettings
from rightcall.decide.config import (
    Gate,
    GateKeys,
    JudgePolicy,
    Statistics,
    checked_gate,
)
from rightcall.files.checked_read import require_file
from rightcall.files.documents import read_items, value_of
from rightcall.files.python_object import is_object_name
from rightcall.providers.base import Settings
from rightcall.providers.catalog import ModelCatalog, project_models, read_models
from rightcall.providers.endpoint import ModelEndpoint
from rightcall.providers.hosts import at_address
from rightcall.recording.library import RecordMode, RecordSettings
from rightcall.records.record import Record
from rightcall.run.options import SuiteOptions
from rightcall.run.suite_document import with_dispatcher, with_variables


class AgentConfig(Record, frozen=True):
    """The agent under test."""

    model: Annotated[
        str,
        described("provider:model[@URL], a name from models, module:agent, http:URL, or exec:COMMAND"),
    ]
    base_url: Annotated[
        str | Annotated[tuple[str, ...], msgspec.Meta(min_length=1)] | None,
        described("base URL of a compatible server; with a list, worker i uses entry i mod n"),
    ] = None
    system: Annotated[str, described("system prompt")] = ""
    mode: Annotated[
        Literal["single_turn", "loop"] | None,
        described(
            "single_turn: one request, no tools run; loop: run tools until the model answers"
            " [default: single_turn, loop with mocks]"
        ),
    ] = None
    settings: Annotated[Settings, described("settings of the model")] = Settings()
    execute: Annotated[
        Literal["mock", "real"] | None,
        described(
            "whether tools run for real, or module:function of a tool's name and its arguments"
            " [default: mock, real for an observed agent]"
        ),
    ] = None
    strict: Annotated[
        bool | None,
        described(
            "stop the agent when a tool lacks permission, loses a connection or fails unexpectedly"
            " [default: only when a destructive tool fails unexpectedly]"
        ),
    ] = None
    observe: Annotated[
        str | tuple[str, ...] | None,
        described(
            "observe module:agent while it runs: auto, or names of adapters; an http: or exec: agent: otel"
        ),
    ] = None
    otlp: Annotated[
        str,
        described(
            "where to receive the spans of an http: or exec: agent"
            " [default: 127.0.0.1:4318 for http:, a free port for exec:]"
        ),
    ] = ""
    settle: Annotated[
        float, described("seconds without a new span after which a turn is complete", ge=0, le=600)
    ] = 2.0
    calls: Annotated[
        Literal["auto", "root", "all"], described("whose calls count when agents use agents")
    ] = "auto"
    handoffs: Annotated[
        Literal["keep", "drop"], described("whether handing over to another agent is a call")
    ] = "keep"
    request: Annotated[Any, described("request body for an http: or exec: agent")] = None
    response: Annotated[
        dict[str, Any], described("where output, calls, … are in the reply: paths such as $.answer")
    ] = {}
    headers: Annotated[
        dict[str, str],
        described("sent to an http: agent or the model's server; ${NAME} is taken from the environment"),
    ] = {}
    preset: Annotated[
        Literal["langgraph", "agentcore"] | None,
        described("platform of an http: agent: where turns are posted, and what identifies the session"),
    ] = None
    reuse: Annotated[bool, described("keep an exec: program running, one JSON line per request")] = False
    skills: Annotated[
        str | tuple[str, ...] | None,
        described("folders of skills offered to the model through the tool load_skill"),
    ] = None
    with_: Annotated[
        dict[str, Any],
        described("what the agent takes besides the text: JSON, or module:attribute, called for each trial"),
    ] = msgspec.field(default_factory=dict, name="with")
    code: Annotated[
        tuple[str, ...],
        described("additional files of an agent that is code, as globs; !GLOB excludes files"),
    ] = ()

    def __post_init__(self) -> None:
        one = None if isinstance(self.base_url, tuple) else self.base_url
        name, url = at_address(self.model, one)
        if name != self.model:
            if isinstance(self.base_url, tuple):
                raise ConfigError(
                    f"'{self.model}' names its server, and base_url has others; remove one of them"
                )
            msgspec.structs.force_setattr(self, "model", name)
            msgspec.structs.force_setattr(self, "base_url", url)

    @property
    def value_names(self) -> list[str]:
        """The objects that `with` names as `module:attribute`."""
        return [value for value in self.with_.values() if isinstance(value, str) and is_object_name(value)]


class UserConfig(Record, frozen=True):
    """The simulated user of conversations that are not fully scripted."""

    model: Annotated[
        str | None,
        described("provider:model or name that plays the user [default: default_user of models]"),
    ] = None
    personas: Annotated[
        tuple[str | dict[str, Any], ...],
        described("personas: names, or {name, characteristics}; two by default", min_length=1),
    ] = DEFAULT_PERSONAS
    max_turns: Annotated[int, described("maximum number of turns of a simulated user", ge=1, le=1000)] = 10
    language: Annotated[str, described("the language the user writes in")] = ""


class QuarantinedGolden(Record, frozen=True):
    """A flaky golden that somebody takes care of. After its last day, `check` fails until it is taken out."""

    golden: Annotated[str, described("id of the golden")]
    owner: Annotated[str, described("who takes care of it")]
    reason: Annotated[str, described("why it is flaky")]
    until: Annotated[datetime.date, described("last day, as YYYY-MM-DD")]

    @property
    def words(self) -> str:
        """`refund-1 (ana, until 2026-12-01: the sandbox is slow)`."""
        return f"{self.golden} ({self.owner}, until {self.until}: {self.reason})"


class Suite(Record, frozen=True):
    """Everything a run needs. Only `dataset` and `agent.model` are required; paths are relative to the file.

    A file may have the keys of limbs too (`core/seam.py`); what it does not have is not loaded.
    """

    dataset: Annotated[str, described("goldens: .jsonl, .json, .yaml or .csv")]
    agent: Annotated[AgentConfig, described("the agent under test")]
    name: Annotated[str, described("name of the suite [default: the file's name]")] = ""
    models: Annotated[
        dict[str, ModelEndpoint | str],
        described(
            "models by name, and default_judge, default_generator, default_user: a name or provider:model"
        ),
    ] = {}
    tools: Annotated[
        str | list[dict[str, Any]] | dict[str, Any] | None,
        described(
            "a file, inline definitions, module:attribute, or an object of file, mcp: {command: […]}, skills: [DIR, …]"
        ),
    ] = None
    tool_sets: Annotated[
        dict[str, tuple[str, ...]], described("named sets of tools; a golden's tool_set selects one")
    ] = {}
    trials: Annotated[int, suite_key(SuiteOptions, "trials")] = 1
    seed: Annotated[
        int, described("seed of the order of the cases and of everything random", ge=-(2**63), le=2**63 - 1)
    ] = 0
    concurrency: Annotated[int, suite_key(SuiteOptions, "concurrency")] = 32
    metrics: Annotated[
        tuple[str | dict[str, str | list[str]], ...],
        described("extra metrics; {measure: NAME} measures without affecting the verdict"),
    ] = ()
    rules: Annotated[
        str | dict[str, Any],
        described(
            "how the parts of a case count, and when it passes: default, seed, or weights, pass_rule, pass_score,"
            " secondary_threshold"
        ),
    ] = "default"
    limits: Annotated[Limits, described("limits of one case")] = Limits()
    run_limits: Annotated[RunLimits, described("limits of the whole run")] = RunLimits()
    mocks: Annotated[dict[str, Any], described("mock results of tools in a loop")] = {}
    approvals: Annotated[
        dict[str, Any],
        described(
            "what to answer when the agent asks before a tool: approve, escalate, {reject: MESSAGE},"
            " {edit: {ARGUMENT: VALUE}}"
        ),
    ] = {}
    user: Annotated[UserConfig | None, described("simulated user of conversations")] = None
    gate: Annotated[dict[str, Any], described("pass criteria: min, forbid, …")] = {}
    statistics: Annotated[Statistics, described("how the rates of the gate are decided")] = Statistics()
    judge: Annotated[JudgePolicy, described("how judged metrics decide: the labels they need")] = (
        JudgePolicy()
    )
    quarantine: Annotated[
        tuple[str | QuarantinedGolden, ...],
        described("flaky goldens that are run without affecting the verdict: ids, or entries with an end"),
    ] = ()
    check: Annotated[CheckSettings, described("settings of `rightcall check`")] = CheckSettings()
    record: Annotated[
        RecordMode | RecordSettings,
        described("record and replay model answers: none, auto, refresh, replay, or an object"),
    ] = "none"

    @property
    def quarantined_ids(self) -> frozenset[str]:
        """The ids of the goldens in quarantine."""
        return frozenset(entry if isinstance(entry, str) else entry.golden for entry in self.quarantine)

    def block(self, limb: str) -> Any:
        """What it has under the key of a limb; None where it has nothing, or `none`."""
        block = getattr(self, limb, None)
        return None if block == "none" else block


@cache
def suite_type(used: frozenset[str]) -> type[Suite]:
    """Suites with the keys of limbs: those that are `used` with their types, the others by name."""
    names = [*BUILT_IN["limbs"], *sorted(used - BUILT_IN["limbs"].keys())]
    fields = [(name, load("limbs", name).block if name in used else Any, None) for name in names]
    return msgspec.defstruct(  # type: ignore[return-value]  # it has that base
        "Suite", fields, bases=(Suite,), frozen=True, namespace={"__doc__": Suite.__doc__}
    )


def limbs_of(suite: Suite, overrides: Mapping[str, Any] = MappingProxyType({})) -> list[tuple[Limb, Any]]:
    """The limbs whose keys a suite has, with what it has there; `overrides` are from the command line."""
    limbs: list[tuple[Limb, Any]] = []
    for name in dict.fromkeys((*BUILT_IN["limbs"], *type(suite).__struct_fields__)):
        block = None if name in Suite.__struct_fields__ else suite.block(name)
        option = overrides.get(name)
        if block is None and option in (None, "none"):
            continue
        limb: Limb = load("limbs", name)()
        limbs.append((limb, block if option is None else limb.override(block, option)))
    return limbs


SUITE_SUFFIXES = (".yaml", ".yml", ".json")


def is_goldens(path: Path) -> bool:
    """Whether a file has goldens, as lines, a table or a list, and is no suite."""
    return path.suffix.lower() not in SUITE_SUFFIXES or not read_items(require_file(path), "suites").single


def suite_of_goldens(path: Path, agent: str) -> Suite:
    """A suite of goldens alone, with an agent named on the command line."""
    return Suite(require_file(path).name, AgentConfig(agent), path.stem)


def load_suite(path: str | Path) -> Suite:
    """Load a suite from a YAML or JSON file; `InputError` names the location of a problem."""
    path = require_file(path)
    if path.suffix.lower() not in SUITE_SUFFIXES:
        raise InputError(str(path), "a suite is a .yaml or .json file", "create one with `rightcall init`")
    items = read_items(path, "suites")
    entries = list(items.entries)
    if not items.single or len(entries) != 1:
        raise InputError(
            str(path), "a suite is one object with dataset and agent", "create one with `rightcall init`"
        )
    value = with_variables(value_of(entries[0][1], dict[str, Any], str(path)), str(path))
    own = {field.encode_name for field in msgspec.structs.fields(Suite)}
    others = value.keys() - own
    if others - BUILT_IN["limbs"].keys():
        others &= {*BUILT_IN["limbs"], *plugins("limbs")}
    used = frozenset(name for name in others if value[name] not in (None, "none"))
    suite = codec.convert(with_dispatcher(value), suite_type(used), str(path))
    return suite if suite.name else msgspec.structs.replace(suite, name=path.stem)


def suite_gate(suite: Suite, where: str = "gate") -> Gate | None:
    """The gate of a suite with what its other blocks require; None when nothing is required."""
    required: dict[str, Any] = {}
    for limb, block in limbs_of(suite):
        required |= limb.gate(block)
    if not suite.gate and all(value is None for value in required.values()):
        return None
    for block in (codec.convert(suite.gate, GateKeys, where), suite.statistics):
        required |= msgspec.structs.asdict(block)
    return checked_gate(Gate(**required, judges=suite.judge), where)


def suite_models(suite: Suite, folder: Path) -> ModelCatalog:
    """The catalog of a suite; its project is that of its folder, or of the working folder if that has no models."""
    project = project_models(folder)
    if not project.endpoints and not project.defaults:
        project = project_models()
    if not suite.models:
        return project
    catalog = read_models(suite.models, "models", project)
    own = {
        name: msgspec.structs.replace(endpoint, model=beside(endpoint.model, folder))
        for name, endpoint in catalog.endpoints.items()
        if name in suite.models
    }
    return ModelCatalog({**catalog.endpoints, **own}, catalog.defaults)


def project_files(folder: Path) -> list[Path]:
    """The pyproject.toml that may name models for suites in a folder: the nearest one."""
    start = folder.absolute()
    paths = [place / "pyproject.toml" for place in (start, *start.parents)]
    return [path for path in paths if path.is_file()][:1]


def beside(name: str, folder: Path) -> str:
    """A model that is a file in the suite's folder, relative to the working folder; any other name is unchanged."""
    prefix, _, file = name.partition(":")
    if prefix not in ("scripted", "local") or not file or not (folder / file).is_file():
        return name
    return f"{prefix}:{os.path.relpath(folder / file)}"
