"""The plan of a run: the agent, the selected goldens in their order, and the fingerprints of everything."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import islice, repeat
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec

from rightcall.agents.agent import Agent, is_function, tools_of
from rightcall.agents.conversation.dialogue_loop import Users
from rightcall.agents.conversation.model_user import UserSetup
from rightcall.agents.conversation.personas import by_persona
from rightcall.agents.limits import RunLimits
from rightcall.core.codec import describe_value, fingerprint_value, stable_repr
from rightcall.core.digest import file_digest, hex_digest
from rightcall.core.errors import InputError
from rightcall.core.redaction.clean_text import scrubber
from rightcall.core.seam import BUILT_IN
from rightcall.datasets.goldens import numbered_goldens
from rightcall.decide.config import Gate, JudgePolicy
from rightcall.metrics.base import Metric
from rightcall.metrics.matching.verdict import ScoringRules
from rightcall.metrics.score_case import Scorer
from rightcall.metrics.tally import Tally
from rightcall.providers.catalog import ModelCatalog
from rightcall.providers.hosts import server_of
from rightcall.records.golden import AnyGolden, ConversationalGolden, Golden, canonical_golden, category_of
from rightcall.records.tool import Tool
from rightcall.run.agent_sources import AgentSources, function_sources
from rightcall.run.conversations import simulator_fingerprint
from rightcall.run.inputs import Inputs, approval_rules, digest, exchange_shapes, guard_rules, inputs_of
from rightcall.run.request_templates import TemplateGroup, undeclared_templates
from rightcall.tools.definitions.offer import with_tool_set
from rightcall.tools.runtime.mocks import tools_with_errors
from rightcall.tools.runtime.toolbox import Toolbox

G = TypeVar("G", bound=Golden | ConversationalGolden)


class Selection(msgspec.Struct, frozen=True):
    """Ids (with * and ?), tags and categories; a golden needs to match one. Empty selects all."""

    only: tuple[str, ...] = ()
    limit: int | None = None

    def chooses(self, golden: AnyGolden) -> bool:
        return not self.only or any(
            word in golden.tags or word == category_of(golden) or fnmatchcase(golden.id, word)
            for word in self.only
        )

    def choose(self, goldens: Iterable[G]) -> Iterator[G]:
        picked = (golden for golden in goldens if self.chooses(golden)) if self.only else iter(goldens)
        return islice(picked, self.limit)


BLOCK = 10_000
"""Block size of the seeded shuffle, which keeps memory constant."""


class Done(Protocol):
    """Says by a cell's place whether it has a result."""

    def __getitem__(self, place: int) -> bool: ...


