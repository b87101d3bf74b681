"""What faults and harmless changes did to a run, compared with its clean control, golden by golden."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from rightcall.core.errors import ConfigError, suggestion
from rightcall.decide.candidates import compare_many
from rightcall.improve.argument_kind import still_holds, values_in_request
from rightcall.improve.variant import redefine_agent
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.golden import Golden
from rightcall.records.record import Record
from rightcall.records.tool import Tool
from rightcall.run.decisions import RunComparison
from rightcall.run.gate_evidence import outcomes_of_run
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.store.sql.store import Store
from rightcall.tools.faults.measures import (
    FaultPair,
    FaultSummary,
    blind_retries,
    check_share,
    double_effects,
    fault_summary,
    faults_that_fired,
    in_plain_words,
    missing_effects,
)

STRANGERS = (
    ("convert_currency", "Convert an amount of money from one currency to another at today's rate."),
    ("play_song", "Play a song or an album on the loudspeaker in the living room."),
    ("order_pizza", "Order a pizza to an address; returns when it will arrive."),
    ("translate_text", "Translate a text from one language into another."),
    ("count_steps", "How many steps somebody walked on a day."),
    ("water_plants", "Water the plants on the balcony for a while."),
    ("rate_movie", "Give a movie a rating from one to five stars."),
    ("park_car", "Find a free parking space near an address."),
)
NOT_AVAILABLE = {"error": {"error": "not_available", "detail": "this tool is not available here"}}
SHORTEST_WORD = 5


@dataclass(frozen=True)
class PerturbTask:
    """What a perturbation changes; `paraphrases` are those of a model, by golden."""

    plan: Plan
    tools: Sequence[Tool]
    goldens: Sequence[Golden]
    paraphrases: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def random(self, *what: object) -> random.Random:
        """A random generator with the seed of the run."""
        return random.Random("/".join(map(str, (self.plan.seed, *what))))  # noqa: S311

    def with_tools(self, tools: Sequence[Tool], goldens: Sequence[Golden], **fields: Any) -> Plan:
        """The agent with other definitions."""
        agent = redefine_agent(self.plan.agent, tools, **fields)
        return replace(self.with_goldens(goldens), agent=agent)

    def with_goldens(self, goldens: Sequence[Golden]) -> Plan:
        """The same agent with other goldens."""
        return replace(self.plan, dataset=list(goldens), in_memory=None, lines=())

    @property
    def on_suite_tools(self) -> list[Golden]:
        """Goldens that define no tools: others are not affected by changes to the suite's tools."""
        return [golden for golden in self.goldens if golden.tools is None]


def order(task: PerturbTask) -> Plan:
    """The tools reversed. Goldens that define tools are left out."""
    return task.with_tools(list(reversed(task.tools)), task.on_suite_tools)


def distractors(task: PerturbTask) -> Plan:
    """Eight unrelated tools among the others; in a loop they are not available."""
    tool_names = {tool.name for tool in task.tools}
    more = [Tool(name, text) for name, text in STRANGERS if name not in tool_names]
    mixed = [*task.tools, *more]
    task.random("distractors").shuffle(mixed)
    unavailable = {tool.name: NOT_AVAILABLE for tool in more} if task.plan.agent.mode == "loop" else {}
    return task.with_tools(mixed, task.on_suite_tools, mocks={**task.plan.agent.mocks, **unavailable})


def names(task: PerturbTask) -> Plan:
    """Neutral names of tools. Goldens whose text names a tool are left out."""
    numbers = list(range(1, len(task.tools) + 1))
    task.random("names").shuffle(numbers)
    new = {tool.name: f"tool_{number:02}" for tool, number in zip(task.tools, numbers, strict=True)}
    if not new:
        return task.with_goldens(task.goldens)
    spoken = re.compile(
        "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in sorted(new, key=len, reverse=True))
    )

    def text(words: str) -> str:
        return spoken.sub(lambda match: new[match.group()], words)

    tools = [
        msgspec.structs.replace(
            tool, name=new[tool.name], title="", description=text(tool.description),
            input_schema=_in_texts(tool.input_schema, text),
        )
        for tool in task.tools
    ]  # fmt: skip
    agent = task.plan.agent
    return task.with_tools(
        tools,
        [rename_golden_tools(g, new) for g in task.goldens if not spoken.search(g.input)],
        renamed={after: before for before, after in new.items()},
        system=text(agent.system),
        mocks={new.get(name, name): _in_texts(mock, text) for name, mock in agent.mocks.items()},
        tool_sets={
            name: tuple(new.get(member, member) for member in members)
            for name, members in agent.tool_sets.items()
        },
    )


