"""First requests of an agent that is code, compared with those of the baseline. No model is asked, no tool runs.

The agent is started on each golden and stopped at its first request, which is digested instead of sent. An equal
request shows that whatever the agent reads on its way there (remote prompts, packages, the clock) leads to the same
question. It does not show that the code after the answer is the same: see `reach_with_first_requests` of `reach.py`.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain

from rightcall.agents.agent import Agent
from rightcall.agents.kinds import agent_of_kind
from rightcall.agents.observed.observed_agent import ObservedAgent
from rightcall.agents.open_agent import OpenAgent
from rightcall.core.errors import RightCallError
from rightcall.core.redaction.clean_text import scrubber
from rightcall.core.text import pluralize
from rightcall.decide.input_change import InputChange
from rightcall.files.project_files import enter_folder
from rightcall.recording.first_requests import TRIAL, CapturedTrial, capture_requests
from rightcall.recording.request_digest import (
    FirstRequest,
    RequestDigester,
    compare_requests,
    read_first_request,
)
from rightcall.records.golden import AnyGolden, Golden
from rightcall.run.baseline_file import BaselineLine, BaselinePool
from rightcall.run.inputs import digest, golden_hash
from rightcall.run.plan import Plan
from rightcall.run.watched_inputs import Sameness

SECONDS = 20.0
"""Time limit of one capture."""
WAVE = 16
PROBED = 8
"""Goldens after which an agent of which no request was captured is not started again."""
MOST_TIMEOUTS = 3
MOST_OF_A_FAILURE = 500
"""Characters of an agent's failure that are kept."""

Compared = Callable[[int, int], None]


@dataclass
class FirstRequests:
    """Whether each golden makes the same first request; `why` has the parts that differ, or why nobody knows.

    `states` has the digests of the parts that differ. `masked` are parts that vary by themselves, with the clock for
    example, and were compared without dates, times and ids. `keeps_state` says how the agent carried one trial into
    another.
    """

    goldens: dict[str, Sameness] = field(default_factory=dict)
    masked: set[str] = field(default_factory=set)
    states: dict[str, list[str]] = field(default_factory=dict)
    keeps_state: str = ""

    @property
    def equal(self) -> list[str]:
        return [golden for golden, found in self.goldens.items() if found.word == "same"]

    @property
    def changed(self) -> dict[str, str]:
        """The parts of each request that differ."""
        return {golden: found.why for golden, found in self.goldens.items() if found.word == "different"}

    @property
    def unknown(self) -> dict[str, str]:
        """Why each of the other goldens could not be compared."""
        return {golden: found.why for golden, found in self.goldens.items() if found.word == "unknown"}

    @property
    def state(self) -> str:
        """A digest of the changed requests: another one is another question, with another draw."""
        return digest(self.states)[:24] if self.states else ""

    @property
    def compared(self) -> int:
        return len(self.equal) + len(self.changed)

    @property
    def changes(self) -> tuple[InputChange, ...]:
        """`the first request of 12 goldens changed (system)`; none when no request did."""
        parts = Counter(chain.from_iterable(parts.split("; ") for parts in self.changed.values()))
        named = ", ".join(part for part, _ in parts.most_common())
        return (InputChange("first_request", pluralize(len(self.changed), "golden"), named),) if parts else ()

    @property
    def unknown_words(self) -> str:
        """Why goldens have to be tried whose request could not be compared; "" when all could be."""
        if not self.unknown:
            return ""
        why, _ = Counter(self.unknown.values()).most_common(1)[0]
        return f"the first request of {pluralize(len(self.unknown), 'golden')} could not be compared ({why})"

    @property
    def notes(self) -> list[str]:
        """What a reader of the verdict should know about the comparison."""
        how = "vary between trials of the baseline, and were compared without dates, times and ids"
        varying = f"first requests: {', '.join(sorted(self.masked))} {how}" if self.masked else ""
        return [*filter(None, (varying, self.unknown_words if self.compared else ""))]


