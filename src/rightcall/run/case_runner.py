"""One trial of a plan: performed, scored, and cleaned of secrets.

A model may repeat a key it was shown, and stores are shared. Scoring sees what the model said; what is stored, printed
and reported is scrubbed, as cassettes are.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from itertools import chain
from typing import Any, get_args

import msgspec
from msgspec import structs

from rightcall.agents.open_agent import OpenAgent
from rightcall.agents.watched_trial import perform_watched
from rightcall.core.redaction.clean_text import scrubber
from rightcall.metrics.dimensions import SPOTLESS
from rightcall.metrics.score_case import time_to_score
from rightcall.recording.judged_trial import tape_judges
from rightcall.records.call import CallStatus, ToolCall, ToolResult
from rightcall.records.failure import Code, Failure
from rightcall.records.golden import AnyGolden
from rightcall.records.message import Message
from rightcall.records.run import CaseResult
from rightcall.records.score import Score
from rightcall.records.trajectory import LedgerEntry, StopReason, Trajectory, Usage
from rightcall.run.plan import Plan
from rightcall.run.watched_inputs import AgentWatch


class CaseRunner:
    """Runs and scores one trial of a plan."""

    def __init__(self, plan: Plan, session: OpenAgent) -> None:
        self._session = session
        self._scorer = plan.scorer
        self._seconds = plan.agent.limits.seconds
        self._scrub = ResultScrubber()
        self.watch = AgentWatch(plan.agent_sources) if plan.agent_sources.ownership != "owned" else None
        if self.watch is not None and session.digester is not None and plan.agent.recordings is None:
            self.watch.services = session.digester.services
        if self.watch is not None and session.digester is not None:
            self.watch.heard = session.digester.setup.setup
        if (watch := self.watch) is not None and (recordings := plan.agent.recordings) is not None:
            recordings.files_read = lambda: {n: d.partition("~")[0] for n, d in watch.inputs().files.items()}
            recordings.file_hash = plan.agent_sources.project.hash

    async def result(self, golden: AnyGolden, trial: int) -> CaseResult:
        session = self._session
        recordings = self._session.agent.recordings
        request = golden
        for _, layer in session.toolbox.layers_of(golden):
            request = layer.golden(request)
        with self.watch or nullcontext():
            if session.digester is None:  # the suite owns the request
                trajectory = await session.performer.perform(request, trial)
                first_request = ""
            else:
                trajectory, first_request = await perform_watched(session, request, trial)
        session.call_text.look(trajectory)
        left = time_to_score(self._seconds, trajectory)
        with nullcontext() if recordings is None else tape_judges(recordings, golden, trial):
            result = await self._scorer.result(golden, trial, trajectory, session.tools, left=left)
        result = structs.replace(result, trajectory=trajectory, first_request=first_request)
        return self._scrub(result)


RECORDS = (CaseResult, Score, Failure, Trajectory, Message, ToolCall, ToolResult, Usage, LedgerEntry)
WORDS = frozenset(
    chain.from_iterable(
        (
            *(record.__struct_fields__ for record in RECORDS),
            *map(get_args, (Code, StopReason, CallStatus)),
        )
    )
) | {"assistant"}
"""Words of the record format, never treated as secrets even if the environment has an equal one."""

NOTHING_USED = Usage()


class ResultScrubber:
    """Reads the environment once per run and checks every result."""

    def __init__(self) -> None:
        self._clean = scrubber()

    def __call__(self, result: CaseResult) -> CaseResult:
        """The same object if its JSON contains no secret."""
        try:
            text = msgspec.json.encode(_texts(result), enc_hook=repr).decode()
        except (TypeError, ValueError, RecursionError):  # the store replaces what it cannot encode
            text = repr(result)
        if self._clean(text) == text:
            return result
        plain = self._without_secrets(msgspec.to_builtins(result, enc_hook=repr))
        return msgspec.convert(plain, CaseResult)

    def _without_secrets(self, value: Any) -> Any:
        if isinstance(value, str):
            return value if value in WORDS else self._clean(value)
        if isinstance(value, dict):
            return {self._without_secrets(key): self._without_secrets(inner) for key, inner in value.items()}
        return [self._without_secrets(inner) for inner in value] if isinstance(value, list | tuple) else value


NUMBERS = frozenset(("trial", "passed", "score", "latency_ms", "usage", "checked", "calls"))
"""Fields of a result that have no text."""
SEARCHED = tuple(
    name for name in CaseResult.__struct_fields__ if name not in (*NUMBERS, "metrics", "trajectory")
)


def _texts(result: CaseResult) -> list[Any]:
    """The result without what need not be searched: more than half of it.

    That is numbers (the tokens it used, the scores of a spotless case, which are constants), reasons that several
    dimensions share, and calls that its messages have too.
    """
    trajectory = result.trajectory
    if trajectory is not None:
        calls = trajectory.calls
        said = calls == tuple(chain.from_iterable(message.calls for message in trajectory.messages))
        trajectory = structs.replace(
            trajectory, usage=NOTHING_USED, latency_ms=None, lag_ms=0.0, calls=() if said else calls
        )
    metrics = {} if result.metrics is SPOTLESS else _distinct_scores(result.metrics)
    return [trajectory, metrics, *[getattr(result, name) for name in SEARCHED]]


def _distinct_scores(metrics: Mapping[str, Score]) -> dict[str, Score]:
    """The scores, without those of dimensions whose only text is a reason that another has."""
    by_text: dict[object, tuple[str, Score]] = {}
    for name, score in metrics.items():
        only_reason = name in SPOTLESS and not (score.codes or score.error or score.attack)
        by_text.setdefault(score.reason if only_reason else (name,), (name, score))
    return dict(by_text.values())
