"""The garbage collector in a command's process.

A command imports some 700 modules, and all of them live until it ends. Python's defaults examine these objects again
and again while they are loaded, and twice more at the end: a quarter of the processor time of a small `rightcall run`.
"""

from __future__ import annotations

import atexit
import gc

START = 150_000
"""Objects created before the first collection: more than a command has once it is loaded."""

STEADY = 10_000
"""Objects between collections of a long command: they pause it for about a millisecond."""


def postpone() -> None:
    """Collect rarely while a command is loaded, and not at all when its process ends."""
    gc.set_threshold(START, 10, 10)
    atexit.unregister(gc.freeze)  # `main` may be called more than once in a process
    atexit.register(gc.freeze)


def settle() -> None:
    """Collect in short steps from now on; what exists already is no longer examined."""
    if not gc.get_freeze_count():
        gc.freeze()
    gc.set_threshold(STEADY, 10, 10)
