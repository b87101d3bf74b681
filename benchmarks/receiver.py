"""The OTLP receiver under load: spans per second, answers other than 200, and memory over time."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gzip
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import aiohttp

from benchmarks.otlp_spans import RunSpan, spans_request

LINES = 12


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--rate", type=int, default=2000, help="spans a second")
    options.add_argument("--sessions", action="store_true", help="a session for each trace")
    options.add_argument("--slow", type=int, default=0, help="clients that promise 15 MiB and never finish")
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
            asyncio.run(load(port, server.pid, given.seconds, given.rate, given.sessions, given.slow))
        finally:
            server.send_signal(signal.SIGTERM)
            print(server.stderr.read().strip())
            server.wait()


async def load(port: int, pid: int, seconds: float, rate: int, sessions: bool, slow: int) -> None:
    """Four senders at once, as exporters of four processes, and slow clients that connect again when closed."""
    counts = {"sent": 0, "refused": 0}
    start = time.perf_counter()

    async def sender(number: int, client: aiohttp.ClientSession) -> None:
        batches = Batches(number, sessions)
        headers = {"content-type": "application/x-protobuf", "content-encoding": "gzip"}
        while (now := time.perf_counter()) - start < seconds:
            if counts["sent"] / (now - start + 1e-9) > rate:
                await asyncio.sleep(0.01)
                continue
            url = f"http://127.0.0.1:{port}/v1/traces"
            try:
                async with client.post(url, data=batches.next(), headers=headers) as reply:
                    counts["refused"] += reply.status != 200
                    counts["sent"] += 100 if reply.status == 200 else 0
            except aiohttp.ClientError:
                counts["refused"] += 1

    async def slow_client(number: int) -> None:
        await asyncio.sleep(number / 200)
        while time.perf_counter() - start < seconds:
            with contextlib.suppress(OSError):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                with contextlib.closing(writer):
                    await _send_slowly(reader, writer, number, start + seconds)
            await asyncio.sleep(1)

    async def show(client: aiohttp.ClientSession) -> None:
        for _ in range(LINES):
            await asyncio.sleep(seconds / LINES)
            taken = time.perf_counter() - start
            busy = cpu_seconds(pid) / taken
            done = f"{counts['sent']:>9,} spans  {counts['sent'] / taken:,.0f} spans/s  {counts['refused']} refused"
            async with client.get(f"http://127.0.0.1:{port}/stats") as reply:
                waiting = (await reply.json())["open_traces"]
            said = f"server {memory(pid)} MB, {busy:.0%} of a core, {waiting:,} open traces"
            print(f"{taken:6.0f} s  {done}  {said}", flush=True)

    async with aiohttp.ClientSession() as client:
        senders = [sender(i, client) for i in range(4)]
        await asyncio.gather(show(client), *senders, *(slow_client(i) for i in range(slow)))


async def _send_slowly(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int, until: float
) -> None:
    """Half a head, or a head and a body that arrives 64 KiB at a time, until the receiver closes the connection."""
    head = f"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Length: {15 << 20}\r\n"
    writer.write((head + ("" if number % 3 == 0 else "Content-Type: application/json\r\n\r\n")).encode())
    while time.perf_counter() < until and not reader.at_eof():
        if number % 3:
            writer.write(b" " * 65536)
            await writer.drain()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(reader.read(1), 1)
            return


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Batches:
    """Requests of twenty traces with five spans. They are made once a second, then only get new ids: a sender must
    not need the core that the receiver is measured on."""

    def __init__(self, number: int, sessions: bool) -> None:
        self._draw = random.Random(number)
        self._sessions = sessions
        self._made = b""
        self._at = 0.0

    def next(self) -> bytes:
        if time.monotonic() - self._at > 1:
            self._at, self._made = time.monotonic(), spans_request(list(_spans(self._sessions)))
        body = self._made
        for i in range(TRACES):
            new = self._draw.getrandbits(128) | 1
            body = body.replace(bytes.fromhex(_trace_id(i)), new.to_bytes(16, "big"))
            body = body.replace(_trace_id(i).encode(), f"{new:032x}".encode())
        return gzip.compress(body, 1)


TRACES = 20


def _trace_id(number: int) -> str:
    return f"{0xABCDEF0123456789ABCDEF0123456700 + number:032x}"


def _spans(sessions: bool) -> Iterator[RunSpan]:
    for number in range(TRACES):
        trace_id = _trace_id(number)
        at = time.time_ns()
        about: dict[str, str | int | float] = {"gen_ai.operation.name": "invoke_agent"}
        if sessions:
            about["gen_ai.conversation.id"] = trace_id
        yield RunSpan(trace_id, "00000000000000a0", "invoke_agent a", at, at + 9, attributes=about)
        for i in range(4):
            held: dict[str, str | int | float] = {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "search",
                "gen_ai.tool.call.arguments": f'{{"query": "{i} {trace_id}"}}',
                "gen_ai.tool.call.result": '{"found": "' + "x" * 200 + '"}',
            }
            name = "execute_tool search"
            span_id = f"00000000000000a{i + 1}"
            yield RunSpan(trace_id, span_id, name, at + i, at + i + 1, "00000000000000a0", attributes=held)


def memory(pid: int) -> int:
    about = Path(f"/proc/{pid}/status")
    found = re.search(r"VmRSS:\s+(\d+)", about.read_text(encoding="utf-8")) if about.exists() else None
    return int(found[1]) // 1024 if found else 0


if __name__ == "__main__":
    main()
