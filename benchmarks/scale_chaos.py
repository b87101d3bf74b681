"""Runs on a Ray cluster whose workers, nodes, driver and head are killed: every case is stored and counted once.

    python -m benchmarks scale_chaos [--runs 50] [--seed 1]

A cluster of a head and two nodes on this machine; each run is a separate `rightcall run`, which
is resumed whenever it was killed or ended with exit code 4. What happens and when is drawn from the seed. In
the end its store must hold what a run in one process stores, field by field but times, and its counters must agree.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from tests.limbs.ray.ray_process import descendants, kill
from tests.support.model_process import counts, loopback_model, write_suite

from rightcall.store.address import open_store

GOLDENS = 800
AT_ONCE = 8
LATENCY_MS = 50
RIGHTCALL = [sys.executable, "-m", "rightcall.cli.main", "run"]
ROOT = Path(__file__).parents[1]
LONGEST = 240.0
"""Seconds in which a run that goes on stores at least one result."""
INFRASTRUCTURE = 4


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks scale_chaos")
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    wrong = 0
    killed = Counter[str]()
    twice = 0
    with (
        tempfile.TemporaryDirectory() as folder,
        Nodes() as nodes,
        loopback_model(latency_ms=LATENCY_MS) as port,
    ):
        expected = reference(Path(folder) / "alone", port)
        for number in range(options.runs):
            began = time.monotonic()
            ending = endure(
                nodes, Path(folder) / f"run-{number}", port, options.seed * 100_000 + number, expected
            )
            killed.update(ending.events)
            twice += ending.asked_twice
            wrong += bool(ending.wrong)
            told = f"WRONG: {'; '.join(ending.wrong)}" if ending.wrong else "once each"
            print(f"{number:>3} {'+'.join(ending.events):<28} {ending.starts} starts, {ending.asked_twice:>3} asked "
                  f"twice, {time.monotonic() - began:4.0f} s: {told}", flush=True)  # fmt: skip
    events = ", ".join(f"{count} × {name}" for name, count in sorted(killed.items()))
    print(f"{options.runs} runs of {GOLDENS} cases; killed: {events}; asked twice: {twice}; wrong: {wrong}")
    if wrong:
        sys.exit(1)


@dataclass
class Ending:
    """What happened to a run, and what about it must not be."""

    events: list[str] = field(default_factory=list)
    starts: int = 0
    asked_twice: int = 0
    wrong: list[str] = field(default_factory=list)


class Nodes:
    """A head and two nodes on this machine; each may be lost, and is replaced."""

    def __enter__(self) -> Nodes:
        os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "token"}
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._cluster.shutdown()

    def start(self) -> None:
        from ray.cluster_utils import Cluster

        self._cluster = Cluster(
            initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False}
        )
        self._nodes = [self._cluster.add_node(num_cpus=1) for _ in range(2)]

    @property
    def address(self) -> str:
        return str(self._cluster.address)

    def lose_worker(self, drawn: random.Random) -> bool:
        workers = [pid for pid, name in descendants(os.getpid()) if name.startswith("ray::_Actor")]
        if workers:
            kill(drawn.choice(sorted(workers)))
        return bool(workers)

    def lose_node(self, drawn: random.Random) -> bool:
        place = drawn.randrange(len(self._nodes))
        self._cluster.remove_node(self._nodes[place], allow_graceful=False)
        self._nodes[place] = self._cluster.add_node(num_cpus=1)
        return True

    def lose_head(self) -> None:
        kill(next(pid for pid, name in descendants(os.getpid()) if "gcs_server" in name))

    def restart(self) -> None:
        self._cluster.shutdown()
        self.start()


def reference(folder: Path, port: int, goldens: int = GOLDENS) -> dict[tuple[str, int], Any]:
    """What a run in one process stores."""
    folder.mkdir()
    write_suite(folder, goldens, port, concurrency=AT_ONCE)
    subprocess.run([*RIGHTCALL, "suite.json", "--json"], cwd=folder, env=environment(), stdout=subprocess.DEVNULL,
                   check=False)  # fmt: skip
    return stored(folder, "last")


def endure(
    nodes: Nodes,
    folder: Path,
    port: int,
    seed: int,
    expected: dict[tuple[str, int], Any],
    events: Sequence[str] = (),
) -> Ending:
    """One run to its end, however often it has to be started; `events` are drawn unless they are given."""
    drawn = random.Random(seed)
    goldens = len(expected)
    folder.mkdir()
    write_suite(folder, goldens, port, concurrency=AT_ONCE)
    chosen = list(events) or drawn.choices(["worker", "node", "driver"], [5, 2, 2], k=drawn.randint(1, 3))
    if seed % 10 == 9 and not events:
        chosen.append("head")
    places = sorted(drawn.sample(range(20, goldens - 20), len(chosen)))
    ending = Ending()
    waiting = list(zip(places, chosen, strict=True))
    before = counts(port)["asked"]
    process = started(nodes, folder, ending)
    reached = 0
    give_up = time.monotonic() + LONGEST
    while time.monotonic() < give_up:
        code = process.poll()
        if (now := results(folder)) > reached:  # a busy machine is slow, a run that hangs stores nothing
            reached = now
            give_up = time.monotonic() + LONGEST
        if code in (0, 1):
            break
        if code is not None:
            if code not in (INFRASTRUCTURE, -signal.SIGKILL):
                ending.wrong.append(f"exit code {code}: {(folder / 'stderr').read_text()[-300:]}")
            process = started(nodes, folder, ending)
        elif waiting and reached >= waiting[0][0]:
            ending.events.append(waiting[0][1])  # a run may be over before its last moment comes
            happen(waiting.pop(0)[1], nodes, process, drawn)
        time.sleep(0.05)
    else:
        told = (folder / "stderr").read_text()[-1000:]
        ending.wrong.append(f"no new result in {LONGEST:g} s, {reached} of {goldens} stored: {told}")
        process.kill()
        process.wait()
    after = counts(port)["asked"]
    ending.asked_twice = sum(after.values()) - sum(before.values()) - goldens
    ending.wrong += differences(folder, expected)
    return ending


def happen(event: str, nodes: Nodes, process: subprocess.Popen[str], drawn: random.Random) -> None:
    if event == "worker":
        nodes.lose_worker(drawn)
    elif event == "node":
        nodes.lose_node(drawn)
    elif event == "driver":
        process.kill()
        process.wait()
    else:
        nodes.lose_head()
        with suppress(subprocess.TimeoutExpired):  # what it hangs in is said when no result comes
            process.wait(LONGEST)
        nodes.restart()


def started(nodes: Nodes, folder: Path, ending: Ending) -> subprocess.Popen[str]:
    ending.starts += 1
    suite = json.loads((folder / "suite.json").read_text("utf-8"))
    suite["workers"] = {"on": f"ray:{nodes.address}", "count": 2}
    (folder / "suite.json").write_text(json.dumps(suite), "utf-8")
    resume = ["--resume", "last"] if results(folder) else []
    command = [*RIGHTCALL, "suite.json", "--json", *resume]
    with (folder / "stdout").open("a") as out, (folder / "stderr").open("a") as err:
        return subprocess.Popen(command, cwd=folder, env=environment(), stdout=out, stderr=err, text=True)


def environment() -> dict[str, str]:
    found = os.pathsep.join((str(ROOT), str(ROOT / "src")))
    return {**os.environ, "PYTHONPATH": found, "OPENAI_API_KEY": "loopback"}


def results(folder: Path) -> int:
    """How many results are stored so far."""
    file = folder / ".rightcall/rightcall.db"
    if not file.exists():
        return 0
    with open_store(file) as store:
        return store.runs.get("last").results if store.runs.page() else 0


def stored(folder: Path, run: str) -> dict[tuple[str, int], Any]:
    """Everything that is stored of a run but times."""
    found = {}
    with open_store(folder / ".rightcall/rightcall.db") as store:
        for result in store.runs.results(run, trajectories=True):
            timeless = json.loads(msgspec.json.encode(result))
            timeless.pop("latency_ms", None)
            for part in (timeless["trajectory"], *timeless["trajectory"].get("messages", ())):
                part.pop("latency_ms", None)
                part.pop("lag_ms", None)
            found[result.golden_id, result.trial] = timeless
    return found


def differences(folder: Path, expected: dict[tuple[str, int], Any]) -> list[str]:
    with open_store(folder / ".rightcall/rightcall.db") as store:
        run = store.runs.get("last")
        keys = list(store.runs.result_keys("last"))
    problems = [] if run.finished else ["the run is not finished"]
    if not len(keys) == len(set(keys)) == run.results == run.planned == len(expected):
        problems.append(f"{len(keys)} rows, {len(set(keys))} cases, counted {run.results} of {run.planned}")
    found = stored(folder, "last")
    different = [key for key in expected if found.get(key) != expected[key]]
    if different:
        problems.append(f"{len(different)} results differ from one process, such as {different[0]}")
    if run.passed != sum(result["passed"] for result in expected.values()):
        problems.append(f"{run.passed} counted as passed")
    return problems


if __name__ == "__main__":
    main()
