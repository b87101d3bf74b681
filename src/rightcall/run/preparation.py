"""Prepares a plan: checked, its agent opened, every problem found, nothing spent yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, nullcontext
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Literal, NamedTuple, Self

import msgspec

from rightcall.agents.agent import Agent, agents_problem, confirm_problem
from rightcall.agents.agent_loop import settings_of
from rightcall.agents.kinds import actions_of_replay, model_problems, open_problems
from rightcall.agents.observed.observed_agent import ObservedAgent
from rightcall.agents.open_agent import OpenAgent
from rightcall.core import codec, seam
from rightcall.core.codec import describe_value
from rightcall.core.errors import ConfigError, RightCallError
from rightcall.core.text import first_names
from rightcall.datasets.review import needs_review, review_problem
from rightcall.decide.config import Gate
from rightcall.metrics.matching.base import mentions_ref
from rightcall.metrics.matching.call_kinds import skills_of, skills_to_load
from rightcall.providers.base import Settings
from rightcall.recording.judged_trial import tape_judges
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.golden import AnyGolden, Golden, category_of, names_agents
from rightcall.records.run import Run
from rightcall.records.skill_load import SkillIndex, can_load
from rightcall.records.tool import Tool
from rightcall.run.conversations import conversation_problem
from rightcall.run.golden_check import ForbiddenCodes, check_goldens, codes_of
from rightcall.run.inputs import Inputs
from rightcall.run.plan import BLOCK, Plan, content_of, conversations_of, evidence_names
from rightcall.run.run_judges import judges_document, with_judges
from rightcall.run.run_record import imported_versions, new_run, sdk_versions
from rightcall.tools.definitions.offer import with_tool_set

SHOWN = 3
SHOWN_PROBLEMS = 20


def mode_warnings(agent: Agent, goldens: Iterable[AnyGolden]) -> list[str]:
    """Goldens that `single_turn` can never pass: it asks once and runs nothing, so no call has a result.

    A conversation is always held in a loop, so it lacks nothing.
    """
    if not agent.asks_once:
        return []
    ids_by_need: dict[str, list[str]] = {}
    try:
        for golden in goldens:
            for need in _needs(golden) if isinstance(golden, Golden) else ():
                ids_by_need.setdefault(need, []).append(golden.id)
    except RightCallError:
        return []  # running them will report the problem
    return [
        f"{'1 golden needs' if len(ids) == 1 else f'{len(ids):,} goldens need'} {need}, which single_turn cannot "
        f"provide; set agent.mode: loop ({first_names(sorted(ids), SHOWN)})"
        for need, ids in ids_by_need.items()
    ]


def _required_calls(golden: Golden) -> list[list[ExpectedCall]]:
    """The calls that must be made, of each alternative."""
    if not all(isinstance(call, ExpectedCall) for call in golden.expected_calls):
        return []  # made in Python with wrong types, which preflight refuses with its place
    alternatives = (golden.expected_calls, *golden.any_of) if golden.expected_calls else golden.any_of
    return [[call for call in calls if call.required] for calls in alternatives]


def _loop_problem(golden: Golden) -> str:
    """Why calls of a golden depend on results, which `single_turn` never has; empty when none does."""
    sets = _required_calls(golden)
    need = ""
    if sets and all(any(mentions_ref(call.args) for call in calls) for calls in sets):
        need = "a value from a result (ref)"
    elif sets and all(any(call.after for call in calls) for calls in sets):
        need = "calls in several steps (after)"
    return f"it needs {need}, which single_turn cannot provide; set agent.mode: loop" if need else ""


def _needs(golden: Golden) -> Iterator[str]:
    sets = _required_calls(golden)
    if not sets:
        return
    if golden.expected_state is not None and any(sets):
        yield "a final state (expected_state)"
    if golden.output_contains and all(sets):
        yield "an answer after the calls (output_contains)"


class PlanWarning(NamedTuple):
    """Why a run cannot succeed (its gate, its mode), what a replay does besides replaying, tools never approved,
    or attacks that cannot be made.
    """

    about: Literal["gate", "mode", "replay", "lock", "attacks"]
    text: str


class Prepared(msgspec.Struct, frozen=True):
    """Everything a run needs, created once: the owner must close it, best with `async with`.

    `goldens` is how many will be run; `definitions` are the tools as the run's fingerprint and store know them.
    """

    plan: Plan
    session: OpenAgent
    goldens: int
    definitions: tuple[Tool, ...]
    fingerprints: Mapping[str, str]
    inputs: Inputs
    models: frozenset[str] = frozenset()
    """The models that goldens name."""
    may_lack_results: bool = False
    """Whether a golden needs what the agent's mode cannot provide."""

    @property
    def tools(self) -> Mapping[str, Tool]:
        """What the agent can be offered, by name."""
        return self.session.tools

    @property
    def documents(self) -> dict[str, bytes]:
        """What the store keeps by its fingerprint, so that a change of tools or setup can be seen later."""
        return {
            "tools": content_of(msgspec.to_builtins(list(self.definitions))),
            "setup": content_of(self.plan.setup()),
            "inputs": codec.encode(self.inputs),
            **(judges_document(self.plan.scorer) if self.plan.metrics or self.plan.observe else {}),
        }

    def new_run(self, run_id: str | None = None) -> Run:
        """The record of a run of this plan that begins now."""
        plan = self.plan
        run = new_run(
            plan.name,
            plan.agent.label or plan.agent.name,
            fingerprints={**self.fingerprints, "inputs": self.inputs.hash},
            trials=plan.trials,
            seed=plan.seed,
            group=plan.group,
            settings=plan.settings,
            about_suite={
                "suite_file": plan.suite_file,
                "run_options": plan.run_options,
            },
        )
        if self.inputs.code:
            imported = imported_versions(plan.agent_sources.imported_modules)
            run = msgspec.structs.replace(run, versions={**imported, **sdk_versions(), **run.versions})
        run = run if run_id is None else msgspec.structs.replace(run, id=run_id)
        if plan.metrics or plan.observe:
            run = with_judges(run, judges_document(plan.scorer))
        if plan.agent_sources.ownership == "owned":
            return run
        # Only the run can tell what its agent reads: the document is written under the run's own name.
        return msgspec.structs.replace(run, fingerprints={**run.fingerprints, "watched": run.id})

    def warnings(self) -> list[PlanWarning]:
        """What cannot succeed: a gate that cannot pass, goldens that the mode cannot satisfy."""
        plan = self.plan
        of_mode = mode_warnings(plan.agent, plan.in_dataset_order()) if self.may_lack_results else []
        unrecorded = actions_of_replay(self.session)
        return [*(PlanWarning("lock", text) for text in self.plan.lock_problems),
                *(PlanWarning("gate", text) for text in gate_warnings(self.plan)),
                *(PlanWarning("mode", text) for text in of_mode),
                *(PlanWarning("attacks", text) for text in self.plan.untested),
                *([PlanWarning("replay", unrecorded)] if unrecorded else [])]  # fmt: skip

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.session.__aexit__(kind, error, trace)


