"""First requests of an agent that is code, compared with those of the baseline. No model is asked, no tool runs.

The agent is started on each golden and stopped at its first request, which is digested instead of sent. An equal
request shows that whatever the agent reads on its way there (remote prompts, packages, the clock) leads to the same
question. It does not show that the code after the answer is the same: see `reach_with_first_requests` of `reach.py`.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from rightcall.agents.first_request import capturable, capture_first_request
from rightcall.agents.kinds import agent_of_kind
from rightcall.agents.open_agent import OpenAgent
from rightcall.check.reach import FirstRequests
from rightcall.core.errors import RightCallError
from rightcall.core.redaction.clean_text import scrubber
from rightcall.files.project_files import enter_folder
from rightcall.recording.first_requests.listener import capture_requests
from rightcall.recording.first_requests.request_digest import (
    FirstRequest,
    RequestDigester,
    compare_requests,
    read_first_request,
)
from rightcall.recording.first_requests.trial import CapturedTrial
from rightcall.records.golden import AnyGolden, Golden
from rightcall.run.baseline_file import BaselineLine, BaselinePool
from rightcall.run.inputs import golden_hash
from rightcall.run.plan import Plan

SECONDS = 20.0
"""Time limit of one capture."""
WAVE = 16
PROBED = 8
"""Goldens after which an agent of which no request was captured is not started again."""
MOST_TIMEOUTS = 3

Compared = Callable[[int, int], None]


async def compare_first_requests(
    plan: Plan, baseline: BaselinePool, watch: Compared | None = None
) -> FirstRequests:
    """Compare the first request of an agent that is code with the baseline's, for every golden.

    `watch` is called with the number of goldens compared so far, and of all.
    """
    session = agent_of_kind(capturable(plan.agent), concurrency=plan.concurrency)
    ignored = plan.agent.recordings.ignored if plan.agent.recordings else ()
    comparison = _Comparison(session, RequestDigester(scrubber(), ignored), baseline, watch)
    goldens = comparison.comparable(sorted(plan.goldens(), key=lambda golden: golden.id))
    if goldens:
        try:
            async with session:
                with enter_folder(plan.agent_sources.folder), capture_requests():
                    await comparison.run(goldens, max(1, min(plan.concurrency, WAVE)))
        except RightCallError as error:  # the trials will show the same problem, with all its details
            comparison.give_up(goldens, str(error).partition("\n")[0])
        comparison.seen.keeps_state = session.kept_state.sentence
    return comparison.seen


class _Comparison:
    """Captures in progress, and what they have shown."""

    def __init__(
        self, session: OpenAgent, digester: RequestDigester, baseline: BaselinePool, watch: Compared | None
    ) -> None:
        self._session = session
        self._digester = digester
        self._watch = watch
        self._lines = baseline.goldens
        self.seen = FirstRequests()
        self._timeouts = 0

    def comparable(self, goldens: Iterable[AnyGolden]) -> list[Golden]:
        """Goldens with a first request in the baseline.

        Edited and new ones are tried anyway. Where the agent made no request at all, what it reads decides alone.
        """
        comparable = []
        for golden in goldens:
            line = self._lines.get(golden.id)
            if line is None or line.golden != golden_hash(golden):
                continue
            if not isinstance(golden, Golden):
                self.seen.unknown[golden.id] = "a conversation has later turns"
            elif line.first and not _first_requests(line):
                self.seen.unknown[golden.id] = (
                    "in the baseline the agent did something else before it asked a model"
                )
            elif line.first:
                comparable.append(golden)
        return comparable

    async def run(self, goldens: Sequence[Golden], at_once: int) -> None:
        done = 0
        while done < len(goldens):
            wave = goldens[done : done + (min(at_once, PROBED) if not done else at_once)]
            trials = await asyncio.gather(
                *(capture_first_request(self._session, golden, self._digester, SECONDS) for golden in wave)
            )
            for golden, trial in zip(wave, trials, strict=True):
                self._compare(golden.id, trial)
            done += len(wave)
            if self._watch is not None:
                self._watch(done, len(goldens))
            if self._timeouts >= MOST_TIMEOUTS or (done >= PROBED and not self.seen.compared):
                why = Counter(trial.problem for trial in trials).most_common(1)[0][0]
                self.give_up(goldens[done:], why)
                return

    def give_up(self, goldens: Sequence[Golden], why: str) -> None:
        for golden in goldens:
            self.seen.unknown.setdefault(golden.id, why)

    def _compare(self, golden: str, trial: CapturedTrial) -> None:
        self._timeouts += trial.timed_out
        if trial.only_request is None:
            self.seen.unknown[golden] = trial.problem
            return
        comparison = compare_requests(_first_requests(self._lines[golden]), trial.only_request)
        self.seen.masked.update(comparison.masked)
        if not comparison.changed:
            self.seen.equal.append(golden)
            return
        self.seen.changed[golden] = comparison.changed
        self.seen.states[golden] = [part.steady for part in trial.only_request.digests.parts.values()]


def _first_requests(line: BaselineLine) -> list[FirstRequest]:
    """The first requests of a golden's trials; none when one of the trials began with something else."""
    requests = [read_first_request(text) for text in line.first]
    return [] if None in requests else [request for request in requests if request is not None]
