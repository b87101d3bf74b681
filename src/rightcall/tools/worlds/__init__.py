"""Simulated environments: stateful tools whose effects can be inspected and compared, and are harmless.

    bank         accounts and transfers
    mailbox      messages read, sent and deleted

Pass a world to a toolbox along with other tools: `Toolbox([Bank({"accounts": {…}})])`. Every trial gets its own
world, made from that state; `context.state()` is its state afterwards.

To add a world: a file with one subclass of `World` whose methods are tools.

    base  the base class of worlds: plain data as state, and methods that are tools
"""
