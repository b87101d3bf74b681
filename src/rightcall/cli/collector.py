"""The garbage collector in a command's process.

A command imports some 700 modules, and all of them live until it ends. Python's defaults examine these objects again
and again while they are loaded, and twice more at the end: a quarter of the CPU time of a small `rightcall run`.
"""

from __future__ import annotations

import atexit
import gc
from collections.abc import Mapping

import click

START = 150_000
"""Objects created before the first collection: more than a small command ever has."""

STEADY = 10_000
"""Objects between later collections: they pause a long command for about a millisecond."""


def postpone() -> None:
    """Collect nothing in a short command, and in a long one only what it creates after it was loaded."""
    gc.set_threshold(START, 10, 10)
    gc.callbacks.append(_settle)
    atexit.register(gc.freeze)


def stop() -> None:
    """Collect nothing until the current command ends: what it creates has no cycles, and is looked at in vain.

    A program that calls a command and goes on, such as a test session, gets the collector back as it was.
    """
    if gc.isenabled():
        gc.disable()
        click.get_current_context().call_on_close(gc.enable)


def _settle(phase: str, _: Mapping[str, int]) -> None:
    """Before the first collection: leave out what exists by now, and collect in short steps from now on."""
    if phase == "start" and gc.get_threshold()[0] == START:
        gc.set_threshold(STEADY, 10, 10)
        if not gc.get_freeze_count():
            gc.freeze()
