"""What a worker is given before its first lease, and how it travels."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rightcall.core.errors import ConfigError
from rightcall.run.backend import RunWork
from rightcall.run.plan import Plan
from rightcall.wings.ray.engine import WorkerOptions
from rightcall.wings.ray.message import Pack


@dataclass(frozen=True)
class WorkerSetup:
    """All that a worker needs before its first lease. The dataset stays with the driver."""

    plan: Plan
    run_id: str
    models: tuple[str, ...] = ()
    store: str = ""
    epoch: int = 0
    writes: bool = False


def pack_setup(work: RunWork, options: WorkerOptions, pack: Pack) -> bytes:
    """The setup, packed inside the places where its modules are: those must be known before it is unpacked."""
    light = replace(work.plan, dataset=(), in_memory=None, quarantine=frozenset())
    setup = WorkerSetup(light, work.run_id, tuple(work.models), work.store, work.epoch, writes=options.writes)
    try:
        inner = pack(setup)
    except Exception as error:  # whatever a foreign object raises when it is pickled
        raise ConfigError(
            f"the agent cannot be sent to workers ({type(error).__name__}: {error}); an open client or connection "
            "cannot be sent: name a function that creates it, module:function"
        ) from None
    return pack((options.paths, options.folder, inner))


def unpack_in_place(data: bytes, settle_in: Callable[[Sequence[str], str], None]) -> Any:
    """Unpack a value that was packed with the paths of its modules, which must be known first."""
    paths, folder, inner = pickle.loads(data)  # noqa: S301
    settle_in(paths, folder)
    return pickle.loads(inner)  # noqa: S301