@dataclass(frozen=True)
class Plan:
    """What to run. `goldens()` yields them in the seeded order.

    `in_memory` are the goldens of the dataset, if it was already read, and `lines` where they are. `suite_file` is the
    suite's path, relative to the working folder, and `run_options` are the options of `rightcall run` that replace
    settings of the suite. `kind` is what the suite is for; it changes no result.
    """

    name: str
    agent: Agent
    dataset: Path | Sequence[AnyGolden]
    metrics: Sequence[Metric] = ()
    observe: Sequence[Metric] = ()
    rules: ScoringRules = field(default_factory=ScoringRules)
    trials: int = 1
    seed: int = 0
    concurrency: int = 32
    run_limits: RunLimits = field(default_factory=RunLimits)
    group: str = ""
    gate: Gate | None = None
    quarantine: frozenset[str] = frozenset()
    selection: Selection = field(default_factory=Selection)
    settings: Mapping[str, Any] = field(default_factory=dict)
    in_memory: Sequence[AnyGolden] | None = None
    lines: Sequence[int] = ()
    sources: AgentSources | None = None
    user: UserSetup | Users | None = None
    suite_file: str = ""
    run_options: str = ""
    models: ModelCatalog = field(default_factory=ModelCatalog)
    judges: JudgePolicy = field(default_factory=JudgePolicy)
    """How judged metrics decide where there is no gate, which has its own."""
    lock_problems: tuple[str, ...] = ()
    untested: tuple[str, ...] = ()
    """What the plan of attacks asks for and could not be made, each with the reason."""

    @property
    def own_agent(self) -> bool:
        """Whether the agent is a user-defined function."""
        return is_function(self.agent.model)

    @cached_property
    def agent_sources(self) -> AgentSources:
        """The code that determines what the agent does, and whether it can be compared."""
        return function_sources(self.agent) if self.sources is None else self.sources

    @cached_property
    def definitions(self) -> tuple[Tool, ...]:
        """The tools as they are given: a server that runs them is asked for its own when a session opens it."""
        return tuple(Toolbox(tools_of(self.agent), faults=self.agent.faults).definitions)

    @property
    def scorer(self) -> Scorer:
        """The scorer of every case."""
        return Scorer(self.metrics, self.observe, self.rules)

    def tally(self) -> Tally:
        """A new tally of its results."""
        return Tally(self.scorer.names, erring=tools_with_errors(self.agent.mocks))

    def with_goldens(self) -> Plan:
        """The same plan with the goldens of its file in memory, for those who read them more than once."""
        if not isinstance(self.dataset, Path) or self.in_memory is not None:
            return self
        numbered = list(self.numbered_goldens())
        return replace(
            self, in_memory=[golden for _, golden in numbered], lines=[line for line, _ in numbered]
        )

    def numbered_goldens(self) -> Iterator[tuple[int, AnyGolden]]:
        """The goldens of the dataset with their lines; 0 for those made in Python."""
        if self.in_memory is not None:
            return zip(self.lines or repeat(0), self.in_memory, strict=False)
        if isinstance(self.dataset, Path):
            return numbered_goldens(self.dataset)
        return zip(repeat(0), self.dataset, strict=False)

    def goldens(self) -> Iterator[AnyGolden]:
        stream = self.in_dataset_order()
        for number, block in enumerate(iter(lambda: list(islice(stream, BLOCK)), [])):
            random.Random(f"{self.seed}/{number}").shuffle(block)  # noqa: S311
            block.reverse()
            while block:  # a golden in progress is in memory, and a finished one is not
                yield block.pop()

    def in_dataset_order(self) -> Iterator[AnyGolden]:
        """The same goldens in the order of the dataset, without holding a block in memory."""
        return self.selection.choose(self._expand_goldens())

    def jobs(self, done: Done | None = None) -> Iterator[tuple[AnyGolden, int]]:
        """Every trial of every golden; those that are `done` by their place among all of them are left out."""
        place = 0
        for golden in self.goldens():
            for trial in range(self.trials):
                if done is None or not done[place]:
                    yield golden, trial
                place += 1

    def fingerprints(self, tools: Sequence[Tool]) -> dict[str, str]:
        """Fingerprints of everything that must stay the same for a run to be resumed."""
        agent = self.agent
        return {
            "dataset": self.dataset_fingerprint,
            "tools": _fingerprint(msgspec.to_builtins(list(tools))),
            "agent": _fingerprint(
                [
                    agent.name,
                    agent.system,
                    agent.mode,
                    agent.execute,
                    agent.server or None,
                    *exchange_shapes(agent),
                ]
                + (["strict"] if agent.strict else [] if agent.strict is None else ["never strict"])
            ),
            "settings": _fingerprint(msgspec.to_builtins(agent.settings)),
            "limits": _fingerprint(msgspec.to_builtins(agent.limits)),
            "mocks": _fingerprint(agent.mocks),
            "metrics": scorer_fingerprint(self.scorer),
            "selection": selection_fingerprint(self.selection),
            "setup": _fingerprint(self.setup()),
        } | self._extra_fingerprints()

    def _extra_fingerprints(self) -> dict[str, str]:
        """Fingerprints that only some runs have."""
        agent = self.agent
        sets = {name: list(members) for name, members in agent.tool_sets.items()}
        return (
            ({"faults": agent.faults.hash} if agent.faults else {})
            | ({"tool_sets": _fingerprint(sets)} if sets else {})
            | ({"approvals": _fingerprint(approvals)} if (approvals := approval_rules(agent)) else {})
            | ({"guard": _fingerprint(guard)} if (guard := guard_rules(agent)) else {})
            | ({"with": digest(agent.with_)} if agent.with_ else {})
            | ({"simulator": simulator_fingerprint(self.user)} if self.user else {})
        )

    def inputs(self, definitions: Sequence[Tool] | None = None) -> Inputs:
        """Everything that reaches the model, by hash; `definitions` are the tools, when they are known already."""
        chosen = (
            {getattr(golden, "model", None) for golden in self.in_dataset_order()}
            if self.agent.models
            else ()
        )
        return inputs_of(
            self.agent,
            self.agent_sources,
            self.definitions if definitions is None else definitions,
            metrics=self.metrics_hash,
            user=simulator_fingerprint(self.user) if self.user else "",
            models={name: model for name, model in self.agent.models.items() if name in chosen},
        )

    @property
    def metrics_hash(self) -> str:
        """The metrics and rules that score the plan, with the files of those that are code."""
        named = scorer_fingerprint(self.scorer)
        code = self.agent_sources.metric_files()
        return digest([named, code]) if code else named

    def setup(self) -> dict[str, Any]:
        """The agent in readable form, secrets removed; `compare` shows how two runs differ."""
        agent = self.agent
        settings = msgspec.to_builtins(agent.settings, enc_hook=describe_value)
        setup = {
            "model": agent.name,
            "system": agent.system,
            "mode": agent.mode,
            "settings": settings if isinstance(settings, dict) else {},
            "limits": msgspec.to_builtins(agent.limits),
            "execute": agent.execute,
            "base_url": agent.server,
            "strict": bool(agent.strict) if agent.strict is not False else "never",
        }
        if agent.mcp_server:
            setup["mcp_server"] = agent.mcp_server
        return msgspec.json.decode(scrubber()(content_of(setup).decode()), type=dict[str, Any])

    @cached_property
    def undeclared_templates(self) -> list[TemplateGroup]:
        """Goldens that look like templates and count as independent, because no cluster is declared."""
        return undeclared_templates(self.gate, self.in_dataset_order()) if self.gate else []

    def _expand_goldens(self) -> Iterator[AnyGolden]:
        for _, golden in self.numbered_goldens():
            for conversation in conversations_of(golden, self.user):
                yield with_tool_set(conversation, self.agent.tool_sets)

    @property
    def dataset_fingerprint(self) -> str:
        """The digest of the dataset: of its file, or of goldens that were made in Python."""
        if not isinstance(self.dataset, Path):
            try:
                return _fingerprint(
                    [
                        msgspec.to_builtins(canonical_golden(g), enc_hook=fingerprint_value)
                        for g in self.dataset
                    ]
                )
            except UnicodeEncodeError:
                raise _unwritable(self.dataset) from None
        return file_digest(self.dataset)


