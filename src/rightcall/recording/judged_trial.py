"""What judges answer while one trial is scored: replayed request by request, because votes are independent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from rightcall.core.errors import ProviderError
from rightcall.model.golden import AnyGolden
from rightcall.model.trajectory import Trajectory
from rightcall.recording.case import TapedCase
from rightcall.recording.cassette import TapedExchange
from rightcall.recording.library import Recordings

JUDGING: ContextVar[JudgedTrial | None] = ContextVar("rightcall_judged_trial", default=None)


class JudgedTrial:
    """The judges' answers about one trial: those recorded, and new ones."""

    def __init__(self, recordings: Recordings, golden: AnyGolden, trial: int) -> None:
        self.recordings, self._golden, self._trial = recordings.judges, golden, trial
        self._recorded: TapedCase | None = None  # read when the first judge is asked
        self._used = TapedCase(golden.id, trial, self.recordings.clean, None)
        self._new = False

    def reply(self, ask: dict[str, Any]) -> dict[str, Any] | None:
        """The recorded answer; None when the judge must be asked, which is an error in a replay."""
        if self._recorded is None:
            recorded = self.recordings.trial(self._golden, self._trial)
            exchanges = recorded.exchanges if recorded else ()
            self._recorded = TapedCase(self._golden.id, self._trial, self.recordings.clean, exchanges)
        try:
            reply = self._recorded.next_reply(ask)
        except ProviderError as error:
            if self.recordings.replays_only:
                raise ProviderError(f"a judge's answer: {error.problem}", kind="not_recorded") from None
            return None
        self._used.add(TapedExchange(ask, reply))
        return reply

    def add(self, exchange: TapedExchange) -> None:
        self._used.add(exchange)
        self._new = True

    def write(self) -> None:
        """Store what this scoring asked, if any of it is new."""
        if self._new:
            self.recordings.write(self._golden, self._used, Trajectory(), whole=False)


@contextmanager
def tape_judges(recordings: Recordings | None, golden: AnyGolden, trial: int) -> Iterator[None]:
    """While a trial is scored: judges' answers are recorded or replayed, if the suite records."""
    if recordings is None:
        yield
        return
    judged = JudgedTrial(recordings, golden, trial)
    token = JUDGING.set(judged)
    try:
        yield
    finally:
        JUDGING.reset(token)
        judged.write()
