"""`rightcall record`: manage recordings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from rightcall.cli.options import output_option
from rightcall.cli.output import tell

if TYPE_CHECKING:
    from rightcall.recording.proxy import RecordingProxy


@click.group()
def record() -> None:
    """Manage recorded model answers."""


@record.command()
@click.argument("suite", type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Show what would be removed")
def prune(suite: Path, dry_run: bool) -> None:
    """Remove recordings that no golden of SUITE uses."""
    from rightcall.datasets.goldens import load_goldens
    from rightcall.recording.library import Recordings
    from rightcall.recording.settings import RecordSettings
    from rightcall.run.suite import load_suite
    from rightcall.run.suite_actions import recordings_folder

    loaded = load_suite(suite)
    kept = Recordings(RecordSettings("replay"), recordings_folder(loaded, suite.parent))
    unused = kept.orphan_files(golden.id for golden in load_goldens(suite.parent / loaded.dataset))
    for path in unused:
        tell(f"{'would remove' if dry_run else 'removed'} {path}")
        if not dry_run:
            path.unlink()
    if not unused:
        tell("nothing to remove")


@record.command()
@click.argument("suite", type=click.Path(path_type=Path))
@click.option(
    "--to",
    "server",
    required=True,
    metavar="URL",
    help="Server to forward requests to, such as https://api.openai.com",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8931,
    show_default=True,
    help="Port to listen on; 0 picks a free one",
)
@click.option(
    "--record",
    "mode",
    type=click.Choice(["auto", "refresh", "replay"]),
    default="auto",
    show_default=True,
    help="auto replays recorded trials and records the others, refresh asks the model every time, "
    "replay never asks it",
)
def serve(suite: Path, server: str, port: int, mode: Literal["auto", "refresh", "replay"]) -> None:
    """Record and replay the model answers of an agent that is a program, through a local proxy.

    Point the program at http://127.0.0.1:PORT/GOLDEN/TRIAL/… instead of the server; it is sent the golden's id and
    the trial. Recordings go to recordings/SUITE/served.
    """
    import msgspec

    from rightcall.cli.interrupt import run_interruptible
    from rightcall.recording.library import SERVED, Recordings
    from rightcall.recording.proxy import RecordingProxy
    from rightcall.run.suite import load_suite
    from rightcall.run.suite_actions import record_settings, recordings_folder

    loaded = load_suite(suite)
    settings = msgspec.structs.replace(record_settings(loaded), mode=mode)
    kept = Recordings(settings, recordings_folder(loaded, suite.parent) / SERVED)
    run_interruptible(_serve(RecordingProxy(kept, server), port))


@record.command()
@click.argument("suite", type=click.Path(path_type=Path))
@click.option(
    "--mcp", "server", required=True, metavar="SERVER", help="MCP server of the tools: mcp:COMMAND or a URL"
)
@output_option("Recording to write", required=True)
def export(suite: Path, server: str, output: Path) -> None:
    """Export the recorded tool calls of SUITE as a recording of their MCP server, for `rightcall mcp`.

    The definitions are listed by the server; the answers are those of the suite's recordings.
    """
    from rightcall.cli.interrupt import run_interruptible
    from rightcall.core.seam import load
    from rightcall.recording.mcp.session_file import write_session
    from rightcall.run.suite import load_suite
    from rightcall.run.suite_actions import recordings_folder

    loaded = load_suite(suite)
    folder = recordings_folder(loaded, suite.parent)
    session = run_interruptible(load("services", "mcp_export")(folder, server))
    write_session(output, session)
    tell(f"{len(session.tools)} tools and {len(session.calls)} calls written to {output}")


async def _serve(proxy: RecordingProxy, port: int) -> None:
    """Serve until Ctrl-C."""
    import asyncio

    from aiohttp import web

    from rightcall.core.errors import ConfigError

    runner = web.AppRunner(proxy.app(), access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", port)
        try:
            await site.start()
        except OSError as error:
            raise ConfigError(
                f"cannot bind port {port}: {error.strerror}; choose another with --port"
            ) from None
        address = runner.addresses[0]
        tell(f"recording proxy on http://127.0.0.1:{address[1]}/GOLDEN/TRIAL; press Ctrl-C to stop")
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()
