"""Stores that fail in ten ways at seeded moments: every run completes, or stops with exit code 4 and can be resumed.

    python -m benchmarks chaos [--runs 50] [--seed 1] [--way NAME ...]

Each run is a separate `rightcall run` process whose agent harms the store at a call drawn from the seed
(`chaos_agent.py`), for a while drawn from the seed or for good. A run may then end in two ways only:

- exit code 0, PASS, and every planned result is stored;
- exit code 4, no verdict, the run unfinished, and the command it prints completes it with PASS once the store is
  well again (or, when the store was destroyed, says so, and a new run passes).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.chaos_agent import DESTROYED, ON_POSTGRESQL, WAYS, allow, bring_back
from rightcall.records import CaseResult, Run
from rightcall.store.address import open_store

ROOT = Path(__file__).parents[1]
PERSISTENCE = 1.0
LOCK = 0.3
"""Seconds a run insists on a failing store, and one attempt waits for a lock: less than a user's, to be done today."""

RIGHTCALL = f"""
import rightcall.store.address as p, rightcall.store.sql.engine as e
p.SECONDS, e.PATIENCE = {PERSISTENCE}, {LOCK}
from rightcall.cli.main import main
main()
"""


@dataclass
class Ending:
    """How one run ended, and what about it must not be."""

    way: str
    seed: int
    how: str
    wrong: list[str] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks chaos")
    parser.add_argument("--runs", type=int, default=50, help="runs of each way")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--way", action="append", choices=sorted(WAYS))
    options = parser.parse_args()
    ways = options.way or list(WAYS)
    wrong: list[Ending] = []
    with tempfile.TemporaryDirectory() as folder, stores(ways, Path(folder)) as new_store:
        for way in ways:
            started = time.monotonic()
            seen = Counter[str]()
            for number in range(options.runs):
                seed = options.seed * 100_000 + number
                ending = endure(way, new_store(way, seed), Path(folder) / f"{way}-{seed}", seed)
                seen[ending.how] += 1
                if ending.wrong:
                    wrong.append(ending)
                    print(f"  WRONG {way}, seed {seed}: {'; '.join(ending.wrong)}", flush=True)
            told = ", ".join(f"{count} {how}" for how, count in sorted(seen.items()))
            print(f"{way:<14} {told} ({time.monotonic() - started:.0f} s)", flush=True)
    if wrong:
        sys.exit(f"{len(wrong)} runs ended as no run may")
    print(
        f"every one of {len(ways) * options.runs} runs ended complete, or with exit code 4 and a way to go on"
    )


def endure(way: str, store: str, folder: Path, seed: int, goldens: int = 120) -> Ending:
    """One run whose store is harmed in this way, and what it takes to complete it."""
    drawn = random.Random(f"{way}/{seed}")
    write_suite(folder, goldens)
    lasting = way in DESTROYED or drawn.random() < 0.4
    harm = {
        "way": way,
        "store": store,
        "at": drawn.randint(2, goldens - 10),
        "seconds": None if lasting else round(drawn.uniform(0.05, 0.6), 3),
    }
    code, out, err = rightcall(folder, ["run", "suite.json", "--store", store, "--json"], harm)
    heal(way, store)
    ending = Ending(way, seed, f"exit {code}")
    if "Traceback" in err:
        ending.wrong.append(f"a traceback: {err[-1500:]}")
    if code == 0:
        ending.how = "complete"
        ending.wrong += incomplete(store, out, goldens)
    elif code == 4:
        ending.how = "stopped and completed"
        ending.wrong += unresumable(way, store, folder, out, err, goldens)
    else:
        ending.wrong.append(f"exit code {code}: {err[-500:]}")
    return ending


def incomplete(store: str, out: str, planned: int) -> list[str]:
    """What a run that passed lacks."""
    last = json.loads(out.splitlines()[-1])
    with open_store(store, must_exist=True) as opened:
        run = opened.runs.get("last")
        stored = len(list(opened.runs.result_keys("last")))
    problems = [] if last.get("verdict") == "PASS" else [f"exit code 0 with {last}"]
    if not run.finished or not stored == run.results == run.planned == planned:
        problems.append(
            f"PASS with {stored} of {planned} results (counted {run.results}), finished={run.finished}"
        )
    return problems


def unresumable(way: str, store: str, folder: Path, out: str, err: str, planned: int) -> list[str]:
    """What is wrong with a run that stopped: it gave a verdict, or what it says to type does not complete it."""
    if '"verdict"' in out:
        return ["a verdict with exit code 4"]
    typed = [line.strip() for line in err.splitlines() if line.strip().startswith("rightcall run")]
    if not typed:  # it had not begun: nothing was stored and nothing was spent
        typed = [f"rightcall run suite.json --store {shlex.quote(store)}"]
    if way in DESTROYED:
        for path in Path(store).parent.glob(f"{Path(store).name}*"):
            path.unlink()
        typed = [typed[0].partition(" --resume")[0]]
    elif "--store" not in typed[0]:
        return [f"it does not say which store: {typed[0]}"]
    code, out, err = rightcall(folder, [*shlex.split(typed[0])[1:], "--json"])
    return incomplete(store, out, planned) if code == 0 else [f"'{typed[0]}' ended with {code}: {err[-500:]}"]


def heal(way: str, store: str) -> None:
    """What an operator does before resuming; locks and limits ended with the process."""
    if way in ("refused", "read_only"):
        allow(store)
    elif way == "moved":
        bring_back(store)


def rightcall(
    folder: Path, arguments: Sequence[str], harm: dict[str, Any] | None = None
) -> tuple[int, str, str]:
    found = os.pathsep.join((str(ROOT), str(ROOT / "src")))
    environment = {**os.environ, "PYTHONPATH": found, **({"CHAOS": json.dumps(harm)} if harm else {})}
    done = subprocess.run(
        [sys.executable, "-c", RIGHTCALL, *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def write_suite(folder: Path, goldens: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    lines = (
        json.dumps(
            {"id": str(i), "input": f"Add {i}", "expected_calls": [{"tool": "add", "args": {"number": i}}]}
        )
        for i in range(goldens)
    )
    (folder / "goldens.jsonl").write_text("\n".join(lines) + "\n")
    schema = {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}
    tool = {"name": "add", "description": "Add a number", "input_schema": schema}
    agent = {"model": "benchmarks.chaos_agent:answer"}
    suite = {"name": "chaos", "tools": [tool], "dataset": "goldens.jsonl", "agent": agent, "concurrency": 4}
    (folder / "suite.json").write_text(json.dumps(suite))


@contextmanager
def stores(ways: Sequence[str], folder: Path) -> Iterator[Callable[[str, int], str]]:
    """Makes a store for a run: a file with an earlier run in it, or a database of a server started for this."""
    template = folder / "earlier.db"
    with open_store(template) as store:
        writer = store.runs.begin(Run("earlier", "earlier", "2026-01-01T00:00:00.000Z"))
        writer.add([CaseResult(str(i), 0, True, 1.0, {}) for i in range(2000)])

    def file(way: str, seed: int) -> str:
        return str(shutil.copy(template, folder / f"{way}-{seed}.db"))

    if not ON_POSTGRESQL.keys() & set(ways):
        yield file
        return
    from tests.store.conftest import Server

    server = Server()
    try:
        yield lambda way, seed: server.empty() if way in ON_POSTGRESQL else file(way, seed)
    finally:
        server.stop()