def _in_texts(value: Any, text: Callable[[str], str]) -> Any:
    """A plain value with every text changed; keys stay."""
    if isinstance(value, str):
        return text(value)
    if isinstance(value, dict):
        return {key: _in_texts(inner, text) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_in_texts(inner, text) for inner in value)
    return value


def rename_golden_tools(golden: Golden, new: Mapping[str, str]) -> Golden:
    """The golden with its tools under other names."""

    def rename(named: Any) -> Any:
        """A tool, or several; a pattern and a definition stay."""
        if isinstance(named, list | tuple):
            return tuple(map(rename, named))
        return new.get(named, named) if isinstance(named, str) else named

    renamed = _with_calls(golden, lambda call: msgspec.structs.replace(call, tool=rename(call.tool)))
    return msgspec.structs.replace(
        renamed, forbidden_calls=rename(golden.forbidden_calls), tools=rename(golden.tools)
    )


def _with_calls(golden: Golden, change: Callable[[ExpectedCall], ExpectedCall]) -> Golden:
    alternatives = tuple(tuple(map(change, calls)) for calls in golden.any_of)
    calls = tuple(map(change, golden.expected_calls))
    return msgspec.structs.replace(golden, expected_calls=calls, any_of=alternatives)


def paraphrase(task: PerturbTask) -> Plan:
    """Other words for the same request: a golden's own under `metadata.paraphrases`, or those of a model."""
    goldens = []
    for golden in task.goldens:
        words = [
            text
            for text in (*own_paraphrases(golden), *task.paraphrases.get(golden.id, ()))
            if still_holds(golden, text)
        ]
        if words:
            goldens.append(msgspec.structs.replace(golden, input=words[0]))
    if not goldens:
        raise ConfigError(
            "--perturb paraphrase requires paraphrases: give goldens metadata.paraphrases, a list of texts with the "
            "same values, or `default_generator` of `models`, which writes them"
        )
    return task.with_goldens(goldens)


def own_paraphrases(golden: Golden) -> list[str]:
    """The paraphrases that come with a golden."""
    own = golden.metadata.get("paraphrases") if isinstance(golden.metadata, dict) else None
    return [text for text in own if isinstance(text, str)] if isinstance(own, list) else []


def typos(task: PerturbTask) -> Plan:
    """Two letters swapped in a word that is not an expected argument's value."""
    goldens = []
    for golden in task.goldens:
        values = " ".join(str(value) for value in values_in_request(golden))
        words = golden.input.split(" ")
        free = [
            at
            for at, word in enumerate(words)
            if len(word) >= SHORTEST_WORD and word.isalpha() and word not in values
        ]
        if free:
            rng = task.random("typos", golden.id)
            at = rng.choice(free)
            word = words[at]
            spot = rng.randrange(1, len(words[at]) - 2)
            words[at] = word[:spot] + word[spot + 1] + word[spot] + word[spot + 2 :]
            goldens.append(msgspec.structs.replace(golden, input=" ".join(words)))
    return task.with_goldens(goldens)


KINDS: dict[str, Callable[[PerturbTask], Plan]] = {
    kind.__name__: kind for kind in (order, names, distractors, paraphrase, typos)
}


def require_kind(typed: str) -> str:
    """The name of a perturbation; refuses an unknown one."""
    if typed not in KINDS:
        hint = suggestion(typed, KINDS) or f"known: {', '.join(KINDS)}"
        raise ConfigError(f"unknown perturbation '{typed}'; {hint}")
    return typed


class FaultReport(Record, frozen=True):
    """The paired measures. `doubled` says, for each case with a repeated side effect, what was repeated and why.

    `unanswered` counts pairs of which a trial got no answer: what their ledgers show of damage counts all the same.
    """

    twin: str
    run: str
    summary: FaultSummary
    double_effects: int
    lost_effects: int
    blind_retries: int
    verified_before_retry: float | None
    doubled: dict[str, str]
    unanswered: int = 0


