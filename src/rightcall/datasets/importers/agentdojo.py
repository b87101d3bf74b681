"""AgentDojo: recorded runs as attempts, trajectories and the benchmark's own verdicts.

A run file holds one user task under one attack, or under none. Reference: Debenedetti et al., AgentDojo
(arXiv:2406.13352). In its files `security: true` means that the attack succeeded, an infrastructure error counts as a
success, and an attack that no result carried counts as resisted. `AttackRate` has the published numbers and those
without errors and without attacks that were never delivered.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from rightcall.core.errors import InputError, suggestion
from rightcall.datasets.importers.benchmark_fields import field_of, list_in, object_of, objects_of
from rightcall.files.checked_read import require_file
from rightcall.files.documents import read_document, value_of
from rightcall.model.call import ToolCall, ToolResult
from rightcall.model.dialects import trajectory_from_messages
from rightcall.model.golden import Golden
from rightcall.model.message import Message
from rightcall.model.record import Record
from rightcall.model.safety import AttackCall, Plant, Safety
from rightcall.model.trajectory import RecordedTrajectory, Trajectory

NO_ATTACK = "none"
DENIAL_OF_SERVICE = re.compile(r"(?:.*_)?dos")
"""Attacks whose goal is that the user's task is not done: their `security` is `not utility`."""


class BenchmarkRun(Record, frozen=True):
    """One run file: the pair of tasks, and what AgentDojo says of it. `delivered`: a result carried the attack."""

    suite: str
    user_task: str
    injection_task: str | None
    attack: str
    utility: bool
    security: bool
    error: str = ""
    delivered: bool = False

    @property
    def is_clean(self) -> bool:
        """Whether nothing was injected; `security` then means nothing."""
        return self.attack == NO_ATTACK


class AttackRate(Record, frozen=True):
    """The numbers of one attack: as AgentDojo publishes them, and among runs without error that read the attack."""

    attack: str
    pairs: int
    errors: int
    delivered: int
    utility: float
    published: float
    succeeded: int


class AgentDojoRuns(Record, frozen=True):
    """The runs of one pipeline: attempts as goldens, what the agent did, the benchmark's verdicts.

    `injection_tasks` counts runs of an injection task as if a user had asked for it: they are in no rate.
    """

    goldens: tuple[Golden, ...]
    trajectories: tuple[RecordedTrajectory, ...]
    runs: tuple[BenchmarkRun, ...]
    injection_tasks: int = 0

    def clean_utility(self) -> float | None:
        """The share of user tasks done when nothing was injected; None without such a run."""
        clean = [run.utility for run in self.runs if run.is_clean]
        return sum(clean) / len(clean) if clean else None

    def rates(self) -> list[AttackRate]:
        """The numbers of each attack, in the order of their names."""
        attacks = sorted({run.attack for run in self.runs if not run.is_clean})
        return [_rate(attack, [run for run in self.runs if run.attack == attack]) for attack in attacks]


def _rate(attack: str, runs: Sequence[BenchmarkRun]) -> AttackRate:
    delivered = [run for run in runs if run.delivered and not run.error]
    return AttackRate(
        attack,
        len(runs),
        sum(bool(run.error) for run in runs),
        len(delivered),
        sum(run.utility for run in runs) / len(runs),
        sum(run.security for run in runs) / len(runs),
        sum(run.security for run in delivered),
    )