async def preflight(plan: Plan, *, remote: bool = False) -> Prepared:
    """Check everything that can be checked without spending anything; returns the plan with its agent open.

    Raises one `ConfigError` with every problem: the model, the mocks, the goldens against the tools. With `remote` the
    agent is neither opened nor checked here; that happens where it runs.
    """
    session, problems = open_problems(
        plan.agent, concurrency=plan.concurrency, seed=plan.seed, user=plan.user
    )
    if session is None:
        reading = _Reading(plan)
        raise ConfigError(*problems, *await plan.scorer.problems(), *reading.problems({}))
    definitions = tuple(
        session.definitions
    )  # as they were given: a server is asked for its own only when opened
    async with AsyncExitStack() as on_error:
        if not remote:
            await session.__aenter__()
        on_error.push_async_exit(session)
        if not remote:
            problems += await session.check()
            recordings = plan.agent.recordings
            # A replay needs no key of a judge.
            with tape_judges(recordings, Golden(""), 0) if recordings else nullcontext():
                problems += await plan.scorer.problems()
        reading = _Reading(plan)
        golden_problems = reading.problems(session.tools)
        problems += _loader_problems(session, reading.skills_expected)
        if session.asks_model and not remote:
            problems += await model_problems(plan.agent, reading.models)
        problems += golden_problems + _evidence_problems(plan.gate)
        if reading.unreviewed:
            problems.append(_review_problem(plan.dataset, reading.unreviewed))
        if plan.trials < 1:
            problems.append(f"trials must be at least 1, got {plan.trials}")
        if not problems and reading.count == 0:
            where = plan.dataset if isinstance(plan.dataset, Path) else plan.name
            problems = [f"{where}: no goldens to run; check --only and --limit"]
        if problems:
            raise ConfigError(*problems)
        ready = reading.plan_in_memory()
        inputs = ready.inputs(definitions)
        on_error.pop_all()  # it stays open
        return Prepared(
            ready,
            session,
            min(reading.count, plan.selection.limit or reading.count),
            definitions,
            fingerprints=dict(ready.fingerprints(definitions)) | {"inputs": inputs.hash},
            inputs=inputs,
            models=frozenset(reading.models),
            may_lack_results=reading.may_lack_results,
        )


