"""Connections and programs that a trial must not start while its first request is captured.

Requests through HTTP libraries are refused by their hooks. What an agent does without them (a database, a socket, a
program) is seen by an audit hook, which Python never removes; it does nothing outside a captured trial. Files are
not guarded: importing a module writes some, and a trial that is run writes the same ones.
"""

from __future__ import annotations

import sys
from typing import Any

from rightcall.files.opened_files import PROGRAMS, StartedProgram
from rightcall.recording.first_requests.trial import TRIAL

ACTIONS = {
    "socket.connect": "it connects to a service",
    "socket.sendto": "it sends to a service",
    "subprocess.Popen": "it starts a program",
    "os.system": "it starts a program",
    "os.exec": "it starts a program",
    "os.posix_spawn": "it starts a program",
    "os.spawn": "it starts a program",
    "os.fork": "it starts a program",
    "os.forkpty": "it starts a program",
}


def guard_actions() -> None:
    """Install the audit hook, for the rest of the process."""
    sys.addaudithook(_audit)


def _audit(event: str, args: tuple[Any, ...]) -> None:
    if event in ACTIONS:
        trial = TRIAL.get()
        if trial is None or not trial.capturing:
            return
        if event not in PROGRAMS or not StartedProgram.of(event, args).about_the_machine:
            trial.other_action(ACTIONS[event])
