"""τ-bench and τ²-bench: simulation files as conversational goldens, trajectories and rewards.

τ²-bench writes one object with `tasks` and `simulations`; τ-bench a list with one object for each trial. Reference:
Yao et al., τ-bench (arXiv:2406.12045); Barres et al., τ²-bench (arXiv:2506.07982).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from rightcall.core.errors import InputError
from rightcall.datasets.importers.benchmark_fields import field_of, list_in, number_of, object_of, objects_of
from rightcall.files.checked_read import require_file
from rightcall.files.documents import read_document
from rightcall.model.call import ToolCall, ToolResult
from rightcall.model.dialects import read_messages, trajectory_from_messages
from rightcall.model.expected_call import ExpectedCall
from rightcall.model.golden import ConversationalGolden
from rightcall.model.message import Message
from rightcall.model.record import Record
from rightcall.model.trajectory import RecordedTrajectory, StopReason, Trajectory, Usage

ENDED: dict[str, StopReason] = {
    "user_stop": "done",
    "agent_stop": "done",
    "max_steps": "limit",
    "timeout": "limit",
    "context_window_exceeded": "limit",
    "too_many_errors": "agent_error",
    "agent_error": "agent_error",
    "user_error": "infra_error",
    "infrastructure_error": "infra_error",
    "unexpected_error": "infra_error",
}
"""A fault of the simulated user says nothing about the agent, so it is an error, not a failure."""

OPENAI_FIELDS = ("role", "content", "tool_calls", "tool_call_id", "name")


class TauResults(Record, frozen=True):
    """The contents of a file: tasks as goldens, trials as trajectories, and the benchmark's reward for each trial.

    `dropped` lists the task of each trial lost to infrastructure errors: it has no reward, as in τ²-bench.
    """

    goldens: tuple[ConversationalGolden, ...]
    trajectories: tuple[RecordedTrajectory, ...]
    rewards: tuple[tuple[str, float], ...]
    dropped: tuple[str, ...] = ()

    @property
    def unscored(self) -> list[str]:
        """Tasks without a rewarded trial: they are excluded from pass^k."""
        scored = {task for task, _ in self.rewards}
        return [golden.id for golden in self.goldens if golden.id in self.dropped and golden.id not in scored]

    def counts(self) -> list[tuple[int, int]]:
        """Trials and successes of each task, for pass^k. A reward of 1 is a success, as τ-bench counts."""
        counts_by_task: dict[str, tuple[int, int]] = {}
        for task, reward in self.rewards:
            trials, passed = counts_by_task.get(task, (0, 0))
            counts_by_task[task] = (trials + 1, passed + (abs(reward - 1) < 1e-6))
        return list(counts_by_task.values())


def import_tau(path: str | Path) -> TauResults:
    """Read a file of either benchmark, detected by its structure."""
    path = require_file(path)
    document = read_document(path)
    if isinstance(document, list):
        _refuse_tau2_list(document, str(path))
        return _tau(document, str(path))
    if isinstance(document, dict) and "simulations" in document:
        return _tau2(document, str(path))
    problem = "expected a list of trials (τ-bench) or an object with 'tasks' and 'simulations' (τ²-bench)"
    raise InputError(str(path), problem, "pass the results file, not the tasks")


def _refuse_tau2_list(document: list[Any], path: str) -> None:
    """Other lists from τ²-bench that users may pass by mistake."""
    first = document[0] if document and isinstance(document[0], dict) else {}
    if "simulations" in first:
        problem = f"contains {len(document):,} τ²-bench results in a list; each must be imported separately"
        raise InputError(path, problem, "save each object of the list as a file and convert one at a time")
    if first.keys() & {"user_scenario", "evaluation_criteria"}:
        problem = "contains the tasks of τ²-bench but no results"
        raise InputError(path, problem, "pass the results file, not the tasks")
    if first.keys() & {"termination_reason", "reward_info"}:
        problem = "contains τ²-bench simulations without their tasks"
        hint = "pass the whole results file: an object with 'tasks' and 'simulations'"
        raise InputError(path, problem, hint)


def _tau2(document: dict[str, Any], path: str) -> TauResults:
    tasks = objects_of(list_in(document, "tasks", path), f"{path}: tasks")
    simulations = objects_of(list_in(document, "simulations", path), f"{path}: simulations")
    goldens = [_tau2_golden(task, where) for where, task in tasks]
    golden_ids = {golden.id for golden in goldens}
    trajectories, rewards, dropped = [], [], []
    for where, simulation in simulations:
        task = str(field_of(simulation, "task_id", where))
        if task not in golden_ids:
            raise InputError(where, f"task_id '{task}' is not among the tasks")
        trial = simulation.get("trial")
        trajectories.append(RecordedTrajectory(task, _tau2_trajectory(simulation, where), trial))
        if simulation.get("termination_reason") == "infrastructure_error":
            dropped.append(task)
        else:
            reward = object_of(simulation.get("reward_info") or {}, f"{where}.reward_info").get("reward", 0.0)
            rewards.append((task, number_of(reward, f"{where}.reward_info.reward")))
    return TauResults(tuple(goldens), tuple(trajectories), tuple(rewards), tuple(dropped))


def _tau2_golden(task: dict[str, Any], where: str) -> ConversationalGolden:
    criteria = object_of(task.get("evaluation_criteria") or {}, f"{where}.evaluation_criteria")
    scenario = object_of(task.get("user_scenario") or {}, f"{where}.user_scenario")
    persona = scenario.get("persona")
    actions = objects_of(criteria.get("actions") or (), f"{where}.evaluation_criteria.actions")
    return ConversationalGolden(
        scenario=_instructions(scenario.get("instructions")) or str(task.get("description") or task["id"]),
        id=str(field_of(task, "id", where)),
        user_description=persona if isinstance(persona, str) else None,
        expected_calls=tuple(
            call_of_action(action.get("name", ""), action.get("arguments") or {}, action.get("compare_args"))
            for _, action in actions
            if action.get("requestor", "assistant") == "assistant"
        ),
        extra_calls="allow",
        output_contains=_output_facts(criteria.get("communicate_info")),
        tags=("tau2",),
        metadata={"reward_basis": basis} if (basis := criteria.get("reward_basis")) else {},
    )


def call_of_action(name: str, arguments: Mapping[str, Any], compare: list[str] | None) -> ExpectedCall:
    """An action as τ² checks it: equal on the arguments to compare; if none are listed, on those the call has."""
    if compare is None:
        args: dict[str, Any] = {key: {"optional": {"exact": value}} for key, value in arguments.items()}
        return ExpectedCall(name, args)
    args = {key: {"exact": arguments[key]} if key in arguments else {"absent": True} for key in compare}
    return ExpectedCall(name, args, extra_args="ignore")


def _tau2_trajectory(simulation: dict[str, Any], where: str) -> Trajectory:
    messages = list(_tau2_messages(list_in(simulation, "messages", where), where))
    trajectory = trajectory_from_messages(messages)
    reason = simulation.get("termination_reason") or "user_stop"
    if reason not in ENDED:
        raise InputError(where, f"termination_reason '{reason}' is unknown", f"known: {', '.join(ENDED)}")
    duration = simulation.get("duration")
    return replace(
        trajectory,
        usage=_usage(simulation),
        latency_ms=None if duration is None else float(duration) * 1000,
        stop_reason=ENDED[reason],
        error="" if ENDED[reason] == "done" else reason,
    )


def _tau2_messages(raw: list[Any], where: str) -> Iterator[Message]:
    """The agent's side: calls and results of the simulated user's own tools are skipped."""
    for _, message in objects_of(raw, f"{where}.messages"):
        role, text = message.get("role"), message.get("content") or ""
        if role == "tool":
            results = [
                ToolResult(str(part.get("id", "")), part.get("content"), bool(part.get("error")))
                for part in message.get("tool_messages") or [message]
                if part.get("requestor", "assistant") == "assistant"
            ]
            if results:
                yield Message("tool", results=tuple(results))
        elif role == "assistant":
            calls = tuple(
                ToolCall(str(call.get("name", "")), call.get("arguments") or {}, id=str(call.get("id", "")))
                for call in message.get("tool_calls") or ()
            )
            yield Message("assistant", text, calls)
        elif role in ("user", "system") and text:
            yield Message(role, text)


def _usage(simulation: dict[str, Any]) -> Usage:
    answers = [message for message in simulation["messages"] if message.get("role") == "assistant"]
    used = [answer.get("usage") or {} for answer in answers]
    tokens_in, tokens_out = (
        sum(usage.get(name) or 0 for usage in used) for name in ("prompt_tokens", "completion_tokens")
    )
    return Usage(tokens_in, tokens_out, cost_usd=simulation.get("agent_cost"))


def _tau(trials: list[Any], path: str) -> TauResults:
    goldens: dict[str, ConversationalGolden] = {}
    trajectories, rewards = [], []
    for where, trial in objects_of(trials, f"{path}: "):
        task = str(field_of(trial, "task_id", where))
        info = object_of(trial.get("info") or {}, f"{where}.info")
        if task not in goldens:
            goldens[task] = _tau_golden(task, object_of(info.get("task") or {}, f"{where}.info.task"))
        messages = [
            {key: message[key] for key in OPENAI_FIELDS if message.get(key) is not None}
            for message in (object_of(item, f"{where}.traj") for item in list_in(trial, "traj", where))
        ]
        trajectory = trajectory_from_messages(read_messages(messages, where))
        trajectories.append(RecordedTrajectory(task, trajectory, trial.get("trial")))
        rewards.append((task, number_of(trial.get("reward"), f"{where}.reward")))
    return TauResults(tuple(goldens.values()), tuple(trajectories), tuple(rewards))


def _tau_golden(task: str, raw: dict[str, Any]) -> ConversationalGolden:
    return ConversationalGolden(
        scenario=str(raw.get("instruction") or f"task {task}"),
        id=task,
        expected_calls=tuple(
            call_of_action(action.get("name", ""), kwargs := action.get("kwargs") or {}, list(kwargs))
            for action in raw.get("actions") or ()
        ),
        extra_calls="allow",
        output_contains=_output_facts(raw.get("outputs")),
        tags=("tau",),
    )


def _output_facts(raw: Any) -> tuple[Any, ...]:
    """Facts the agent must tell the user, matched as the benchmarks' checkers do."""
    return tuple({"tau": str(text)} for text in raw or ())


def _instructions(raw: Any) -> str:
    """The instructions for the simulated user: a string, or sections under headings."""
    if isinstance(raw, str):
        return raw
    if isinstance(raw, dict):
        return "\n".join(f"{name}: {text}" for name, text in raw.items() if isinstance(text, str) and text)
    return ""


@dataclass(slots=True)
class Told:
    """The answer contains the text, ignoring case and commas in the answer: "1,094" contains 1094."""

    text: str

    def score(self, value: Any, at: int) -> float:
        told = isinstance(value, str) and self.text.lower() in value.lower().replace(",", "")
        return 1.0 if told else 0.0

    def describe(self) -> str:
        return f"an answer that contains '{self.text}', ignoring commas"


def tau_matcher(spec: Any, options: dict[str, Any], scope: Any) -> Told:
    """The matcher of `{"tau": "1094"}`."""
    return Told(str(spec))
