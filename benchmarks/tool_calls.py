"""Validated, idempotent calls per second of one process on a SQLite file.

    python benchmarks/tool_calls.py [CALLS_A_ROUND]

Every call is validated, normalised, fingerprinted, claimed in the store (committed), run, checked, and its
end committed. "one by one" waits for each call before the next; "64 at once" is how a suite runs.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from rightcall.records import ToolCall
from rightcall.tools.definitions.function import tool
from rightcall.tools.definitions.validate import is_valid
from rightcall.tools.idempotency.guard import Idempotency
from rightcall.tools.idempotency.key_location import sqlite_store
from rightcall.tools.runtime.toolbox import Toolbox

ROUNDS = 10


@tool(idempotency="key", destructive=True)
async def refund(order_id: int, amount: float, reason: str = "") -> dict:
    """Refund an order."""
    await asyncio.sleep(0)  # as a tool that waits for a service would
    return {"refunded": amount, "order_id": order_id}


def a_call(number: int) -> ToolCall:
    arguments = {"order_id": number, "amount": 12.5, "reason": "late", "idempotency_key": f"refund-{number}"}
    return ToolCall("refund", arguments, f"call_{number}")


async def calls_per_second(path: Path, calls: int, at_once: int) -> list[float]:
    """The rate of each round: on a busy machine the best of them says what the code can do."""
    toolbox = Toolbox([refund], execute="real", idempotency=Idempotency(sqlite_store(path)))

    async def worker(trial: int, numbers: Iterator[int]) -> None:
        context = toolbox.context(run="bench", task="t", trial=trial)
        for number in numbers:
            invocation = await toolbox.invoke(a_call(number), context)
            assert invocation.outcome == "ok"

    rates = []
    for number in range(ROUNDS):
        numbers = iter(range(number * calls, (number + 1) * calls))
        started = time.perf_counter()
        await asyncio.gather(*(worker(trial, numbers) for trial in range(at_once)))
        rates.append(calls / (time.perf_counter() - started))
    return rates


def validations_per_second(calls: int) -> float:
    arguments = a_call(1).arguments
    started = time.perf_counter()
    for _ in range(calls):
        is_valid(refund.tool, arguments)
    return calls / (time.perf_counter() - started)


def main() -> None:
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    print(f"validation: {1e6 / validations_per_second(calls):.2f} µs a call")
    with tempfile.TemporaryDirectory() as folder:
        for at_once, words in ((1, "one by one"), (64, "64 at once")):
            rates = asyncio.run(calls_per_second(Path(folder) / f"{at_once}.db", calls, at_once))
            print(f"{words}: best {max(rates):,.0f}, median {median(rates):,.0f} calls/s on SQLite")


if __name__ == "__main__":
    main()