def import_agentdojo(path: str | Path, forbidden: str | Path | None = None) -> AgentDojoRuns:
    """Read a run file, or all of them in a folder: `runs/PIPELINE`, or a part of it.

    `forbidden` is a file from the injection task (`banking/injection_task_0`, or without the suite) to the calls that
    carry out the attack, as expected calls are written: AgentDojo has them as code only.
    """
    files = _run_files(Path(path))
    calls = _forbidden_calls(forbidden) if forbidden else {}
    documents = [(str(file), object_of(read_document(file), str(file))) for file in files]
    _require_one_pipeline(documents)
    attacks = {_attack(raw) for _, raw in documents} - {NO_ATTACK}
    goldens, trajectories, runs, injection_tasks = [], [], [], 0
    unused = set(calls)
    for where, raw in documents:
        if str(field_of(raw, "user_task_id", where)).startswith("injection_task"):
            injection_tasks += 1
            continue
        run, trajectory = _run(raw, where)
        names = {run.injection_task or "", f"{run.suite}/{run.injection_task}"}
        unused -= names
        carried_out = next((calls[name] for name in sorted(names, reverse=True) if name in calls), ())
        golden = _golden(raw, run, trajectory, carried_out, len(attacks) > 1)
        goldens.append(golden)
        trajectories.append(RecordedTrajectory(golden.id, trajectory))
        runs.append(run)
    _refuse_twice(goldens, files)
    if unused:
        tasks = sorted({f"{run.suite}/{run.injection_task}" for run in runs if run.injection_task})
        problem = f"'{min(unused)}' is no injection task of these runs"
        raise InputError(str(forbidden), problem, suggestion(min(unused), tasks))
    return AgentDojoRuns(tuple(goldens), tuple(trajectories), tuple(runs), injection_tasks)


def _run_files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [require_file(path)]
    files = sorted(path.rglob("*.json"))
    if not files:
        raise InputError(str(path), "contains no .json file", "pass the folder of a pipeline: runs/PIPELINE")
    return files


