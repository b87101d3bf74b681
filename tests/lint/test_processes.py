"""Many tools are linted in several processes, and the report is the same."""

from __future__ import annotations

import os
import sys

import pytest

from rightcall.lint import ToolSet, lint, portions
from rightcall.lint.processes import side_by_side
from tests.lint.corpora import mcp_sets

ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")


def a_large_set_and_small_ones() -> list[ToolSet]:
    sets = mcp_sets()
    return [ToolSet("all", tuple(tool for each in sets for tool in each.tools)), *sets]


@pytest.mark.parametrize("processes", [2, 3, 5])
def test_the_report_is_the_same_however_many_processes_made_it(monkeypatch, processes):
    sets = a_large_set_and_small_ones()
    alone = lint(sets)
    monkeypatch.setattr(portions, "WORTH_SHARING", 10)
    assert len(portions.portions(sets, processes)) == processes
    assert lint(sets, processes=processes) == alone


def test_every_tool_is_in_one_portion_and_every_set_is_seen_once(monkeypatch):
    monkeypatch.setattr(portions, "WORTH_SHARING", 10)
    sets = a_large_set_and_small_ones()
    for processes in range(1, 7):
        cut = [portion for share in portions.portions(sets, processes) for portion in share]
        covered = sorted((p.set, tool) for p in cut for tool in range(p.start, p.stop))
        assert covered == [(at, tool) for at, each in enumerate(sets) for tool in range(len(each.tools))]
        assert sorted(p.set for p in cut if p.as_set) == list(range(len(sets)))


@ON_LINUX
def test_what_fails_in_another_process_is_done_here():
    here = os.getpid()

    def work(share: int) -> int:
        if os.getpid() != here and share == 2:
            raise MemoryError
        return share * 10

    assert list(side_by_side(work, [1, 2, 3], int)) == [10, 20, 30]


@ON_LINUX
def test_an_error_here_leaves_no_process_behind(monkeypatch):
    here, fork, children = os.getpid(), os.fork, []
    monkeypatch.setattr(os, "fork", lambda: children.append(fork()) or children[-1])

    def work(share: int) -> int:
        if os.getpid() == here:
            raise KeyboardInterrupt
        os.read(os.pipe()[0], 1)  # for ever
        return share

    with pytest.raises(KeyboardInterrupt):
        list(side_by_side(work, [1, 2, 3], int))
    assert len(children) == 2
    for child in children:
        with pytest.raises(ProcessLookupError):
            os.kill(child, 0)
