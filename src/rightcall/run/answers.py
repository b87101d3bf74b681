"""Whether anything arrived from the agent of a run.

A run in which no answer arrived in any case says nothing about the agent, whatever its goldens state: a golden that
expects no call would pass with a broken agent. An agent that fails the first goldens for one cause is a broken setup.
"""

from __future__ import annotations

import asyncio
import linecache
import re
from contextlib import suppress
from itertools import islice

from rightcall.agents.observed.observed_agent import ObservedAgent
from rightcall.core.errors import AgentSetupError, ConfigError
from rightcall.core.text import pluralize, visible
from rightcall.decide.verdict import Verdict
from rightcall.records.failure import Failure
from rightcall.records.run import CaseResult
from rightcall.run.plan import Plan
from rightcall.store.sql.store import Store

FIRST = 2
"""Goldens, in the order of the dataset, that show by ending for the same cause that the setup is broken."""

FIRST_SECONDS = 0.2
"""How long the other goldens wait for these: a broken setup ends at once, and a slow agent delays no run longer."""

OWN_FAILURES = ("agent_error", "unreadable_result", "infra_error")
"""Codes of an agent that did not get as far as a model: no answer has a cause only where the provider declines all."""

CHECK_KEY = "check the key in the environment, the name of the model and the address"

HOW_TO_CALL = (
    "an agent is called with the text of a golden, as in `def answer(question: str)`, and returns its answer, its "
    "calls, its messages or a model's response"
)

UNHEARD = (
    "nothing that the agent asked was heard: let it return its calls or messages, or observe what it uses"
)

RECORDED = "recorded"
"""The agent's name in runs of existing test cases: what they state is all there is, and nothing was to arrive."""


class AnswerWatch:
    """What arrived in the cases of a run that were finished in this process.

    `first` are the cells that are run first where the agent is code: they show whether its setup works.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._is_code = _is_code(plan)
        is_own = self._is_code or isinstance(plan.agent.model, ObservedAgent)
        goldens = islice(plan.in_dataset_order(), FIRST) if is_own else ()
        self.first = tuple((golden, 0) for golden in goldens)
        self._open = {golden.id for golden, _ in self.first}
        self._failures: list[Failure] = []
        self._settled = asyncio.Event()
        self.answered = self._called = self._showed_messages = False

    def add(self, result: CaseResult) -> ConfigError | None:
        """Count a finished case; an error when the first goldens ended for the same cause before a model was asked."""
        done = result.trajectory
        self.answered = self.answered or (done is not None and done.answered)
        self._called = self._called or done is None or bool(done.calls)
        self._showed_messages = self._showed_messages or done is None or bool(done.messages)
        if result.trial or result.golden_id not in self._open:
            return None
        self._open.discard(result.golden_id)
        if not self._open:
            self._settled.set()
        # Workers elsewhere hand back no trajectory, but what the case failed by.
        failure = next((failure for failure in result.codes if failure.code in OWN_FAILURES), None)
        answered = done is not None and done.answered
        declined = failure is not None and failure.code == "infra_error"  # a model that never was asked
        if failure is not None and failure.actual and not answered and (declined or not result.first_request):
            self._failures.append(failure)
        if len(self._failures) < FIRST or len({failure.actual for failure in self._failures}) > 1:
            return None
        return _setup_error(self._failures[0])

    async def wait_for_first(self) -> None:
        """Wait until the first goldens have ended, but not for long."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._settled.wait(), FIRST_SECONDS)

    def hint(self) -> str:
        """What to do when goldens are about calls, and none could be seen in any case; empty otherwise.

        An agent that returns messages shows that it called nothing.
        """
        if self._called or not self.answered or not self._is_code:
            return ""
        expected = _expects_calls(self._plan)
        if not expected and (
            self._showed_messages or not any(golden.forbidden_calls for golden in self._plan.goldens())
        ):
            return ""
        return (
            f"no call was seen in any case, though the goldens {'expect' if expected else 'forbid'} some; an agent "
            "that runs its own tools must return its messages or calls, or be observed: `observe: auto` under agent, "
            "or rc.observe(agent)"
        )


def _setup_error(failure: Failure) -> AgentSetupError:
    """What both of the first goldens ended with, the line of the user's code, and what to do."""
    detail = visible(failure.detail)
    place = str(failure.actual).partition(" at ")[2]
    advice = CHECK_KEY if failure.code == "infra_error" else HOW_TO_CALL
    if unset := re.match(r"KeyError: '([A-Z][A-Z0-9_]{2,})'", detail):
        advice = f"set {unset[1]} in the environment: export {unset[1]}=…"
    file, _, line = place.partition(" in ")[0].rpartition(":")
    source = linecache.getline(file, int(line)).strip() if line.isdigit() else ""
    stopped = f"stopped after {FIRST} goldens, both with this exception before a model was asked"
    lines = [f"the agent does not start: {detail}"]
    lines += [f"       {place}"] if place else []
    lines += [f"         {visible(source)}"] if source else []
    lines += ["", f"{stopped[:1].upper()}{stopped[1:]}; no verdict.", f"{advice[:1].upper()}{advice[1:]}"]
    return AgentSetupError(
        f"the agent does not start: {detail} ({failure.actual}); {stopped}; {advice}", lines
    )


def verdict_by_answers(verdict: Verdict, store: Store, run_id: str, agent: str) -> Verdict:
    """The verdict, or ERROR for a run in which no answer arrived."""
    if verdict.word == "ERROR" or agent == RECORDED:
        return verdict
    cases = 0
    problem = ""
    for result in store.runs.results(run_id, trajectories=True):
        done = result.trajectory
        if done is None or done.answered:
            return verdict
        cases = cases + 1
        problem = problem or done.error or (UNHEARD if done.unheard else "")
    if not cases:
        return verdict
    return verdict.because(no_answer_reason(cases, problem), word="ERROR")


def no_answer_reason(cases: int, problem: str = "") -> str:
    """Why a run without answers has no verdict. `problem` is what the first of its cases reported.

    Without a problem, something was returned in every case, and it was always empty: `[]` from an agent that decided
    against a call looks the same as `[]` from one that does not work.
    """
    why = f" ({visible(problem)})" if problem else ""
    advice = "" if problem else "; return the agent's answer or messages too, also where it calls nothing"
    nothing = f"no answer arrived in any of {pluralize(cases, 'case')}{why}"
    return f"{nothing}, so nothing is known about the agent{advice}"


def _is_code(plan: Plan) -> bool:
    """Whether the agent is a program of the user, and not a model that is asked here."""
    model = plan.agent.model
    return plan.own_agent or (isinstance(model, str) and model.startswith(("exec:", "http:", "https:")))


def _expects_calls(plan: Plan) -> bool:
    return any(
        golden.expected_calls or golden.any_of or any(turn.expected_calls for turn in golden.turns)
        for golden in plan.goldens()
    )
