"""Seconds to generate a thousand goldens from fifty tools without a model; the limit is five."""

from __future__ import annotations

import time
from pathlib import Path

from rightcall.model import Tool
from rightcall.tools.definitions.load import load_tools
from rightcall.wings.generate.synthesizer import Synthesizer

FILE = Path(__file__).parent.parent / "tests" / "synthesis" / "data" / "tools.json"


def main() -> None:
    kinds = load_tools(FILE)
    tools = [
        Tool(
            f"{tool.name}_{number}",
            f"{tool.description} Number {number}.",
            tool.input_schema,
            tool.output_schema,
        )
        for number in range(5)
        for tool in kinds
    ][:50]
    started, used = time.perf_counter(), time.process_time()
    goldens = Synthesizer(seed=1).generate_goldens_from_tools(tools, 1_000)
    took, used = time.perf_counter() - started, time.process_time() - used
    print(f"{len(goldens):,} goldens from {len(tools)} tools in {took:.2f} s, {used:.2f} s of them computing")
