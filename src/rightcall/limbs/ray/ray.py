"""A connection to Ray, and which files of a suite travel to a cluster: the only file that imports it.

Secrets never go into `runtime_env`, which Ray writes to its logs; workers find them in their own environment.
"""

from __future__ import annotations

import atexit
import logging
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from rightcall.core.errors import ConfigError, InfrastructureError, MissingExtraError
from rightcall.core.operating_system import system_name
from rightcall.core.own_output import OWN

OBJECT_STORE_BYTES = 200 * 2**20
"""Batches are small and dropped at once; Ray would take 30 % of the memory."""

JOB_VARIABLE = "RAY_JOB_CONFIG_JSON_ENV_VAR"
"""Set by `ray job submit` and KubeRay: the job has a runtime environment already."""


@dataclass(frozen=True)
class RayOptions:
    """Where workers run, and what each of them needs. No `address`: a cluster that is started here and ended again."""

    address: str = ""
    workers: int | None = None
    cpus: float = 1.0
    gpus: float = 0.0
    memory: int | None = None
    folder: Path = Path()
    dataset: Path | None = None


def connect(options: RayOptions) -> bool:
    """Connect, or start a cluster; False when this process is connected already, and whoever did that ends it."""
    if not options.address:
        _secure()
    ray = import_ray()
    if ray.is_initialized():  # a program that uses Ray itself: one process has one connection
        return False
    started = _join_settings(options) if options.address else _start_settings(options)
    _quieten()
    try:
        ray.init(**started, log_to_driver=False, logging_level=logging.ERROR, namespace=secrets.token_hex(8))
    except Exception as error:  # Ray raises whatever there is, also `Exception` itself
        with suppress(Exception):
            ray.shutdown()  # what it had started by then
        raise _not_connected(options.address, error) from error
    return True


def disconnect(*, head_lost: bool = False) -> None:
    """End a connection, and the cluster if it was started here."""
    if head_lost:  # a shutdown would ask the head, which does not answer
        _end_processes()
        atexit.register(_leave)  # Ray crashes or hangs in what Python does after this
        return
    import_ray().shutdown()


def import_ray() -> Any:
    """The `ray` package, or an error that says how to install it."""
    # Ray sends usage statistics unless this is set before it is imported.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError as error:
        if error.name != "ray":  # it is installed, but one of its dependencies is missing
            raise ConfigError(f"Ray is installed but cannot be imported: {error}") from error
        if system_name() not in ("linux", "darwin", "win32") or sys.maxsize < 2**32:
            raise ConfigError(f"Ray has no package for {system_name()}; run without --workers") from None
        raise MissingExtraError("--on ray", "ray", "ray") from None
    return ray


def read_place(text: str) -> str:
    """The address in `ray[:ADDRESS]`; empty for a cluster that is started here."""
    if text.startswith(("ray://", "ray:ray://")):
        raise ConfigError(
            "--on ray://… is Ray Client, which is not suited to long runs; run the command on the cluster with "
            "`ray job submit`, and --on ray:auto"
        )
    kind, _, address = text.partition(":")
    if kind != "ray":
        raise ConfigError(f"--on: unknown place '{text}'; use ray, ray:auto or ray:HOST:PORT")
    return address


