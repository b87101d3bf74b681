"""The program that runs the base version of a suite: reads requests for trials line by line, and writes their results.

    python -P -m rightcall.check.base_process SUITE FOLDER ROOT AGENT [--search]

FOLDER has the files of the commit, ROOT is the repository that they come from. With `--search`, modules of the project
are looked for in FOLDER. Ends with its input.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Protocol

from rightcall.core.codec import decode, encode
from rightcall.core.errors import RightCallError
from rightcall.files.project_files import PACKAGE
from rightcall.providers.hosts import split_address
from rightcall.records.record import Record
from rightcall.records.run import CaseResult
from rightcall.records.tool import Tool
from rightcall.run.backend import Batch, Cell, InProcess, RunWork
from rightcall.run.inputs import golden_hash
from rightcall.run.plan import Plan
from rightcall.run.preparation import preflight
from rightcall.run.run_record import new_run_id
from rightcall.run.suite import load_suite
from rightcall.run.suite_actions import with_record_mode
from rightcall.run.suite_plan import plan_suite
from rightcall.run.trust import agent_of_run


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
    """Answer requests until they end, as they come. Raises when the suite cannot be run."""
    plan = base_plan(suite, agent)
    definitions = tuple(plan.definitions)
    goldens = {golden.id: golden for golden in plan.goldens()}
    answers: dict[tuple[str, int], asyncio.Future[BaseAnswer]] = {}

    async def cells() -> AsyncIterator[Cell]:
        while (work := await requests.get()) is not None:
            request, answer = work
            golden = goldens.get(request.golden)
            if golden is not None and golden_hash(golden) == request.hash:
                answers[request.golden, request.trial] = answer
                yield golden, request.trial
                continue
            which = "is not in its dataset" if golden is None else "is another one in its dataset"
            problem = f"the golden {request.golden} {which}"
            _answer(answer, BaseAnswer(request.golden, request.trial, problem=problem))

    async def take(batch: Batch) -> None:
        for result in batch.results:
            key = result.golden_id, result.trial
            _answer(answers.pop(key), BaseAnswer(*key, result, definitions))

    async with await preflight(plan) as prepared:
        run_id = new_run_id()
        prepared.session.begin(run_id)
        work = RunWork(prepared.plan, run_id, plan.concurrency)
        await InProcess(prepared.session, repeat=True).run(work, cells(), take)


def _answer(answer: asyncio.Future[BaseAnswer], reply: BaseAnswer) -> None:
    if not answer.done():
        answer.set_result(reply)


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
