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
    draw = random.Random(0)
    sent = refused = 0
    start = time.perf_counter()
    shown = start
    async with aiohttp.ClientSession() as client:
        while (now := time.perf_counter()) - start < seconds:
            if sent / (now - start + 1e-9) > rate:
                await asyncio.sleep(0.01)
                continue
            body = gzip.compress(batch(draw, 100), 1)
            headers = {"content-type": "application/x-protobuf", "content-encoding": "gzip"}
            async with client.post(f"http://127.0.0.1:{port}/v1/traces", data=body, headers=headers) as reply:
                refused += reply.status != 200
                sent += 100 if reply.status == 200 else 0
            if now - shown > seconds / 6:
                shown = now
                print(
                    f"{now - start:6.0f} s  {sent:>9,} spans  {sent / (now - start):,.0f} spans/s  {refused} refused  server {memory(pid)} MB",
                    flush=True,
                )
    print(
        f"{sent / (time.perf_counter() - start):,.0f} spans/s, {refused} answers other than 200, server {memory(pid)} MB"
    )


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
            held = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search", "gen_ai.tool.call.arguments": f'{{"query": "{i} {trace_id}"}}',
                    "gen_ai.tool.call.result": '{"found": "' + "x" * 200 + '"}'}  # fmt: skip
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
    if not os.path.exists(f"/proc/{pid}/status"):
        return 0
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) // 1024 if found else 0


if __name__ == "__main__":
    main()
