"""Generates with a model that is slow enough to be killed in the middle: `python -m tests.limbs.generate.kill_worker STORE LOG [ID]`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from rightcall.limbs.generate.config import StylingConfig
from rightcall.limbs.generate.synthesizer import Synthesizer
from rightcall.store.address import open_store
from tests.limbs.generate.builders import GOOD, Model

COUNT = 40


def main() -> None:
    store, log, *resume = sys.argv[1:]

    async def write(request):
        await asyncio.sleep(0.01)
        note(log, request.golden_id)
        return f"Question about {request.golden_id.partition('/')[0]}, please: {hash_of(request.golden_id)}?"

    model = Model({"input": write, "quality": GOOD, "expected-output": "Yes."})
    styling = StylingConfig("people", "answers", "a question")
    maker = Synthesizer(
        model,
        styling_config=styling,
        max_concurrent=2,
        store=open_store(store),
        resume=next(iter(resume), None),
    )
    found = asyncio.run(maker.afrom_scratch(COUNT))
    print(len(found.goldens), flush=True)


def note(log: str, line: str) -> None:
    with Path(log).open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")


def hash_of(text: str) -> str:
    import hashlib

    return hashlib.sha256(text.encode()).hexdigest()


if __name__ == "__main__":
    main()
