"""What judges answer while one trial is scored: replayed request by request, because votes are independent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from rightcall.core.errors import ProviderError
from rightcall.recording.case import TapedCase
from rightcall.recording.cassette import TapedExchange
from rightcall.recording.library import Recordings
from rightcall.records.golden import AnyGolden
from rightcall.records.trajectory import Trajectory

JUDGING: ContextVar[JudgedTrial | None] = ContextVar("rightcall_judged_trial", default=None)


class JudgedTrial:
    """The judges' answers about one trial: those recorded, and new ones.

    With `keep_others` what other judges answered stays recorded, for scoring a stored run by other metrics.
    """

    def __init__(
        self, recordings: Recordings, golden: AnyGolden, trial: int, *, keep_others: bool = False
    ) -> None:
        self.recordings = recordings.judges
        self._golden = golden
        self._trial = trial
        self._keep_others = keep_others
        self._before: tuple[TapedExchange, ...] = ()
        self._recorded: TapedCase | None = None  # read when the first judge is asked
        self._used = TapedCase(golden.id, trial, self.recordings.clean, None)
        self._new = False

    def reply(self, ask: dict[str, Any]) -> dict[str, Any] | None:
        """The recorded answer; None when the judge must be asked, which is an error in a replay."""
        if self._recorded is None:
            recorded = self.recordings.trial(self._golden, self._trial)
            exchanges = recorded.exchanges if recorded else ()
            self._before = exchanges
            self._recorded = TapedCase(self._golden.id, self._trial, self.recordings.clean, exchanges)
        try:
            reply = self._recorded.next_reply(ask)
        except ProviderError as error:
            if self.recordings.replays_only:
                change = question_change(ask, [exchange.ask for exchange in self._before])
                problem = f"{change}; run with --record auto" if change else error.problem
                where = f"{self._golden.id}, trial {self._trial}"
                raise ProviderError(f"a judge's answer: {where}: {problem}", kind="not_recorded") from None
            return None
        self._used.add(TapedExchange(ask, reply))
        return reply

    def add(self, exchange: TapedExchange) -> None:
        self._used.add(exchange)
        self._new = True

    def write(self) -> None:
        """Store what this scoring asked, if any of it is new."""
        if self._new and self._keep_others:
            for exchange in self._before:
                if exchange not in self._used.exchanges():
                    self._used.add(exchange)
        if self._new:
            self.recordings.write(self._golden, self._used, Trajectory(), whole=False)


def question_change(ask: Mapping[str, Any], recorded: Sequence[Mapping[str, Any]]) -> str:
    """What changed since a judge was recorded: the judge, its prompt, the rubric or the case; "" when it is unclear."""
    if not recorded:
        return ""
    now = _question_parts(ask)
    nearest = max(
        map(_question_parts, recorded), key=lambda then: [a == b for a, b in zip(now, then, strict=True)]
    )
    differences = zip(("judge", "prompt of the judge", "rubric", "case"), now, nearest, strict=True)
    changes = [f"the {what} changed" for what, new, old in differences if new != old]
    return f"{' and '.join(changes)} since it was recorded" if changes else ""


def _question_parts(ask: Mapping[str, Any]) -> tuple[str, ...]:
    """Who is asked, with which prompt, by which rubric, about which case."""
    messages = ask.get("messages") or [{}]
    rubric, _, case = str(messages[-1].get("content", "")).partition("\n\n<<<MATERIAL-")
    prompt = str([ask.get(part) for part in ("system", "tools", "settings")])
    material = case.partition("\n")[2].partition("\nMATERIAL-")[0]
    return f"{ask.get('model')} {ask.get('server')}", prompt, rubric, material


@contextmanager
def tape_judges(
    recordings: Recordings | None, golden: AnyGolden, trial: int, *, keep_others: bool = False
) -> Iterator[None]:
    """While a trial is scored: judges' answers are recorded or replayed, if the suite records."""
    if recordings is None:
        yield
        return
    judged = JudgedTrial(recordings, golden, trial, keep_others=keep_others)
    token = JUDGING.set(judged)
    try:
        yield
    finally:
        JUDGING.reset(token)
        judged.write()
