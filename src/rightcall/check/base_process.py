"""The program that runs the base version of a suite: reads requests for trials line by line, and writes their results.

    python -P -m rightcall.check.base_process SUITE FOLDER ROOT AGENT [--search]

FOLDER has the files of the commit, ROOT is the repository that they come from. With `--search`, modules of the project
are looked for in FOLDER. Ends with its input.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Protocol

from rightcall.core.codec import decode, encode
from rightcall.core.errors import RightCallError
from rightcall.files.project_files import PACKAGE
from rightcall.providers.hosts import split_address
from rightcall.records.golden import AnyGolden
from rightcall.records.record import Record
from rightcall.records.run import CaseResult, Run
from rightcall.records.tool import Tool
from rightcall.run.inputs import golden_hash
from rightcall.run.local_trials import DecidedTrials, RunDecision
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.run.suite import load_suite
from rightcall.run.suite_actions import with_record_mode
from rightcall.run.suite_plan import plan_suite
from rightcall.run.trust import agent_of_run
from rightcall.store.address import open_store
from rightcall.store.sql.store import Store

MOST_TRIALS = 1_000_000


class BaseAgent(Record, frozen=True):
    """How the base version is run: the agent of the baseline, another seed than its own, the check's concurrency."""

    given: dict[str, str]
    seed: int
    concurrency: int = 1


class BaseRequest(Record, frozen=True):
    """A trial to run. `hash` names the golden as it is now: one that differs at the commit is not compared."""

    golden: str
    hash: str
    trial: int


class BaseAnswer(Record, frozen=True):
    """A trial of the base, with the tools that were offered; or why there is none."""

    golden: str
    trial: int
    result: CaseResult | None = None
    tools: tuple[Tool, ...] = ()
    problem: str = ""


class Requests(Protocol):
    """Requests with futures for their answers, until None."""

    async def get(self) -> tuple[BaseRequest, asyncio.Future[BaseAnswer]] | None: ...


async def serve_base(suite: Path, agent: BaseAgent, requests: Requests) -> None:
    """Answer requests until they end. Raises when the suite cannot be run."""
    plan = base_plan(suite, agent)
    with open_store(suite.parent / ".rightcall-base.db") as store:
        await run_plan(plan, store, stop=BaseDecider(plan, requests))


def base_plan(file: Path, agent: BaseAgent) -> Plan:
    """The plan of the suite as the baseline was run: a model or server of the command line then is used again."""
    suite = with_record_mode(load_suite(file), "none")
    folder = file.parent
    plan = plan_suite(suite, folder, concurrency=agent.concurrency)
    if agent.given and _model_and_server(plan.inputs().agent) != _model_and_server(agent.given):
        model = agent_of_run(suite, folder, agent.given.get("model", suite.agent.model))
        url = agent.given.get("base_url")
        typed = f"{split_address(model)[0]}@{url}" if url else model
        plan = plan_suite(suite, folder, concurrency=agent.concurrency, model=typed)
    return replace(plan, seed=agent.seed, gate=None).with_goldens()


def _model_and_server(agent: dict[str, str]) -> tuple[str, str]:
    return agent.get("model", ""), agent.get("base_url", "")


class BaseDecider:
    """Runs the trials that are requested, as they come."""

    def __init__(self, plan: Plan, requests: Requests) -> None:
        self._requests = requests
        self._definitions = tuple(plan.definitions)
        self._goldens = {golden.id: golden for golden in plan.goldens()}
        self.goldens: Sequence[AnyGolden] = list(self._goldens.values())
        self.most_trials = MOST_TRIALS

    def identify(self, run: Run) -> Run:
        return run

    def find_interrupted(self, store: Store, run: Run) -> str | None:
        return None

    async def decide(self, trials: DecidedTrials) -> RunDecision:
        async with asyncio.TaskGroup() as group:
            while (work := await self._requests.get()) is not None:
                group.create_task(self._answer(trials, *work))
        return RunDecision("INCONCLUSIVE", "")

    async def _answer(
        self, trials: DecidedTrials, request: BaseRequest, answer: asyncio.Future[BaseAnswer]
    ) -> None:
        golden = self._goldens.get(request.golden)
        if golden is None or golden_hash(golden) != request.hash:
            which = "is not in its dataset" if golden is None else "is another one in its dataset"
            problem = f"the golden {request.golden} {which}"
            reply = BaseAnswer(request.golden, request.trial, problem=problem)
        else:
            (result,) = await trials.ask([(golden, request.trial)])
            reply = BaseAnswer(request.golden, request.trial, result, self._definitions)
        if not answer.done():
            answer.set_result(reply)


class _Lines:
    """Requests from stdin, answers to `output`."""

    def __init__(self, folder: Path, root: Path, output: BinaryIO) -> None:
        self._folder = folder
        self._root = root
        self._output = output

    async def get(self) -> tuple[BaseRequest, asyncio.Future[BaseAnswer]] | None:
        line = await asyncio.to_thread(sys.stdin.buffer.readline)
        if not line.strip():
            return None
        answer = asyncio.get_running_loop().create_future()
        answer.add_done_callback(self._write)
        return decode(line, BaseRequest, "request"), answer

    def _write(self, answer: asyncio.Future[BaseAnswer]) -> None:
        reply = answer.result()
        if name := module_of_working_copy(self._folder, self._root):
            problem = (
                f"it imports {name} from the working copy instead of the commit, as an editable install does"
            )
            reply = BaseAnswer(reply.golden, reply.trial, problem=problem)
        self._output.write(encode(reply) + b"\n")
        self._output.flush()


def module_of_working_copy(folder: Path, root: Path) -> str:
    """A loaded file of the working copy that the commit has too; "" when there is none."""
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if not isinstance(file, str) or file.startswith(PACKAGE):
            continue
        path = Path(file).resolve()
        if path.is_relative_to(root) and (folder / path.relative_to(root)).is_file():
            return path.relative_to(root).as_posix()
    return ""


def search_commit(folder: Path, root: Path) -> None:
    """Folders of the working copy that are searched for modules, such as those of editable installs: the commit's."""
    for place, name in enumerate(sys.path):
        path = Path(name).resolve()
        if not name or not path.is_relative_to(root) or PACKAGE.startswith(f"{path}{os.sep}"):
            continue
        if (folder / path.relative_to(root)).is_dir():
            sys.path[place] = str(folder / path.relative_to(root))


def main(words: Sequence[str]) -> None:
    """Serve until the input ends; a suite that cannot be run is one line on stderr."""
    suite, folder, root, agent, *search = words
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the agent prints is no answer
    if search:
        search_commit(Path(folder), Path(root))
    lines = _Lines(Path(folder), Path(root), output)
    problem: BaseException | None = None
    try:
        asyncio.run(serve_base(Path(suite), decode(agent.encode(), BaseAgent, "agent"), lines))
    except (RightCallError, OSError, BaseExceptionGroup) as error:
        problem = error
    while isinstance(problem, BaseExceptionGroup):
        problem = problem.exceptions[0]
    if problem is not None:
        sys.exit(str(problem))


if __name__ == "__main__":
    main(sys.argv[1:])
