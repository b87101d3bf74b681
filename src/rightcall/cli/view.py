"""`rightcall view`: the dashboard."""

from __future__ import annotations

from contextlib import suppress

import click

from rightcall.cli.options import store_option
from rightcall.cli.output import tell


@click.command()
@store_option
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; any but loopback requires a token",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), help="Port to listen on [default: first free port from 8765]"
)
@click.option("--token", envvar="RIGHTCALL_TOKEN", help="Require this token, on loopback too")
@click.option(
    "--allow-host", "names", multiple=True, metavar="NAME", help="Accept this host name too (repeatable)"
)
@click.option(
    "--open/--no-open", "show", default=True, help="Open the dashboard in the browser [default: yes]"
)
def view(
    store_url: str | None, host: str, port: int | None, token: str | None, names: tuple[str, ...], show: bool
) -> None:
    """Start the dashboard: runs, cases and trends in the browser.

    Listens on this machine only by default; with another --host, visitors need a token. Loads nothing from the
    network. Press Ctrl-C to stop.
    """
    from rightcall.show.dashboard.server import bind_port, require_packages, serve
    from rightcall.store.address import open_store

    require_packages()
    with open_store(store_url, must_exist=True) as store, bind_port(host, port, token) as here:
        tell(here.address)
        tell("press Ctrl-C to stop", err=True)
        if show:
            _open_soon(here.address)
        with suppress(KeyboardInterrupt):
            serve(store, here, (host, *names))
    tell("stopped", err=True)


def _open_soon(address: str) -> None:
    """Open the browser from a thread after a moment: the server must be up, and some browsers block."""
    import threading
    import webbrowser

    timer = threading.Timer(0.7, webbrowser.open, [address])
    timer.daemon = True
    timer.start()
