"""Seconds to generate a thousand goldens from fifty tools without a model; the limit is five."""

from __future__ import annotations

import time
from pathlib import Path

from rightcall.tools.definitions.source import load_tools
from rightcall.wings.generate.plannable_tools import plannable
from rightcall.wings.generate.synthesizer import Synthesizer

FOLDER = Path(__file__).parent.parent / "tests" / "lint" / "data"


def main() -> None:
    by_name = {tool.name: tool for file in sorted(FOLDER.glob("*/*.json")) for tool in load_tools(file)}
    tools = plannable(list(by_name.values()))[:50]
    started, used = time.perf_counter(), time.process_time()
    goldens = Synthesizer(seed=1).generate_goldens_from_tools(tools, 1_000)
    took, used = time.perf_counter() - started, time.process_time() - used
    print(f"{len(goldens):,} goldens from {len(tools)} tools in {took:.2f} s, {used:.2f} s of them computing")
