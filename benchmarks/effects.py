"""Real effects compared with the ledger, under seeded timeouts, kills, clock jumps, retries and races.

    python -m benchmarks effects [--schedules 200] [--seed 0] [--rounds 3]

Every schedule has a few keys. Processes, two at a time, call a tool with them, race each other, cancel calls,
move their clocks, and some are ended by SIGKILL. The tool is blocking, async, async over threads, or has a
timeout of its own; it may take longer than its deadline and break after it has acted. A last process asks for
every key once more. The world is a file with a line per effect. The law, for every key: at most one line; and
the ledgers have the same number, or the last answer is that the outcome is unknown (which a probe rules out).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from tests.support.postgres import postgres_server

from rightcall.records import ToolCall
from rightcall.records.trajectory import LedgerEntry
from rightcall.tools.definitions.behaviour import CallInfo
from rightcall.tools.definitions.function import FunctionTool, tool
from rightcall.tools.idempotency.guard import Idempotency
from rightcall.tools.idempotency.key_location import postgres_store, sqlite_store
from rightcall.tools.runtime.context import SystemClock, effects
from rightcall.tools.runtime.errors import Abort, Aborted, ToolError
from rightcall.tools.runtime.toolbox import Toolbox

KINDS = ("sync", "async", "thread", "own timeout")
FAILURES: dict[str, Callable[[], Exception]] = {
    "rate limit": lambda: ToolError("rate_limited", "slow down", retry_after_s=0.01),
    "abort": lambda: Abort("it does not add up"),
    "reset": ConnectionResetError,
    "mistake": lambda: RuntimeError("a mistake"),
    "done": lambda: ToolError("upstream_error", "the log is full", effect="done"),
    "acted": lambda: RuntimeError("after it said that it had acted"),
}
DEADLINE_S = 0.06


class Schedule(msgspec.Struct, frozen=True):
    """What one seed makes happen; each process draws its own part from it."""

    seed: int
    folder: str
    url: str

    @property
    def drawn(self) -> random.Random:
        return random.Random(self.seed)

    @property
    def kind(self) -> str:
        return KINDS[self.seed % len(KINDS)]

    @property
    def probed(self) -> bool:
        return self.seed // len(KINDS) % 2 == 0

    @property
    def keys(self) -> list[str]:
        return [f"k{number}" for number in range(3)]

    def file(self, name: str) -> Path:
        return Path(self.folder) / name

    def world(self) -> Counter[str]:
        path = self.file("world")
        return Counter(path.read_text().split()) if path.exists() else Counter()


class JumpingClock(SystemClock):
    """The system's clock, until someone moves it."""

    offset = 0.0

    def now(self) -> float:
        return time.time() + self.offset


