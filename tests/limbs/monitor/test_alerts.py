"""Alerts reach a webhook and a command, once an hour at most, and text from traces never becomes an argument."""

import asyncio
import json
import sys

from aiohttp import web

from rightcall.limbs.monitor.settings import AlertTo
from rightcall.limbs.monitor.trace_intake import Alerts


def alert(check="tool_errors", **more):
    return {"format": "rightcall/alert/1", "kind": "drift", "agent": "a", "check": check, **more}


def test_a_webhook_is_called_once_an_hour_and_again_after_a_failure():
    async def work():
        got = []
        answers = [500, 200, 200]

        async def hook(request):
            got.append(await request.json())
            return web.Response(status=answers.pop(0))

        app = web.Application()
        app.router.add_post("/", hook)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = site._server.sockets[0].getsockname()[1]
        now = [0.0]
        alerts = Alerts([AlertTo(("drift",), f"http://127.0.0.1:{port}/")], lambda: now[0])
        await alerts.send(alert())
        await alerts.send(alert())
        now[0] = 3700.0
        await alerts.send(alert())
        await runner.cleanup()
        assert (len(got), alerts.sent, alerts.held_back) == (3, 2, 1)

    asyncio.run(work())


def test_a_command_reads_the_alert_from_stdin(tmp_path):
    target = tmp_path / "alert.json"
    script = "import sys, pathlib; pathlib.Path(sys.argv[1]).write_text(sys.stdin.read())"
    alerts = Alerts([AlertTo(("drift",), exec=(sys.executable, "-c", script, str(target)))], lambda: 0.0)
    asyncio.run(alerts.send(alert(reason="$(touch /tmp/x); --flag")))
    assert json.loads(target.read_text())["reason"] == "$(touch /tmp/x); --flag"


def test_an_alert_that_cannot_be_delivered_is_said_and_not_raised():
    said = []
    alerts = Alerts([AlertTo(("drift",), exec=("/no/such/command",))], lambda: 0.0, said.append)
    asyncio.run(alerts.send(alert()))
    assert alerts.failed == 1
    assert said
