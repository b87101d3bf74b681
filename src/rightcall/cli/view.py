"""`rightcall view`: the dashboard."""

from __future__ import annotations

from contextlib import suppress

import click

from rightcall.cli.output import tell


@click.command()
@click.option("--store", "url", help="Which store to show; .rightcall/rightcall.db unless said.")
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Where to listen; others need the token."
)
@click.option("--port", type=click.IntRange(0, 65535), help="A port; else the first free one from 8765 on.")
@click.option("--token", envvar="RIGHTCALL_TOKEN", help="Ask for this token, on loopback too.")
@click.option("--allow-host", "names", multiple=True, metavar="NAME", help="Another name it is reached by.")
@click.option("--open/--no-open", "show", default=True, help="Open it in the browser.")
def view(
    url: str | None, host: str, port: int | None, token: str | None, names: tuple[str, ...], show: bool
) -> None:
    """Show runs, cases and how they move over time, in the browser.

    It listens on this machine only, unless --host says otherwise; then it asks for a token. Nothing is fetched
    from elsewhere. Ctrl-C ends it.
    """
    from rightcall.store import open_store
    from rightcall.web import listening, require_packages, serve

    require_packages()
    with open_store(url, must_exist=True) as store, listening(host, port, token) as here:
        tell(here.address)
        tell("Ctrl-C ends it", err=True)
        if show:
            _open_soon(here.address)
        with suppress(KeyboardInterrupt):
            serve(store, here, (host, *names))
    tell("ended", err=True)


def _open_soon(address: str) -> None:
    """From a thread, a moment later: the server must answer by then, and some browsers do not return at once."""
    import threading
    import webbrowser

    timer = threading.Timer(0.7, webbrowser.open, [address])
    timer.daemon = True
    timer.start()
