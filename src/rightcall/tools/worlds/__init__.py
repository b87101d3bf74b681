"""Simulated environments: stateful tools whose effects can be inspected and compared, and are harmless.

    bank         accounts and transfers
    mailbox      messages read, sent and deleted
    file_tree    files with versions
    accounts     users, their sessions and their data

Pass a world to a toolbox along with other tools: `Toolbox([Bank({"accounts": {…}})])`. Every trial gets its own
world, made from that state; `context.state()` is its state afterwards.

To add a world: a file with one subclass of `World` whose methods are tools.
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.tools.worlds.accounts import Accounts as Accounts
    from rightcall.tools.worlds.bank import Bank as Bank
    from rightcall.tools.worlds.base import World as World, make_world as make_world, worlds as worlds
    from rightcall.tools.worlds.file_tree import FileTree as FileTree
    from rightcall.tools.worlds.mailbox import Mailbox as Mailbox
    from rightcall.tools.worlds.state import state_faults as state_faults
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "accounts": "Accounts",
            "bank": "Bank",
            "base": "World make_world worlds",
            "file_tree": "FileTree",
            "mailbox": "Mailbox",
            "state": "state_faults",
        },
    )