def the_tool(schedule: Schedule, drawn: random.Random, *, calm: bool) -> FunctionTool:
    """A mail that is sent after a while, and perhaps an accident after another while."""

    def act(name: str, info: CallInfo) -> dict[str, str]:
        time.sleep(0 if calm else drawn.random() * 0.12)
        world = os.open(schedule.file("world"), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(world, f"{name}\n".encode())
        os.close(world)
        failure = drawn.choice([None, None, *FAILURES])
        if calm or failure is None:
            time.sleep(0 if calm else drawn.random() * 0.08)
            return {"sent": name}
        if failure == "acted":
            info.acted()
        raise FAILURES[failure]()

    def probe(key: str, arguments: dict[str, Any]) -> Any:
        return {"sent": arguments["name"]} if schedule.world()[arguments["name"]] else None

    def blocking(name: str, info: CallInfo) -> dict:
        return act(name, info)

    async def on_the_loop(name: str, info: CallInfo) -> dict:
        await asyncio.sleep(0 if calm else drawn.random() * 0.1)
        return act(name, info)  # blocks the loop, as careless tools do

    async def over_a_thread(name: str, info: CallInfo) -> dict:
        return await asyncio.to_thread(act, name, info)

    async def own_timeout(name: str, info: CallInfo) -> dict:
        return await asyncio.wait_for(asyncio.to_thread(act, name, info), 5 if calm else 0.04)

    function = dict(zip(KINDS, (blocking, on_the_loop, over_a_thread, own_timeout), strict=True))
    return tool(
        function[schedule.kind],
        name="send",
        destructive=True,
        idempotency="key",
        timeout_s=5 if calm else DEADLINE_S,
        probe=probe if schedule.probed else None,
    )


def process(schedule: Schedule, number: int, *, calm: bool = False) -> None:
    """One process: calls, then its ledger and its last answers in a file."""
    drawn = random.Random(f"{schedule.seed}/{number}")
    store = (
        postgres_store(schedule.url) if schedule.url else sqlite_store(schedule.file("keys.db"), busy_s=30)
    )
    clock = JumpingClock()
    clock.offset = 0.0 if calm else drawn.choice([0.0, 0.0, 61.0, -61.0, 3600.0])
    box = Toolbox(
        [the_tool(schedule, drawn, calm=calm)],
        execute="real",
        idempotency=Idempotency(store, in_flight_wait_s=0.05),
        clock=clock,
    )
    context = box.context(run=str(schedule.seed), task="t")
    answers: dict[str, str] = {}

    async def ask(key: str, call_id: str) -> str:
        call = ToolCall("send", {"name": key, "idempotency_key": key}, call_id)
        try:
            made = await box.invoke(call, context)
        except Aborted:
            return "aborted"
        return f"{made.error.error}, effect {made.error.effect}" if made.error else "ok"

    async def calls() -> None:
        asked = [asyncio.ensure_future(ask(drawn.choice(schedule.keys), f"{number}.{n}")) for n in range(5)]
        for task in asked:
            await asyncio.sleep(drawn.random() * 0.03)
            if drawn.random() < 0.15:
                clock.offset += drawn.choice([61.0, -61.0])
            if drawn.random() < 0.15:
                task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
        if drawn.random() < 0.5:
            await asyncio.sleep(0.2)  # long enough for late ends; the other half of the processes is hasty

    async def settle() -> None:
        for key in schedule.keys:
            for attempt in range(400):
                answers[key] = await ask(key, f"{number}.{key}.{attempt}")
                if not answers[key].startswith("in_progress"):
                    break

    asyncio.run(settle() if calm else calls())
    lines = [msgspec.to_builtins(entry) for entry in context.ledger.entries]
    written = schedule.file(f"unfinished.{number}")  # a kill in the middle leaves no half of a ledger
    written.write_text(json.dumps([lines, answers]))
    written.replace(schedule.file(f"ledger.{number}"))


def forked(work: Callable[[], None]) -> int:
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        work()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def waited(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def run(schedule: Schedule, rounds: int) -> tuple[list[str], Counter[str]]:
    """What broke the law, and what happened."""
    drawn = schedule.drawn
    seen = Counter[str]()
    for pair in range(rounds):
        children = [forked(lambda n=pair * 2 + i: process(schedule, n)) for i in range(2)]  # type: ignore[misc]
        if drawn.random() < 0.7:
            time.sleep(drawn.random() * 0.25)
            for child in children[: drawn.choice([1, 1, 2])]:
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
        ended = [waited(child) for child in children]
        seen["killed"] += sum(code == -signal.SIGKILL for code in ended)
        if broken := [code for code in ended if code not in (0, -signal.SIGKILL)]:
            return [f"a process ended with {broken}"], seen
    if code := waited(forked(lambda: process(schedule, 99, calm=True))):
        return [f"the last process ended with {code}"], seen
    return judged(schedule, seen), seen


def judged(schedule: Schedule, seen: Counter[str]) -> list[str]:
    ledger: list[LedgerEntry] = []
    answers: dict[str, str] = {}
    for path in sorted(Path(schedule.folder).glob("ledger.*")):
        lines, said = json.loads(path.read_text())
        ledger += msgspec.convert(lines, list[LedgerEntry])
        answers |= said
    broken = []
    world = schedule.world()
    known = Counter(entry.key.rpartition(":")[2] for entry in effects(ledger))
    for key in schedule.keys:
        unknown = answers[key].endswith("effect unknown")
        seen["effects"] += world[key]
        seen["unknown"] += unknown
        seen["late"] += sum(e.phase == "late_effect" and e.key.endswith(f":{key}") for e in ledger)
        if world[key] > 1:
            broken.append(f"{key} took effect {world[key]} times")
        if known[key] != world[key] and (schedule.probed or not unknown):
            broken.append(
                f"{key}: {world[key]} in the world, {known[key]} in the ledger, told {answers[key]}"
            )
    return broken


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--schedules", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=3, help="pairs of processes, one pair after the other")
    options = parser.parse_args()
    failures = 0
    seen = Counter[str]()
    with postgres_server() as url:
        for number in range(options.schedules):
            seed = options.seed + number
            in_postgres = seed % 16 >= 8  # every kind, with and without a probe, on both stores
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                schedule = Schedule(seed, folder, url if in_postgres else "")
                broken, happened = run(schedule, options.rounds)
            seen += happened
            failures += bool(broken)
            for line in broken:
                where = "postgres" if in_postgres else "sqlite"
                print(f"seed {seed} ({schedule.kind}, {where}, probe {schedule.probed}): {line}", flush=True)
    print(
        f"{options.schedules} schedules, {seen['killed']} processes killed: {seen['effects']} effects of "
        f"{options.schedules * 3} keys, {seen['late']} learned late, {seen['unknown']} left unknown; "
        f"{failures} broke the law"
    )
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
