"""Processes that a server started and left behind: found by a mark in their environment, and terminated."""

from __future__ import annotations

from rightcall.core.operating_system import kill_process, processes_with_variable

MARK = "RIGHTCALL_SERVER"


def end_leftovers(mark: str) -> list[int]:
    """Terminate every process that carries the mark; returns their ids.

    A server that ends by itself does not always take its children along, and a child may have left its
    process group. The mark is inherited all the same. Where there is no /proc, nothing is found.
    """
    leftovers = processes_with_variable(MARK, mark)
    for process in leftovers:
        kill_process(process)
    return leftovers
