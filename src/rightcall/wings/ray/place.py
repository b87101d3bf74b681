"""Where a run takes place: an engine and its options, from a suite and the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Self

from rightcall.core.errors import ConfigError
from rightcall.core.event_loop import run_blocking
from rightcall.core.operating_system import physical_memory
from rightcall.decide.verdict import Verdict
from rightcall.metrics.score_case import Scorer
from rightcall.model.run import Summary
from rightcall.models.weights import model_path
from rightcall.run.plan import Plan
from rightcall.run.rescorer import RescoreShard, RescoreTask, rescore_run
from rightcall.run.suite import WorkersConfig
from rightcall.store.sql.store import Store
from rightcall.wings.ray.driver import Driver
from rightcall.wings.ray.engine import WorkerOptions
from rightcall.wings.ray.ray import RayOptions, read_place
from rightcall.wings.ray.ray_engine import RayEngine

UNITS = {"": 1, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40,
         "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}  # fmt: skip


class Workers:
    """Workers for the runs of a command: `backend` makes one for each, `close` ends what was started for them."""

    def __init__(self, config: WorkersConfig, *, folder: Path, dataset: Path | None) -> None:
        self._config = config
        self._folder = folder.resolve()
        self._engine = RayEngine(
            RayOptions(
                read_place(config.on),
                config.count,
                config.cpus,
                config.gpus,
                read_bytes(config.memory) if config.memory else None,
                dict(config.labels),
                self._folder,
                dataset,
            )
        )

    def backend(self, plan: Plan, store: Store, tell: Callable[[str], None]) -> Driver:
        """The backend of one run; raises when the plan cannot be run on workers."""
        if problems := list(unfit(plan, store, self._config)):
            raise ConfigError(*problems)
        options = WorkerOptions(
            writes=self._config.writer == "workers",
            paths=(str(self._folder), str(Path.cwd())),
            folder=str(Path.cwd()) if self._engine.local else "",
        )
        return Driver(self._engine, options, tell)

    def rescore(
        self,
        store: Store,
        run: str,
        scorer: Scorer,
        *,
        done: Callable[[int, int], None] = lambda count, of: None,
        tell: Callable[[str], None] = lambda line: None,
    ) -> tuple[str, Summary, Verdict]:
        """Score a stored run again, a task for some thousand results at a time."""
        if store.file is not None and not self._engine.local:
            raise ConfigError("nodes of a cluster cannot write to a file here; rescore on a PostgreSQL store")
        run_id = store.runs.get(run).id  # before seconds are spent on starting Ray
        self._open(tell)

        def spread(task: RescoreTask, shards: Sequence[RescoreShard]) -> Iterator[None]:
            for count, _ in enumerate(self._engine.map(task, shards), 1):
                done(count, len(shards))
                yield

        return run_blocking(rescore_run(store, run_id, scorer, spread=spread))

    def _open(self, tell: Callable[[str], None]) -> None:
        if news := self._engine.opening():
            tell(news)
        run_blocking(self._engine.open())

    def close(self) -> None:
        self._engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def unfit(plan: Plan, store: Store, config: WorkersConfig) -> Iterator[str]:
    """Why a plan cannot be run on workers; nothing when it can."""
    agent = plan.agent
    if agent.recordings is not None:
        yield "recording writes one file, which workers cannot share; run without workers to record"
    if config.writer == "workers" and store.file is not None:
        yield "workers.writer: workers requires a PostgreSQL store; a file has one writer (writer: driver)"
    if agent.runs_tools and store.file is not None:
        yield (
            "tools that run for real (agent.execute: real, or a mock with real: true) require a PostgreSQL store with "
            "workers: keys that keep an effect from happening twice must be seen by every worker"
        )
    yield from _too_large(agent.model, config.count)


def _too_large(model: object, workers: int | None) -> list[str]:
    """The problem if this machine lacks memory for one copy of a local model per worker."""
    if not isinstance(model, str) or not model.startswith("local:") or workers is None:
        return []
    name = model.removeprefix("local:")
    path = Path(name) if name.endswith(".gguf") else model_path(name)
    memory = physical_memory()
    needed = workers * path.stat().st_size if path.is_file() else 0
    if memory is None or needed <= memory:
        return []
    return [
        f"{model} is loaded once in each of {workers} workers, {needed / 2**30:,.0f} GB in all, and this machine has "
        f"{memory / 2**30:,.0f} GB; use fewer workers, or one server behind base_url"
    ]


def read_bytes(text: str) -> int:
    """`2GiB` as bytes."""
    digits = text.strip().rstrip("".join(set("".join(UNITS)))).strip()
    unit = text.strip()[len(digits) :].strip()
    try:
        return round(float(digits) * UNITS[unit])
    except (ValueError, KeyError):
        raise ConfigError(
            f"workers.memory: '{text}' is not an amount of memory; write 2GiB or 500MB"
        ) from None
