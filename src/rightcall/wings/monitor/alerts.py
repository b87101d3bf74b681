"""Alerts: once per alarm, by webhook, command or stderr, with retries, at most one per check and hour."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec

from rightcall.show.lines import tell
from rightcall.wings.monitor.settings import AlertTo

PAUSES = (0.5, 2.0)
TIMEOUT = 10.0
QUIET = 3600.0
LONGEST = 64 * 1024


class Alerts:
    """Sends alerts, and remembers them to avoid duplicates within an hour."""

    def __init__(
        self, targets: Sequence[AlertTo], clock: Callable[[], float], say: Callable[[str], None] | None = None
    ) -> None:
        self._targets, self._clock, self._say = targets, clock, say or partial(tell, err=True)
        self._last: dict[tuple[str, str], float] = {}
        self.sent = self.failed = self.held_back = 0

    async def send(self, alert: dict[str, Any]) -> None:
        """Send an alert to all targets for this kind. Delivery failures are counted and logged, never raised."""
        key = alert.get("agent", ""), alert.get("check", "")
        now = self._clock()
        if now - self._last.get(key, -QUIET) < QUIET:
            self.held_back += 1
            return
        self._last[key] = now
        body = msgspec.json.encode(alert)[:LONGEST]
        targets = [target for target in self._targets if alert.get("kind") in target.when]
        for target in targets:
            if await self._try(target, body):
                self.sent += 1
            else:
                self.failed += 1
                self._say("an alert could not be delivered after 3 attempts")

    async def _try(self, target: AlertTo, body: bytes) -> bool:
        for pause in PAUSES:
            if await self._deliver(target, body):
                return True
            await asyncio.sleep(pause)
        return await self._deliver(target, body)

    async def _deliver(self, target: AlertTo, body: bytes) -> bool:
        if target.exec:
            return await _run(target.exec, body)
        if target.to == "stderr":
            self._say(body.decode())
            return True
        return await _post(target.to, body)


async def _post(url: str, body: bytes) -> bool:
    import aiohttp

    try:
        timeout = aiohttp.ClientTimeout(total=TIMEOUT)
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.post(
                url, data=body, headers={"content-type": "application/json"}, allow_redirects=False
            ) as reply,
        ):
            return 200 <= reply.status < 300
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError):
        return False


async def _run(command: Sequence[str], body: bytes) -> bool:
    """The alert on stdin: text from traces never becomes an argument."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError:
        return False
    try:
        await asyncio.wait_for(process.communicate(body), TIMEOUT)
    except TimeoutError:
        process.kill()
        await process.wait()
        return False
    return process.returncode == 0
