"""`rightcall record`: manage recordings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import click

from rightcall.cli.command_options import OUTPUT, CommandGroup
from rightcall.cli.interrupt import run_interruptible
from rightcall.cli.output import tell
from rightcall.core.errors import ConfigError
from rightcall.core.options import Option
from rightcall.core.seam import load

if TYPE_CHECKING:
    from rightcall.recording.proxy import RecordingProxy
    from rightcall.run.suite import Suite


@click.group(cls=CommandGroup)
def record() -> None:
    """Manage recorded model answers."""


@record.command()
@click.argument("suite", type=click.Path(path_type=Path))
def prune(suite: Path, dry_run: Annotated[bool, Option("Show what would be removed")] = False) -> None:
    """Remove recordings that no golden of SUITE uses."""
    from rightcall.datasets.goldens import load_goldens
    from rightcall.recording.library import Recordings
    from rightcall.recording.settings import RecordSettings

    loaded, folder = _load(suite)
    kept = Recordings(RecordSettings("replay"), folder)
    unused = kept.orphan_files(golden.id for golden in load_goldens(suite.parent / loaded.dataset))
    for path in unused:
        tell(f"{'would remove' if dry_run else 'removed'} {path}")
        if not dry_run:
            path.unlink()
    if not unused:
        tell("nothing to remove")


@record.command()
@click.argument("suite", type=click.Path(path_type=Path))
def serve(
    suite: Path,
    server: Annotated[
        str,
        Option(
            "Server to forward requests to, such as https://api.openai.com", flags=("--to",), metavar="URL"
        ),
    ],
    port: Annotated[int, Option("Port to listen on; 0 picks a free one", ge=0, le=65535)] = 8931,
    mode: Annotated[
        Literal["auto", "refresh", "replay"],
        Option(
            "auto replays recorded trials and records the others, refresh asks the model every time, "
            "replay never asks it",
            flags=("--record",),
        ),
    ] = "auto",
) -> None:
    """Record and replay the model answers of an agent that is a program, through a local proxy.

    Point the program at http://127.0.0.1:PORT/GOLDEN/TRIAL/… instead of the server; it is sent the golden's id and
    the trial. Recordings go to recordings/SUITE/served.
    """
    import msgspec

    from rightcall.recording.library import SERVED, Recordings
    from rightcall.recording.proxy import RecordingProxy
    from rightcall.run.suite_actions import record_settings

    loaded, folder = _load(suite)
    settings = msgspec.structs.replace(record_settings(loaded), mode=mode)
    kept = Recordings(settings, folder / SERVED)
    run_interruptible(_serve(RecordingProxy(kept, server), port))


@record.command()
@click.argument("suite", type=click.Path(path_type=Path))
def export(
    suite: Path,
    server: Annotated[
        str, Option("MCP server of the tools: mcp:COMMAND or a URL", flags=("--mcp",), metavar="SERVER")
    ],
    output: Annotated[Path, Option("Recording to write", flags=OUTPUT)],
) -> None:
    """Export the recorded tool calls of SUITE as a recording of their MCP server, for `rightcall mcp`.

    Definitions come from the server, answers from the suite's recordings.
    """
    from rightcall.recording.mcp.session_file import write_session

    session = run_interruptible(load("services", "mcp_export")(_load(suite)[1], server))
    write_session(output, session)
    tell(f"{len(session.tools)} tools and {len(session.calls)} calls written to {output}")


def _load(suite: Path) -> tuple[Suite, Path]:
    """A suite, and the folder of its recordings."""
    from rightcall.run.suite import load_suite
    from rightcall.run.suite_actions import recordings_folder

    loaded = load_suite(suite)
    return loaded, recordings_folder(loaded, suite.parent)


async def _serve(proxy: RecordingProxy, port: int) -> None:
    """Serve until Ctrl-C."""
    import asyncio

    from aiohttp import web

    runner = web.AppRunner(proxy.app(), access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", port)
        try:
            await site.start()
        except OSError as error:
            problem = f"cannot bind port {port}: {error.strerror}; choose another with --port"
            raise ConfigError(problem) from None
        bound = runner.addresses[0][1]
        tell(f"recording proxy on http://127.0.0.1:{bound}/GOLDEN/TRIAL; press Ctrl-C to stop")
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()
