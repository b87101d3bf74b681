"""`rightcall view`: the dashboard."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

import click

from rightcall.cli.command_options import DeclaredCommand
from rightcall.cli.output import tell
from rightcall.core.errors import MissingExtraError
from rightcall.core.options import Option, StoreOption
from rightcall.store.address import open_store


@click.command(cls=DeclaredCommand)
def view(
    store_url: StoreOption = None,
    host: Annotated[str, Option("Address to listen on; any but loopback requires a token")] = "127.0.0.1",
    port: Annotated[
        int | None, Option("Port to listen on [default: first free port from 8765]", ge=0, le=65535)
    ] = None,
    token: Annotated[
        str | None, Option("Require this token, on loopback too", envvar="RIGHTCALL_TOKEN")
    ] = None,
    names: Annotated[
        tuple[str, ...],
        Option("Accept this host name too (repeatable)", flags=("--allow-host",), metavar="NAME"),
    ] = (),
    show: Annotated[
        bool, Option("Open the dashboard in the browser [default: yes]", flags=("--open/--no-open",))
    ] = True,
) -> None:
    """Start the dashboard: runs, cases and trends in the browser.

    Listens on this machine only by default; with another --host, visitors need a token. Loads nothing from the
    network. Press Ctrl-C to stop.
    """
    _require_packages()
    from rightcall.limbs.dashboard.server import bind_port, serve

    with open_store(store_url, must_exist=True) as store, bind_port(host, port, token) as here:
        tell(here.address)
        tell("press Ctrl-C to stop", err=True)
        if show:
            _open_soon(here.address)
        with suppress(KeyboardInterrupt):
            serve(store, here, (host, *names))
    tell("stopped", err=True)


def _require_packages() -> None:
    """Say what to install before anything is opened."""
    for package in ("starlette", "jinja2", "uvicorn"):
        try:
            __import__(package)
        except ImportError:
            raise MissingExtraError("the dashboard", package, "web") from None


def _open_soon(address: str) -> None:
    """Open the browser from a thread after a moment: the server must be up, and some browsers block."""
    import threading
    import webbrowser

    timer = threading.Timer(0.7, webbrowser.open, [address])
    timer.daemon = True
    timer.start()
