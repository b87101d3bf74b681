"""`rightcall audit` of 1,000 and 10,000 goldens: CPU time, peak memory, mutants and operators.

    python -m benchmarks audit [--goldens 1000 10000] [--weak 0.5] [--profile]

Each audit is a new process that reads goldens from a file and what an agent did from a store, as the command does. A
share of the goldens is `weak` (names of tools only), so that survivors and proposals are part of the cost.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

MEASURE = "import sys, pathlib; from benchmarks.audit import measure; measure(pathlib.Path(sys.argv[1]))"
TAGS = ["red", "blue"]
CITIES = ("Hanoi", "Paris", "Rome", "Lima", "Oslo", "Turin", "Quito", "Accra", "Dakar", "Perth")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks audit")
    parser.add_argument("--goldens", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--weak", type=float, default=0.5)
    parser.add_argument("--profile", action="store_true", help="profile the first size in this process")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
        for count in options.goldens:
            path = Path(folder) / f"{count}.jsonl"
            write_goldens(path, count, options.weak)
            store_run(path)
            if options.profile:
                profile_audit(path)
                return
            subprocess.run([sys.executable, "-c", MEASURE, str(path)], check=True)


def measure(path: Path) -> None:
    """Audit a dataset and print what it cost this process."""
    import rightcall as rc

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    busy = time.process_time()
    result = rc.audit(path, tools=path.with_name("tools.json"), runs=["last"], store=path.with_suffix(".db"))
    busy = time.process_time() - busy
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    mutants = result.sure.caught + result.sure.survived
    proposals = sum(survivor.proposal is not None for survivor in result.survivors)
    print(
        f"{result.goldens:>7,} goldens: {busy:6.1f} s of CPU, {most:4.0f} MB at most ({most - before:.0f} more); "
        f"{mutants:,} mutants of {len(result.by_operator)} operators, {len(result.survivors):,} survivors, "
        f"{proposals:,} proposals",
        flush=True,
    )


def profile_audit(path: Path) -> None:
    """The functions that an audit spends its time in."""
    import cProfile
    import pstats

    profiler = cProfile.Profile()
    profiler.enable()
    measure(path)
    profiler.disable()
    pstats.Stats(profiler).sort_stats("cumulative").print_stats(60)
    pstats.Stats(profiler).sort_stats("tottime").print_stats(30)


def write_goldens(path: Path, count: int, weak: float) -> None:
    """Write goldens of two calls each, with ids, amounts, dates, cities, choices and lists that the request says."""
    rng = random.Random(7)
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            file.write(json.dumps(_golden(number, rng, is_weak=rng.random() < weak)) + "\n")


def store_run(path: Path) -> None:
    """Store a run of an agent that does everything right."""
    from msgspec.structs import replace

    from rightcall.datasets.goldens import load_goldens
    from rightcall.metrics.case_result import result_of
    from rightcall.records import Run, ToolCall, Trajectory
    from rightcall.store.address import open_store

    goldens = list(load_goldens(path))
    with open_store(path.with_suffix(".db")) as store:
        writer = store.runs.begin(Run("right", "audit", "2027-01-01T00:00:00.000Z"), planned=len(goldens))
        writer.add_goldens(goldens)
        results = []
        for golden in goldens:
            calls = [
                ToolCall(tool, args, f"c{step}", step, "ok", "done")
                for step, (tool, args) in enumerate(golden.metadata["done"])
            ]
            trajectory = Trajectory(calls=calls, output="Done.")
            results.append(replace(result_of(golden, 0, trajectory, {}), trajectory=trajectory))
        writer.add(results)


def _golden(number: int, rng: random.Random, *, is_weak: bool) -> dict[str, Any]:
    order = f"A-{number:05}"
    amount = rng.randint(2, 400)
    origin, target = rng.sample(CITIES, 2)
    day = f"2027-{rng.randint(1, 12):02}-{rng.randint(1, 27):02}"
    reason = rng.choice(["late", "broken", "other"])
    flight = {"from_city": origin, "to_city": target, "date": day, "seats": rng.randint(1, 6)}
    pairs = [
        (f"Refund {amount} euros of order {order}.", "refund_order", {"order_id": order, "amount": amount}),
        (f"Cancel {order}, it is {reason}.", "cancel_order", {"order_id": order, "reason": reason}),
        (f"Book {flight['seats']} seats from {origin} to {target} on {day}.", "book_flight", flight),
        (f"Wake me in {amount} minutes, volume 8.", "set_alarm", {"minutes": amount, "volume": 8}),
        (f"Tag {order} as red and blue.", "tag_order", {"order_id": order, "tags": TAGS, "keep": True}),
    ]  # fmt: skip
    chosen = rng.sample(pairs, 2)
    return {
        "id": f"g-{number:05}",
        "metadata": {"done": [[tool, args] for _, tool, args in chosen]},
        "input": " ".join(text for text, _, _ in chosen),
        "extra_calls": "allow" if is_weak else "forbid",
        "expected_calls": [
            {"tool": tool} if is_weak else {"tool": tool, "args": args} for _, tool, args in chosen
        ],
        **({} if is_weak else {"order": "strict"}),
    }


def _tool(name: str, text: str, required: str, **parameters: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": parameters, "required": required.split()}
    return {"name": name, "description": text, "input_schema": schema}


TEXT = {"type": "string"}
COUNT = {"type": "integer"}
EUROS = {"type": "number", "description": "Amount in euros"}
MINUTES = {"type": "integer", "description": "In minutes"}
VOLUME = {"type": "integer", "description": "Volume; default is 5"}
DATE = {"type": "string", "format": "date"}
WORDS = {"type": "array", "items": TEXT}
REASON = {"enum": ["late", "broken", "other"]}
FLAG = {"type": "boolean"}
TOOLS = [
    _tool("refund_order", "Refunds an order.", "order_id amount", order_id=TEXT, amount=EUROS),
    _tool("cancel_order", "Cancels an order.", "order_id", order_id=TEXT, reason=REASON),
    _tool(
        "book_flight", "Books a flight.", "from_city to_city date",
        from_city=TEXT, to_city=TEXT, date=DATE, seats={**COUNT, "default": 1},
    ),
    _tool("set_alarm", "Sets an alarm.", "minutes", minutes=MINUTES, volume=VOLUME),
    _tool("tag_order", "Tags an order.", "order_id tags keep", order_id=TEXT, tags=WORDS, keep=FLAG),
    _tool("find_order", "Finds an order.", "order_id", order_id=TEXT),
    _tool("list_orders", "Lists the orders of a customer.", "email", email=TEXT),
    _tool("send_email", "Sends an e-mail.", "to subject", to=TEXT, subject=TEXT),
]  # fmt: skip


if __name__ == "__main__":
    main()