def fault_report(
    store: Store, twin: str, run: str, planned: tuple[str, ...], tools: Mapping[str, Tool]
) -> FaultReport:
    """Compare a run with faults to its control, trial by trial; a fault that never fired is `not_run`."""
    twins = {(r.golden_id, r.trial): r for r in store.runs.results(twin, trajectories=True)}
    pairs: list[FaultPair] = []
    doubled: dict[str, str] = {}
    doubles = lost = blind = unanswered = 0
    checked: list[float] = []
    for struck in store.runs.results(run, trajectories=True):
        before = twins.get((struck.golden_id, struck.trial))
        unanswered += bool(struck.error or (before is not None and before.error))
        if struck.trajectory is None or not struck.checked:
            continue
        happened = struck.trajectory
        fired = faults_that_fired(happened.ledger)
        is_pair = before is not None and before.judged and struck.judged
        if before is not None and is_pair:
            pairs.append(FaultPair(struck.golden_id, struck.trial, struck.passed, before.passed, fired=fired))
            clean = before.trajectory.ledger if before.trajectory else ()
            lost += len(missing_effects(clean, happened.ledger)) if fired else 0
        doubles += len(double_effects(happened.ledger))
        blind += len(blind_retries(happened.calls, tools))
        if (share := check_share(happened.calls, tools)) is not None:
            checked.append(share)
        if words := in_plain_words(happened.calls, happened.ledger, tools):
            doubled[f"{struck.golden_id} trial {struck.trial}"] = words
    return FaultReport(
        twin=twin,
        run=run,
        summary=fault_summary(pairs, planned),
        double_effects=doubles,
        lost_effects=lost,
        blind_retries=blind,
        verified_before_retry=sum(checked) / len(checked) if checked else None,
        doubled=doubled,
        unanswered=unanswered,
    )


WITHIN = 0.05
"""A perturbed agent may be worse by less than this and is still called not worse."""

Paraphrased = Mapping[str, Sequence[str]]


async def run_perturbed(
    plan: Plan,
    store: Store,
    kinds: Sequence[str],
    *,
    paraphrases: Paraphrased | None = None,
    announce: Callable[[str], None] = lambda sentence: None,
) -> dict[str, RunComparison]:
    """A clean run and one of each kind, all at the same time, compared golden by golden.

    Every run is kept, marked as perturbed.
    """
    plan = plan.with_goldens()
    goldens = [golden for golden in plan.goldens() if isinstance(golden, Golden)]
    task = PerturbTask(plan, list(plan.definitions), goldens, paraphrases or {})
    plans = plans_by_kind(task, kinds)  # every problem before anything is spent
    fitting = [(kind, perturbed) for kind, perturbed in plans.items() if any(perturbed.goldens())]
    for kind in plans.keys() - dict(fitting):
        announce(f"{kind}: no golden fits, so nothing is run")
    jobs = [("clean", task.with_goldens(goldens)), *fitting]
    cases = sum(len(list(job.goldens())) * plan.trials for _, job in jobs)
    announce(f"{len(jobs)} runs, clean and perturbed, {cases:,} cases")
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_run_one(job, store, kind, len(jobs))) for kind, job in jobs]
    baseline, *candidates = [task.result() for task in tasks]
    outcomes = [(run, outcomes_of_run(store, run)) for run in candidates]
    compared = compare_many(outcomes_of_run(store, baseline), outcomes, margin=WITHIN) if outcomes else []
    return {
        kind: RunComparison(baseline, run, plan.agent.name, comparison, p_adjusted=p)
        for (kind, _), (run, comparison, p) in zip(jobs[1:], compared, strict=True)
    }


def plans_by_kind(task: PerturbTask, kinds: Sequence[str]) -> dict[str, Plan]:
    """The plan of each kind."""
    return {kind: KINDS[kind](task) for kind in map(require_kind, kinds)}


async def _run_one(plan: Plan, store: Store, kind: str, runs: int) -> str:
    marked = replace(
        plan,
        gate=None,
        settings={**plan.settings, "perturb": kind},
        group=f"{plan.group or plan.name}/perturb",
        concurrency=max(1, plan.concurrency // runs),
    )
    outcome = await run_plan(marked, store)
    return outcome.run.id
