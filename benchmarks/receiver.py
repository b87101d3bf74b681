"""The OTLP receiver under load: spans a second, answers other than 200, and memory over time."""

from __future__ import annotations

import argparse
import asyncio
import gzip
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import aiohttp

from rightcall.traces.events import RunSpan, spans_request


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--rate", type=int, default=2000, help="spans a second")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "monitor.yaml"
        settings.write_text("settle: 1s\nchecks: [tool_errors, loop, unknown_tool]\n")
        command = [
            sys.executable,
            "-m",
            "rightcall.cli.main",
            "monitor",
            "serve",
            str(settings),
            "--port",
            "0",
            "--store",
            f"{folder}/watch.db",
        ]
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=folder)
        assert server.stderr is not None
        port = int(server.stderr.readline().split("127.0.0.1:")[1].split()[0])
        try:
            asyncio.run(load(port, server.pid, given.seconds, given.rate))
        finally:
            server.send_signal(signal.SIGTERM)
            print(server.stderr.read().strip())
            server.wait()


async def load(port: int, pid: int, seconds: float, rate: int) -> None:
    """Four senders at once, as exporters of four processes."""
    counts = {"sent": 0, "refused": 0}
    start = time.perf_counter()

    async def sender(number: int, client: aiohttp.ClientSession) -> None:
        draw = random.Random(number)
        headers = {"content-type": "application/x-protobuf", "content-encoding": "gzip"}
        while (now := time.perf_counter()) - start < seconds:
            if counts["sent"] / (now - start + 1e-9) > rate:
                await asyncio.sleep(0.01)
                continue
            body = gzip.compress(batch(draw, 100), 1)
            async with client.post(f"http://127.0.0.1:{port}/v1/traces", data=body, headers=headers) as reply:
                counts["refused"] += reply.status != 200
                counts["sent"] += 100 if reply.status == 200 else 0

    async def show() -> None:
        for _ in range(6):
            await asyncio.sleep(seconds / 6)
            taken = time.perf_counter() - start
            busy = cpu_seconds(pid) / taken
            done = f"{counts['sent']:>9,} spans  {counts['sent'] / taken:,.0f} spans/s  {counts['refused']} refused"
            print(f"{taken:6.0f} s  {done}  server {memory(pid)} MB, {busy:.0%} of a core", flush=True)

    async with aiohttp.ClientSession() as client:
        await asyncio.gather(show(), *(sender(i, client) for i in range(4)))


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def batch(draw: random.Random, spans: int) -> bytes:
    """Whole traces of five spans."""
    made = []
    for _ in range(spans // 5):
        trace_id, at = f"{draw.getrandbits(128) | 1:032x}", time.time_ns()
        root = f"{draw.getrandbits(64) | 1:016x}"
        made.append(
            RunSpan(
                trace_id,
                root,
                "invoke_agent a",
                at,
                at + 9,
                attributes={"gen_ai.operation.name": "invoke_agent"},
            )
        )
        for i in range(4):
            held: dict[str, str | int | float] = {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "search",
                "gen_ai.tool.call.arguments": f'{{"query": "{i} {trace_id}"}}',
                "gen_ai.tool.call.result": '{"found": "' + "x" * 200 + '"}',
            }
            made.append(
                RunSpan(
                    trace_id,
                    f"{draw.getrandbits(64) | 1:016x}",
                    "execute_tool search",
                    at + i,
                    at + i + 1,
                    root,
                    attributes=held,
                )
            )
    return spans_request(made)


def memory(pid: int) -> int:
    about = Path(f"/proc/{pid}/status")
    found = re.search(r"VmRSS:\s+(\d+)", about.read_text()) if about.exists() else None
    return int(found[1]) // 1024 if found else 0


if __name__ == "__main__":
    main()