def conversations_of(golden: AnyGolden, user: UserSetup | Users | None) -> Iterable[AnyGolden]:
    """The golden itself, or one conversation for each persona of its user."""
    if isinstance(golden, Golden) or not isinstance(user, UserSetup):
        return (golden,)
    return by_persona(golden, user.manners)


def selection_fingerprint(selection: Selection) -> str:
    """Which goldens of a dataset were selected."""
    return _fingerprint(repr(selection))


def scorer_fingerprint(scorer: Scorer) -> str:
    """The metrics and rules that produced the results."""
    observed_too = [[stable_repr(metric) for metric in scorer.observe]] if scorer.observe else []
    named = [stable_repr(metric) for metric in scorer.metrics]
    judged = [server_of(getattr(metric, "model", "")) for metric in (*scorer.metrics, *scorer.observe)]
    servers = [judged] if any(judged) else []
    rules = scorer.rules
    usual = ScoringRules()
    changed = {
        name: getattr(rules, name)
        for name in ("pass_score", "secondary_threshold", "half_credit")
        if getattr(rules, name) != getattr(usual, name)
    }
    thresholds = [changed] if changed else []
    return _fingerprint([named, *observed_too, dict(rules.weighting), rules.pass_rule, *servers, *thresholds])


def _unwritable(goldens: Iterable[AnyGolden]) -> InputError:
    """Names the golden, made in Python, whose text cannot be written to a file or store."""
    for golden in goldens:
        try:
            content_of(msgspec.to_builtins(golden, enc_hook=fingerprint_value))
        except UnicodeEncodeError:
            break
    return InputError(
        f"golden {golden.id!a}", "unpaired surrogate in a string", "write the whole character or remove it"
    )


def _fingerprint(value: Any) -> str:
    return hex_digest(content_of(value))


def content_of(value: Any) -> bytes:
    """The bytes that a fingerprint is computed from."""
    return msgspec.json.encode(value, enc_hook=repr, order="deterministic")


def evidence_names(gate: Gate | None, documents: Collection[str] = ()) -> list[str]:
    """What a gate asks for by a key that it has, or a run by a document of that name."""
    unset = Gate()
    return [
        name
        for name in BUILT_IN["evidence"]
        if name in documents or (gate is not None and getattr(gate, name, None) != getattr(unset, name, None))
    ]