def _start_settings(options: RayOptions) -> dict[str, Any]:
    """A cluster of this machine alone, for the length of the run; never the one RAY_ADDRESS names."""
    # Ray starts workers with a niceness of 15; here they are what the user waits for.
    os.environ.setdefault("RAY_worker_niceness", "0")
    cpus = os.cpu_count() or 1
    if options.workers is not None:
        cpus = max(cpus, int(-(-options.workers * options.cpus // 1)))
    return {
        "address": "local",
        "num_cpus": cpus,
        "include_dashboard": False,
        "object_store_memory": OBJECT_STORE_BYTES,
    }


def _secure() -> None:
    """A token for a cluster started here, kept out of the home folder. Ray reads it when it is imported."""
    if "ray" not in sys.modules and "RAY_AUTH_MODE" not in os.environ:
        os.environ["RAY_AUTH_MODE"] = "token"
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))


def _join_settings(options: RayOptions) -> dict[str, Any]:
    if JOB_VARIABLE in os.environ:
        return {"address": options.address}
    return {"address": options.address, "runtime_env": shipment(options.folder, options.dataset)}


def _quieten() -> None:
    """Ray prints deaths of workers to stdout, where the lines of --json go; the driver reports them itself."""
    logging.getLogger("ray").setLevel(logging.ERROR)
    worker = sys.modules.get("ray._private.worker")
    if hasattr(worker, "print_to_stdstream"):
        worker.print_to_stdstream = lambda *lines, **options: None  # type: ignore[union-attr]


def _end_processes() -> None:
    """End what is left of a cluster that was started here and lost its head."""
    node = getattr(sys.modules.get("ray._private.worker"), "_global_node", None)
    if node is not None:
        with suppress(Exception):
            node.kill_all_processes(check_alive=False, allow_graceful=False)


def _leave() -> None:
    OWN.stdout.flush()
    sys.stderr.flush()
    os._exit(InfrastructureError.exit_code)


def _not_connected(address: str, error: Exception) -> ConfigError | InfrastructureError:
    text = " ".join(str(error).split())
    if "ersion mismatch" in text:
        return ConfigError(f"this machine and the Ray cluster differ: {text}")
    if "Could not find any running Ray instance" in text:
        return InfrastructureError(
            "this machine is not part of a Ray cluster: join one with `ray start`, pass its address with "
            "--on ray:HOST:PORT, or let --on ray start one for this run"
        )
    if not address:
        return InfrastructureError(f"cannot start a Ray cluster on this machine: {text}")
    return InfrastructureError(
        f"cannot reach the Ray cluster at '{address}': {text}; check the address with `ray status`, and set "
        "RAY_AUTH_MODE=token and RAY_AUTH_TOKEN if the cluster has a token"
    )


LEFT_OUT = (
    ".env*", ".git", ".rightcall", ".venv", "venv", "__pycache__", "node_modules", ".pytest_cache", ".mypy_cache",
    "*.gguf", "*.db", "*.db-wal", "*.db-shm", "*.sqlite",
)  # fmt: skip
"""Secrets, stores, models and what can be made again. Matched against every part of a path."""

MOST_BYTES = 200 * 2**20
"""Ray refuses 512 MiB; long before that every new node waits for it."""


def shipment(folder: Path, dataset: Path | None = None) -> dict[str, Any]:
    """Ray's runtime environment for a suite: its folder without secrets, stores, models and the dataset.

    Goldens are sent in leases, and no environment variables are sent.
    """
    folder = folder.resolve()
    left_out = [*LEFT_OUT, *([_within(folder, dataset)] if dataset else [])]
    sizes = dict(_sizes(folder, left_out))
    if sum(sizes.values()) > MOST_BYTES:
        largest = sorted(sizes.items(), key=lambda item: -item[1])[:3]
        shown = ", ".join(f"{name} ({size / 2**20:,.0f} MB)" for name, size in largest)
        raise ConfigError(
            f"{folder} is sent to every node and contains {sum(sizes.values()) / 2**20:,.0f} MB, more than "
            f"{MOST_BYTES // 2**20} MB; the largest files are {shown}: move them out, or build them into the image"
        )
    return {"working_dir": str(folder), "excludes": [name for name in left_out if name]}


def _within(folder: Path, dataset: Path) -> str:
    """The dataset as a pattern from the folder's root; empty when it lies elsewhere."""
    path = dataset.resolve()
    return f"/{path.relative_to(folder).as_posix()}" if path.is_relative_to(folder) else ""


def _sizes(folder: Path, left_out: list[str]) -> Iterator[tuple[str, int]]:
    for place, folders, files in os.walk(folder):
        here = Path(place)
        folders[:] = [name for name in folders if not _matches(name, left_out)]
        for name in files:
            path = here / name
            inside = path.relative_to(folder).as_posix()
            if not _matches(name, left_out) and f"/{inside}" not in left_out and path.is_file():
                yield inside, path.stat().st_size


def _matches(name: str, left_out: list[str]) -> bool:
    return any(fnmatch(name, pattern) for pattern in left_out)
