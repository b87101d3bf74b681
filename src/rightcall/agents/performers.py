"""Performers around a performer: for goldens of every kind, and trials recorded and replayed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from rightcall.core.codec import convert
from rightcall.recording.case import CURRENT, TapedCase
from rightcall.recording.cassette import RecordedTrial
from rightcall.recording.library import Recordings, with_timings
from rightcall.recording.miss import NOT_RECORDED
from rightcall.records.golden import AnyGolden, ConversationalGolden, Golden
from rightcall.records.open_call import open_calls_of
from rightcall.records.trajectory import Trajectory

G_contra = TypeVar("G_contra", contravariant=True)


class PerformerOf(Protocol[G_contra]):
    """Runs one trial of one golden. A failing agent is data; only a broken setup raises."""

    async def perform(self, golden: G_contra, trial: int) -> Trajectory: ...


Performer = PerformerOf[Golden]
AnyPerformer = PerformerOf[AnyGolden]
Conversations = PerformerOf[ConversationalGolden]
NamedModel = Callable[[str], Awaitable[Performer]]
"""Opens the same agent with another model."""


class EitherPerformer:
    """One turn of the agent's model, or of the one that a golden names; or a conversation."""

    def __init__(
        self,
        single_turn: Performer,
        conversations: Callable[[], Conversations],
        named_model: NamedModel | None = None,
    ) -> None:
        self._single_turn = single_turn
        self._conversations = conversations
        self._named_model = named_model
        self._of_model: dict[str, Performer] = {}
        self._opening = asyncio.Lock()

    async def perform(self, golden: AnyGolden, trial: int) -> Trajectory:
        if not isinstance(golden, Golden):
            return await self._conversations().perform(golden, trial)
        if golden.model is None or self._named_model is None:
            return await self._single_turn.perform(golden, trial)
        if golden.model not in self._of_model:
            async with self._opening:
                if golden.model not in self._of_model:
                    self._of_model[golden.model] = await self._named_model(golden.model)
        return await self._of_model[golden.model].perform(golden, trial)


class TapedAgent:
    """Gives a trial its recording. If it is stale, the trial starts over without it, because a conversation
    that is half recorded and half new never took place.
    """

    def __init__(self, performer: AnyPerformer, recordings: Recordings) -> None:
        self._performer = performer
        self._recordings = recordings

    async def perform(self, golden: AnyGolden, trial: int) -> Trajectory:
        recordings = self._recordings
        recorded = await asyncio.to_thread(recordings.trial, golden, trial)
        if recorded is not None and recorded.trajectory is not None:
            recordings.replayed += 1
            return convert(recorded.trajectory, Trajectory, f"recording of {golden.id}")
        if recorded is not None:
            case, trajectory = await self._perform_taped(golden, trial, recorded)
            if not case.missed:
                recordings.replayed += 1
                return with_timings(trajectory, recorded.timings)
            missing = case.missed
        else:
            missing = (
                f"{golden.id}, trial {trial}: nothing was recorded for these inputs; run with --record auto"
            )
        if recordings.replays_only:  # an agent without a recording does not run: it might act
            return Trajectory(stop_reason="infra_error", error=f"{NOT_RECORDED}: {missing}")
        recordings.asked += 1
        case, trajectory = await self._perform_taped(golden, trial, None)
        lost = trajectory.stop_reason == "infra_error" or open_calls_of(golden, trajectory)
        if not lost and not case.has_open_requests:
            whole = recordings.settings.level == "trajectory"
            await asyncio.to_thread(recordings.write, golden, case, trajectory, whole=whole)
        return trajectory

    async def _perform_taped(
        self, golden: AnyGolden, trial: int, recorded: RecordedTrial | None
    ) -> tuple[TapedCase, Trajectory]:
        case = self._recordings.begin(golden, trial, recorded)
        token = CURRENT.set(case)
        try:
            return case, await self._performer.perform(golden, trial)
        finally:
            CURRENT.reset(token)
            self._recordings.end(case)