async def compare_first_requests(
    plan: Plan, baseline: BaselinePool, watch: Compared | None = None
) -> FirstRequests:
    """Compare the first request of an agent that is code with the baseline's, for every golden.

    `watch` is called with the number of goldens compared so far, and of all.
    """
    session = agent_of_kind(_capturable(plan.agent), concurrency=plan.concurrency)
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


async def capture_first_request(
    session: OpenAgent, golden: Golden, digester: RequestDigester, seconds: float
) -> CapturedTrial:
    """Start the agent on a golden and stop it at its first request, which is not sent.

    Called inside `capture_requests()`. What the agent raises or returns when it is stopped says nothing about it;
    what it raises before it asks a model is the problem of the trial.
    """
    trial = CapturedTrial(digester, partial(session.kept_state.look, golden))
    failure = ""
    token = TRIAL.set(trial)
    try:
        async with asyncio.timeout(seconds):
            failure = (await session.performer.perform(golden, 0)).error
    except TimeoutError:
        trial.timed_out = True
        trial.problem = trial.problem or f"it took more than {seconds:g} seconds to ask a model"
    except Exception as error:  # an agent that is stopped may break in any way
        failure = f"{type(error).__name__}: {error}"
    finally:
        TRIAL.reset(token)
    if trial.only_request is None:
        failed = f"it failed before it asked a model: {failure}"[:MOST_OF_A_FAILURE] if failure else ""
        trial.problem = trial.problem or failed or "it asks no model"
    return trial


def _capturable(agent: Agent) -> Agent:
    """The agent as it is captured: without recordings, and without counting what is observed."""
    model = agent.model
    if isinstance(model, ObservedAgent):
        model = replace(model, _seen=dict.fromkeys(model._seen, 0))
    return replace(agent, model=model, recordings=None)


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
                self.give_up([golden], "a conversation has later turns")
            elif line.first and not _first_requests(line):
                self.give_up([golden], "in the baseline the agent did something else before it asked a model")
            elif line.first:
                comparable.append(golden)
        return comparable

    async def run(self, goldens: Sequence[Golden], at_once: int) -> None:
        done = timeouts = 0
        while done < len(goldens):
            wave = goldens[done : done + (min(at_once, PROBED) if not done else at_once)]
            trials = await asyncio.gather(
                *(capture_first_request(self._session, golden, self._digester, SECONDS) for golden in wave)
            )
            for golden, trial in zip(wave, trials, strict=True):
                self._compare(golden.id, trial)
            done += len(wave)
            timeouts += sum(trial.timed_out for trial in trials)
            if self._watch is not None:
                self._watch(done, len(goldens))
            if timeouts >= MOST_TIMEOUTS or (done >= PROBED and not self.seen.compared):
                why = Counter(trial.problem for trial in trials).most_common(1)[0][0]
                self.give_up(goldens[done:], why)
                return

    def give_up(self, goldens: Iterable[AnyGolden], why: str) -> None:
        for golden in goldens:
            self.seen.goldens.setdefault(golden.id, Sameness("unknown", why))

    def _compare(self, golden: str, trial: CapturedTrial) -> None:
        if trial.only_request is None:
            self.seen.goldens[golden] = Sameness("unknown", trial.problem)
            return
        comparison = compare_requests(_first_requests(self._lines[golden]), trial.only_request)
        self.seen.masked.update(comparison.masked)
        self.seen.goldens[golden] = Sameness("same")
        if comparison.changed:
            self.seen.goldens[golden] = Sameness("different", "; ".join(comparison.changed))
            parts = trial.only_request.digests.parts.values()
            self.seen.states[golden] = [part.steady for part in parts]


def _first_requests(line: BaselineLine) -> list[FirstRequest]:
    """The first requests of a golden's trials; none when one of the trials began with something else."""
    requests = [read_first_request(text) for text in line.first]
    return [] if None in requests else [request for request in requests if request is not None]