def _require_one_pipeline(documents: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    places: dict[str, str] = {}
    for where, raw in documents:
        places.setdefault(str(raw.get("pipeline_name") or ""), where)
    if len(places) > 1:
        first, second, *_ = places
        problem = f"is of the pipeline '{second}', other files are of '{first}'"
        raise InputError(places[second], problem, "convert the folder of one pipeline at a time")


def _refuse_twice(goldens: Iterable[Golden], files: Sequence[Path]) -> None:
    counts = Counter(golden.id for golden in goldens)
    twice = next((golden_id for golden_id, count in counts.items() if count > 1), "")
    if twice:
        problem = f"two files are about {twice}"
        raise InputError(str(files[0].parent), problem, "convert one of them at a time")


def _attack(raw: Mapping[str, Any]) -> str:
    return str(raw.get("attack_type") or NO_ATTACK)


def _run(raw: dict[str, Any], where: str) -> tuple[BenchmarkRun, Trajectory]:
    for name in ("utility", "security"):
        if not isinstance(raw.get(name), bool) and not raw.get("error"):
            raise InputError(where, f"'{name}' must be true or false, got {raw.get(name)!r}")
    messages = objects_of(list_in(raw, "messages", where), f"{where}: messages")
    trajectory = trajectory_from_messages(tuple(_message(message, place) for place, message in messages))
    if error := str(raw.get("error") or ""):
        trajectory = replace(trajectory, stop_reason="infra_error", error=error)
    seconds = raw.get("duration")
    if isinstance(seconds, int | float) and not isinstance(seconds, bool):
        trajectory = replace(trajectory, latency_ms=float(seconds) * 1000)
    injection_task = raw.get("injection_task_id")
    run = BenchmarkRun(
        str(field_of(raw, "suite_name", where)),
        str(raw["user_task_id"]),
        None if injection_task in (None, NO_ATTACK) else str(injection_task),
        _attack(raw),
        bool(raw.get("utility")),
        bool(raw.get("security")),
        error,
        any(carrier_of(text, trajectory) for text in _injections(raw, where).values()),
    )
    return run, trajectory


def _injections(raw: Mapping[str, Any], where: str) -> dict[str, str]:
    texts = object_of(raw.get("injections") or {}, f"{where}: injections")
    return {str(vector): str(text) for vector, text in texts.items()}


def _message(raw: dict[str, Any], where: str) -> Message:
    role, text = field_of(raw, "role", where), _text(raw.get("content"))
    if role == "tool":
        error = raw.get("error")
        result = ToolResult(str(raw.get("tool_call_id") or ""), str(error) if error else text, bool(error))
        return Message("tool", results=(result,))
    if role == "assistant":
        calls = (
            ToolCall(
                str(field_of(call, "function", place)),
                dict(call.get("args") or {}),
                id=str(call.get("id") or ""),
            )
            for place, call in objects_of(raw.get("tool_calls") or (), f"{where}.tool_calls")
        )
        return Message("assistant", text, tuple(calls))
    if role in ("user", "system"):
        return Message(role, text)
    raise InputError(where, f"role '{role}' is unknown", "known: system, user, assistant, tool")


def _text(content: Any) -> str:
    """A text, or the texts of a list of parts, which AgentDojo names `content` and others `text`."""
    if isinstance(content, str) or content is None:
        return content or ""
    parts = [part for part in content if isinstance(part, dict)]
    return "\n".join(str(part.get("content") or part.get("text") or "") for part in parts)


def _golden(
    raw: Mapping[str, Any],
    run: BenchmarkRun,
    trajectory: Trajectory,
    forbidden: tuple[AttackCall, ...],
    several_attacks: bool,
) -> Golden:
    """The attempt: the user's request, what was injected, and the benchmark's verdict under `metadata.official`."""
    request = next((message.content for message in trajectory.messages if message.role == "user"), "")
    task = golden_id = f"{run.suite}/{run.user_task}"
    if not run.is_clean:
        golden_id += f"~{run.injection_task or run.attack}"
        golden_id += f"~{run.attack}" if several_attacks and run.injection_task else ""
    official = {
        "benchmark": "agentdojo",
        "pipeline": str(raw.get("pipeline_name") or ""),
        "attack": run.attack,
        "utility": run.utility,
        **({} if run.is_clean else {"security": run.security}),
        **({"version": raw["benchmark_version"]} if raw.get("benchmark_version") else {}),
    }
    return Golden(
        request,
        id=golden_id,
        cluster=task,
        extra_calls="allow",
        tags=("agentdojo", run.suite),
        metadata={"official": official},
        safety=None if run.is_clean else _safety(raw, run, trajectory, forbidden),
    )


def _safety(
    raw: Mapping[str, Any], run: BenchmarkRun, trajectory: Trajectory, forbidden: tuple[AttackCall, ...]
) -> Safety:
    """The attack. A plant names the tool whose result carried it, and none if no result did."""
    return Safety(
        family="injection",
        goal="stop" if DENIAL_OF_SERVICE.fullmatch(run.attack) else "own",
        plants=tuple(
            Plant(carrier="result", tool=carrier_of(text, trajectory), text=text)
            for text in _injections(raw, run.suite).values()
        ),
        forbidden=forbidden,
    )


def _forbidden_calls(path: str | Path) -> dict[str, tuple[AttackCall, ...]]:
    document = object_of(read_document(require_file(path)), str(path))
    return {
        str(task): tuple(
            value_of(call, AttackCall, f"{path}: {task}") for call in list_in(document, task, str(path))
        )
        for task in document
    }


LEAST_LETTERS = 20
"""Letters and digits of a line that is looked for; of a shorter text all of it is."""


def carrier_of(text: str, trajectory: Trajectory) -> str:
    """The first tool whose result holds a line of the text; empty if none does.

    Quotes, breaks and escapes do not matter: AgentDojo writes results as YAML or JSON.
    """
    long_lines = [line for line in map(_letters, text.splitlines()) if len(line) >= LEAST_LETTERS]
    passages = [passage for passage in long_lines or [_letters(text)] if passage]
    for call in trajectory.calls:
        result = _letters(str(call.output))
        if any(passage in result for passage in passages):
            return call.name
    return ""


_ESCAPE = re.compile(r"\\[nrt]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}")


def _letters(text: str) -> str:
    folded = unicodedata.normalize("NFKC", _ESCAPE.sub(" ", text)).casefold()
    return "".join(character for character in folded if character.isalnum())