async def preflight_all(plans: Sequence[Plan]) -> None:
    """Check several plans before the first is run; raises one `ConfigError` with the problems of all."""
    problems: list[str] = []
    for plan in plans:
        try:
            async with await preflight(plan):
                pass  # opened to be checked, and closed again
        except ConfigError as error:
            problems += error.problems
    if problems:
        raise ConfigError(*dict.fromkeys(problems))


class _Reading:
    """The goldens of a plan, read once: counted, checked, and kept when they are few."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.count = 0
        self.models: set[str] = set()
        self.unreviewed: list[str] = []
        self.skills_expected: list[str] = []
        self.may_lack_results = False
        self._asks_once = plan.agent.asks_once
        self._codes = ForbiddenCodes(plan.gate.forbid if plan.gate else ())
        self._not_held: list[str] = []
        self._kept: list[AnyGolden] | None = (
            [] if isinstance(plan.dataset, Path) and plan.in_memory is None else None
        )

    def problems(self, tools: Mapping[str, Tool]) -> list[str]:
        """Problems of the goldens, including how they use the tools."""
        index = skills_of(tools)
        try:
            findings = check_goldens(self._read(index), dict(tools))
            errors = (
                f for f in findings if f.severity == "error" and f.code != "unreviewed"
            )  # said together
            messages = [f"{f.where}: {f.message}" + (f"; {f.hint}" if f.hint else "") for f in errors]
            # One line for all personas of a golden.
            problems = list(dict.fromkeys((*self._not_held, *messages, *self._codes.problems())))
        except RightCallError as error:
            problems = [str(error)]
        if len(problems) > SHOWN_PROBLEMS:
            more = len(problems) - SHOWN_PROBLEMS
            problems[SHOWN_PROBLEMS:] = [f"… and {more:,} more; `rightcall dataset check` lists them all"]
        return problems

    def plan_in_memory(self) -> Plan:
        """The plan, with its goldens in memory when they are no more than one block."""
        return self._plan if self._kept is None else replace(self._plan, in_memory=tuple(self._kept))

    def _read(self, index: SkillIndex | None) -> Iterator[tuple[str, AnyGolden]]:
        plan = self._plan
        for where, golden in self._source():
            self._codes.see(codes_of(golden))
            if self._kept is not None:
                self._kept.append(golden)
                if len(self._kept) > BLOCK:
                    self._kept = None
            for conversation in conversations_of(golden, plan.user):
                if not plan.selection.chooses(conversation):
                    continue
                self.count += 1
                if index is not None and not self.skills_expected:
                    self.skills_expected = skills_to_load(conversation, index)
                if conversation.metadata and needs_review(conversation):
                    self.unreviewed.append(conversation.id)
                self._not_held += [f"{where}: {problem}" for problem in self._agent_problems(conversation)]
                if isinstance(conversation, Golden):
                    if self._asks_once and not self.may_lack_results:
                        self.may_lack_results = any(_needs(conversation))
                    if conversation.settings:
                        settings_of(conversation, Settings())
                    self.models.update(filter(None, [conversation.model]))
                elif problem := conversation_problem(conversation, plan.agent, plan.user):
                    self._not_held.append(f"{where}: {problem}")
                yield where, with_tool_set(conversation, plan.agent.tool_sets, where)

    def _agent_problems(self, golden: AnyGolden) -> Iterator[str]:
        """What a golden asks of the agent that this one cannot do or show."""
        agent = self._plan.agent
        if names_agents(golden) and (problem := agents_problem(agent)):
            yield problem
        if golden.confirm and (problem := confirm_problem(agent)):
            yield problem
        if self._asks_once and isinstance(golden, Golden) and (problem := _loop_problem(golden)):
            yield problem

    def _source(self) -> Iterator[tuple[str, AnyGolden]]:
        dataset = self._plan.dataset
        if isinstance(dataset, Path):
            return ((f"{dataset}:{line}", golden) for line, golden in self._plan.numbered_goldens())
        return (_validate(golden) for golden in dataset)


def _loader_problems(session: OpenAgent, skills: Sequence[str]) -> list[str]:
    """Skills that goldens expect, when no tool of the agent could load one.

    An agent may not expose its tools, and a framework exposes neither those of sub-agents nor those of toolsets.
    """
    tools = session.request_tools
    observed = isinstance(session.agent.model, ObservedAgent)
    if not skills or observed or can_load(tools) or (not tools and not session.asks_model):
        return []
    loaders = "a tool that loads skills, a file reader or a shell"
    return [
        f"goldens expect skills ({first_names(list(skills), SHOWN)}), but the agent has no tool to load one: {loaders};"
        " add it to tools, or set agent.skills to offer load_skill"
    ]


def _evidence_problems(gate: Gate | None) -> list[str]:
    """What to install when a gate asks for something that nothing here can find out."""
    problems: list[str] = []
    for name in evidence_names(gate):
        try:
            seam.load("evidence", name)
        except ConfigError as error:
            problems += error.problems
    return problems


def _review_problem(dataset: Path | Sequence[AnyGolden], ids: list[str]) -> str:
    """Goldens made from traces or runs expect what was observed, without confirmation that it was right."""
    file = dataset if isinstance(dataset, Path) else None
    problem, how = review_problem(ids, file)
    return f"{file}: {problem}; {how}" if file else f"{problem}; {how}"


def _validate(golden: AnyGolden) -> tuple[str, AnyGolden]:
    """A golden made in Python with its place, validated like one from a file: constructors do not check types."""
    where = f"golden '{golden.id}'"
    return where, codec.convert(msgspec.to_builtins(golden, enc_hook=describe_value), type(golden), where)


def gate_warnings(plan: Plan) -> list[str]:
    """What a gate can never show with these goldens, above all that PASS is impossible."""
    if plan.gate is None:
        return []

    kinds = dict[tuple[str, tuple[str, ...], str | None], tuple[str, tuple[str, ...], str | None]]()
    shared_kinds = []
    scorer = plan.scorer
    for golden in plan.in_dataset_order():
        if golden.id not in plan.quarantine and scorer.checks(golden):
            kind = category_of(golden), tuple(golden.tags), golden.cluster
            shared_kinds.append(kinds.setdefault(kind, kind))  # what many share, instead of a million goldens
    from rightcall.decide.sample_size import warnings

    return warnings(
        plan.gate,
        [category for category, _, _ in shared_kinds],
        [tags for _, tags, _ in shared_kinds],
        trials=plan.trials,
        clusters=[cluster for _, _, cluster in shared_kinds],
    )
