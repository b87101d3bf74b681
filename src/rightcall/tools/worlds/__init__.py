"""Fake worlds with a state: tools whose effects can be seen, counted and compared, and hurt nobody.

    bank         accounts and transfers
    mailbox      messages read, sent and deleted
    file_tree    files with versions
    accounts     users, their sessions and their data

Pass a world to a toolbox beside other tools: `Toolbox([Bank({"accounts": {…}})])`. Every trial gets a world
of its own, made from that state; `context.state()` is what became of it.

To add a world: a file with one subclass of `World` whose methods are tools, and a line in `WORLDS`.
"""

from __future__ import annotations

from typing import Any

from rightcall.errors import ConfigError, suggestion
from rightcall.tools.worlds.accounts import Accounts
from rightcall.tools.worlds.bank import Bank
from rightcall.tools.worlds.base import World
from rightcall.tools.worlds.file_tree import FileTree
from rightcall.tools.worlds.mailbox import Mailbox

WORLDS: dict[str, type[World]] = {world.name: world for world in (Bank, Mailbox, FileTree, Accounts)}


def make_world(name: str, state: dict[str, Any] | None = None) -> World:
    """A world by its name, as a suite gives it."""
    if name not in WORLDS:
        hint = suggestion(name, WORLDS) or f"known: {', '.join(WORLDS)}"
        raise ConfigError(f"there is no world '{name}'; {hint}")
    return WORLDS[name](state)


__all__ = ["WORLDS", "Accounts", "Bank", "FileTree", "Mailbox", "World", "make_world"]
