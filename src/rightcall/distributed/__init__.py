"""One run on many processes and machines.

    lease     who has which cells, how many, and what becomes of those of a lost worker; no I/O
    message   what driver and workers say to each other
    worker    the body of a worker: a session, a pool, batches of results (`outbox`)
    driver    a backend of `suite` that hands out, takes in, and replaces the dead; speaks to an `Engine`
    ray       an engine on Ray; the only file that imports it

Another engine is another class with the five methods of `Engine`.
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.distributed.driver import (
        Driver as Driver,
        Engine as Engine,
        WorkerLost as WorkerLost,
        WorkerOptions as WorkerOptions,
    )
    from rightcall.distributed.lease import Lease as Lease, Ledger as Ledger
    from rightcall.distributed.message import WorkerSetup as WorkerSetup
    from rightcall.distributed.worker import Worker as Worker
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "driver": "Driver Engine WorkerLost WorkerOptions",
            "lease": "Lease Ledger",
            "message": "WorkerSetup",
            "worker": "Worker",
        },
    )
