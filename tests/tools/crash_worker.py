"""A process that pays once under a key, and can be made to die at a given moment.

python crash_worker.py DATABASE EFFECTS NOW DIE_AT [PROBE]

DIE_AT is one of never, before_start, before_effect, after_effect, after_record. Effects are lines in a file.
PROBE lets the tool look into that file. The outcome is printed as `outcome error replayed`.
With DIE_AT `sixteen`, sixteen children do it at the same time.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

from rightcall.records import ToolCall
from rightcall.tools.definitions.function import tool
from rightcall.tools.idempotency.guard import Idempotency
from rightcall.tools.idempotency.key_location import sqlite_store
from rightcall.tools.idempotency.store import Claim, ClaimRequest
from rightcall.tools.runtime.context import VirtualClock
from rightcall.tools.runtime.toolbox import Toolbox

DATABASE, EFFECTS, NOW, DIE_AT, *REST = sys.argv[1:]


def die_if(moment: str) -> None:
    if moment == DIE_AT:
        os.kill(os.getpid(), signal.SIGKILL)


def look(key: str, arguments: dict[str, Any]) -> Any:
    return {"paid": 5} if Path(EFFECTS).exists() and Path(EFFECTS).read_text(encoding="utf-8") else None


def append(line: str) -> None:
    with Path(EFFECTS).open("a", encoding="utf-8") as effects:
        effects.write(line)


@tool(destructive=True, idempotency="key", probe=look if REST else None)
async def pay(amount: int) -> dict[str, Any]:
    """Pay."""
    die_if("before_effect")
    append(f"{amount}\n")
    die_if("after_effect")
    return {"paid": amount}


def main() -> None:
    store = sqlite_store(DATABASE)
    begin = store.begin
    finish = store.finish

    def die_or_begin(wish: ClaimRequest) -> Claim:
        die_if("before_start")
        return begin(wish)

    def finish_and_die(*args: Any) -> bool:
        kept = finish(*args)
        die_if("after_record")
        return kept

    store.begin = die_or_begin  # type: ignore[method-assign]
    store.finish = finish_and_die  # type: ignore[method-assign]
    box = Toolbox(
        [pay],
        execute="real",
        idempotency=Idempotency(store, in_flight_wait_s=10),
        clock=VirtualClock(float(NOW)),
    )
    call = ToolCall("pay", {"amount": 5, "idempotency_key": "k"}, "c1")
    made = asyncio.run(box.invoke(call, box.context(run="r", task="t")))
    line = f"{made.outcome} {made.error.error if made.error else '-'} {made.replayed}\n"
    os.write(1, line.encode())  # in one piece: sixteen processes share the pipe


if __name__ == "__main__":
    if DIE_AT == "sixteen":
        children = []
        for _ in range(16):
            child = os.fork()
            if child == 0:
                main()
                os._exit(0)
            children.append(child)
        for child in children:
            os.waitpid(child, 0)
    else:
        main()
