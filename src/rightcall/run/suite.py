"""`suite.yaml`: the dataset, the agent, the metrics and the limits of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from rightcall.agents.conversation.personas import DEFAULT_PERSONAS
from rightcall.agents.limits import Limits, RunLimits
from rightcall.core import codec
from rightcall.core.errors import InputError
from rightcall.core.options import suite_key
from rightcall.decide.check_settings import CheckSettings
from rightcall.files.checked_read import require_file
from rightcall.files.documents import read_items, refuse_other_format, value_of
from rightcall.metrics.measurement import METRIC_SECONDS
from rightcall.model.record import Record
from rightcall.models.base import Settings
from rightcall.models.endpoint import ModelEndpoint
from rightcall.models.rate_limit import RateLimit
from rightcall.recording.settings import RecordMode, RecordSettings
from rightcall.run.options import SuiteOptions

FORMAT = "rightcall/suite/1"


class CodeFiles(Record, frozen=True):
    """`agent.code` that replaces what RightCall finds out itself."""

    only: Annotated[
        tuple[str, ...],
        msgspec.Meta(min_length=1, description="the files of the agent, by glob; no other file is compared"),
    ]


class AgentConfig(Record, frozen=True):
    """The agent under test."""

    model: Annotated[
        str,
        msgspec.Meta(
            description="provider:model, a name of models, module:agent, http:URL, a2a:URL, or exec:COMMAND"
        ),
    ]
    base_url: Annotated[
        str | Annotated[tuple[str, ...], msgspec.Meta(min_length=1)] | None,
        msgspec.Meta(description="base URL of a compatible server; with a list, worker i uses entry i mod n"),
    ] = None
    key_env: Annotated[
        str | None,
        msgspec.Meta(
            description="environment variable with the key [default: the provider's, at its own host]"
        ),
    ] = None
    system: Annotated[str, msgspec.Meta(description="system prompt")] = ""
    mode: Annotated[
        Literal["single_turn", "loop"],
        msgspec.Meta(
            description="single_turn: one request, no tools run; loop: run tools until the model answers"
        ),
    ] = "single_turn"
    settings: Annotated[Settings, msgspec.Meta(description="settings of the model")] = Settings()
    rate: Annotated[
        RateLimit | None,
        msgspec.Meta(description="requests_per_minute and tokens_per_minute of the whole run"),
    ] = None
    execute: Annotated[
        Literal["mock", "real"] | None,
        msgspec.Meta(description="whether tools run for real [default: mock, real for an observed agent]"),
    ] = None
    strict: Annotated[
        bool | None,
        msgspec.Meta(
            description="stop the agent when a tool lacks permission, loses a connection or fails unexpectedly"
            " [default: only when a destructive tool fails unexpectedly]"
        ),
    ] = None
    record: Annotated[
        str | None, msgspec.Meta(description="folder to record every answer to; recorded:FOLDER replays it")
    ] = None
    observe: Annotated[
        str | tuple[str, ...] | None,
        msgspec.Meta(
            description="observe module:agent while it runs: auto, or names of adapters; an http: or exec: agent: otel"
        ),
    ] = None
    otlp: Annotated[
        str,
        msgspec.Meta(
            description="where to receive the spans of an http: or exec: agent"
            " [default: 127.0.0.1:4318 for http:, a free port for exec:]"
        ),
    ] = ""
    settle: Annotated[
        float,
        msgspec.Meta(ge=0, le=600, description="seconds without a new span after which a turn is complete"),
    ] = 2.0
    calls: Annotated[
        Literal["auto", "root", "all"], msgspec.Meta(description="whose calls count when agents use agents")
    ] = "auto"
    handoffs: Annotated[
        Literal["keep", "drop"], msgspec.Meta(description="whether handing over to another agent is a call")
    ] = "keep"
    session: Annotated[
        Literal["fresh"], msgspec.Meta(description="every trial starts a new conversation")
    ] = "fresh"
    request: Annotated[Any, msgspec.Meta(description="request body for an http: or exec: agent")] = None
    response: Annotated[
        dict[str, Any],
        msgspec.Meta(description="where output, calls, … are in the reply: paths such as $.answer"),
    ] = {}
    headers: Annotated[
        dict[str, str],
        msgspec.Meta(
            description="sent to an http: agent or the model's server; ${NAME} is taken from the environment"
        ),
    ] = {}
    preset: Annotated[
        Literal["langgraph", "agentcore"] | None,
        msgspec.Meta(
            description="platform of an http: agent: where a turn is posted, and what is its session"
        ),
    ] = None
    reuse: Annotated[
        bool, msgspec.Meta(description="keep an exec: program running, one JSON line per request")
    ] = False
    code: Annotated[
        tuple[str, ...] | CodeFiles,
        msgspec.Meta(
            description="globs of files of an agent that is code, besides those it is seen to read; !GLOB leaves some"
            " out; {only: [GLOB, …]} compares these alone"
        ),
    ] = ()

    @property
    def code_globs(self) -> tuple[str, ...]:
        """What `code` lists, in either form."""
        return self.code.only if isinstance(self.code, CodeFiles) else self.code


class UserConfig(Record, frozen=True):
    """The simulated user of conversations that are not fully scripted."""

    model: Annotated[
        str | tuple[str, ...] | None,
        msgspec.Meta(
            description="provider:model or name that plays the user; several make several simulators"
            " [default: default_user of models]"
        ),
    ] = None
    personas: Annotated[
        tuple[str | dict[str, Any], ...],
        msgspec.Meta(min_length=1, description="personas: names, or {name, characteristics}; two by default"),
    ] = DEFAULT_PERSONAS
    max_turns: Annotated[
        int, msgspec.Meta(ge=1, le=1000, description="maximum number of turns of a simulated user")
    ] = 10
    stopping_criteria: Annotated[
        str, msgspec.Meta(description="when the user has got what they wanted, in words")
    ] = ""
    language: Annotated[str, msgspec.Meta(description="the language the user writes in")] = ""
    settings: Annotated[Settings, msgspec.Meta(description="settings of the model")] = Settings()
    base_url: Annotated[str | None, msgspec.Meta(description="base URL of a compatible server")] = None
    key_env: Annotated[str | None, msgspec.Meta(description="environment variable with the key")] = None
    record: Annotated[
        str | None, msgspec.Meta(description="folder to record every answer to; recorded:FOLDER replays it")
    ] = None


class WorkersConfig(Record, frozen=True):
    """Worker processes that share a run; `--on` sets where they run. Does not affect results."""

    count: Annotated[
        Annotated[int, msgspec.Meta(ge=1, le=10_000)] | None,
        msgspec.Meta(description="worker processes [default: CPUs / cpus]"),
    ] = None
    cpus: Annotated[float, msgspec.Meta(ge=0, description="CPUs per worker")] = 1.0
    gpus: Annotated[float, msgspec.Meta(ge=0, description="GPUs per worker, or a fraction of one")] = 0.0
    memory: Annotated[str | None, msgspec.Meta(description="memory per worker, such as 2GiB")] = None
    labels: Annotated[dict[str, str], msgspec.Meta(description="labels a node must have")] = {}
    lease_seconds: Annotated[
        float, msgspec.Meta(gt=0, le=600, description="seconds of work handed to a worker at a time")
    ] = 1.0
    writer: Annotated[
        Literal["driver", "workers"],
        msgspec.Meta(description="who writes results; workers only with PostgreSQL"),
    ] = "driver"


class Suite(Record, frozen=True):
    """Everything a run needs. Only `dataset` and `agent.model` are required; paths are relative to the file."""

    dataset: Annotated[str, msgspec.Meta(description="goldens: .jsonl, .json, .yaml or .csv")]
    agent: Annotated[AgentConfig, msgspec.Meta(description="the agent under test")]
    name: Annotated[str, msgspec.Meta(description="name of the suite [default: the file's name]")] = ""
    group: Annotated[str, msgspec.Meta(description="group of runs to compare over time")] = ""
    models: Annotated[
        dict[str, ModelEndpoint | str],
        msgspec.Meta(
            description="models by name, and default_judge, default_generator, default_user: a name or provider:model"
        ),
    ] = {}
    tools: Annotated[
        str | list[dict[str, Any]] | dict[str, Any] | None,
        msgspec.Meta(description="a file, inline definitions, module:attribute, or {mcp: {command: […]}}"),
    ] = None
    tool_sets: Annotated[
        dict[str, tuple[str, ...]],
        msgspec.Meta(description="named sets of tools; a golden's tool_set selects one"),
    ] = {}
    trials: Annotated[int, suite_key(SuiteOptions, "trials")] = 1
    seed: Annotated[
        int,
        msgspec.Meta(
            ge=-(2**63), le=2**63 - 1, description="seed of the order of the cases and of everything random"
        ),
    ] = 0
    concurrency: Annotated[int, suite_key(SuiteOptions, "concurrency")] = 32
    metrics: Annotated[
        tuple[str | dict[str, str | list[str]], ...],
        msgspec.Meta(description="extra metrics; {measure: NAME} measures without affecting the verdict"),
    ] = ()
    metric_seconds: Annotated[
        float, msgspec.Meta(gt=0, description="time limit of a metric for one case, in seconds")
    ] = METRIC_SECONDS
    weights: Annotated[
        dict[str, float] | str,
        msgspec.Meta(
            description="weights of the overall score by dimension, or the name of a weighting (seed)"
        ),
    ] = {}
    pass_rule: Annotated[
        Literal["strict", "score"],
        msgspec.Meta(
            description="strict: every expectation is met; score: the overall score is at least 0.8"
        ),
    ] = "strict"  # noqa: S105
    limits: Annotated[Limits, msgspec.Meta(description="limits of one case")] = Limits()
    run_limits: Annotated[RunLimits, msgspec.Meta(description="limits of the whole run")] = RunLimits()
    mocks: Annotated[dict[str, Any], msgspec.Meta(description="mock results of tools in a loop")] = {}
    approvals: Annotated[
        dict[str, Any],
        msgspec.Meta(
            description="what to answer when the agent asks before a tool: approve, escalate, {reject: MESSAGE},"
            " {edit: {ARGUMENT: VALUE}}"
        ),
    ] = {}
    worlds: Annotated[
        dict[str, dict[str, Any] | None],
        msgspec.Meta(
            description="simulated environments with working tools: bank, mailbox, file_tree, accounts"
        ),
    ] = {}
    faults: Annotated[
        str | dict[str, Any] | None, msgspec.Meta(description="fault plan: a file or inline")
    ] = None
    user: Annotated[UserConfig | None, msgspec.Meta(description="simulated user of conversations")] = None
    gate: Annotated[dict[str, Any], msgspec.Meta(description="pass criteria: min, target, forbid, …")] = {}
    quarantine: Annotated[
        tuple[str, ...],
        msgspec.Meta(description="ids of flaky goldens that are run without affecting the verdict"),
    ] = ()
    workers: Annotated[WorkersConfig | None, msgspec.Meta(description="worker processes of a run on Ray")] = (
        None
    )
    check: Annotated[CheckSettings, msgspec.Meta(description="settings of `rightcall check`")] = (
        CheckSettings()
    )
    record: Annotated[
        RecordMode | RecordSettings,
        msgspec.Meta(
            description="record and replay model answers: none, auto, refresh, replay, or an object"
        ),
    ] = "none"
    format: Annotated[str, msgspec.Meta(description="format of the file")] = FORMAT


def load_suite(path: str | Path) -> Suite:
    """Load a suite from a YAML or JSON file; `InputError` names the location of a problem."""
    path = require_file(path)
    if path.suffix.lower() not in (".yaml", ".yml", ".json"):
        raise InputError(str(path), "a suite is a .yaml or .json file", "create one with `rightcall init`")
    items = read_items(path, "suites")
    entries = list(items.entries)
    if not items.single or len(entries) != 1:
        raise InputError(
            str(path), "a suite is one object with dataset and agent", "create one with `rightcall init`"
        )
    value = value_of(entries[0][1], dict[str, Any], str(path))
    if "format" in value:
        refuse_other_format(value["format"], "suite", 1, str(path))
    suite = codec.convert(value, Suite, str(path))
    return suite if suite.name else msgspec.structs.replace(suite, name=path.stem)
