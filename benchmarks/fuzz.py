"""Hostile files and replies, mutated from valid ones: no traceback, nothing over 10 s or a gigabyte.

    python -m benchmarks fuzz [--minutes 5] [--inputs 20000] [--seed 0] [--only goldens,tools]

Every input goes through the command a user would type, or the reader a model's reply goes through. What fails is kept
beside its command in the folder that is printed; `--seed` and the number of the input make it again.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.fuzz_inputs import SEEDS, document

SLOW = 10
"""Seconds of a processor that an input may take."""
HANGS = 120
"""Seconds after which a command that still runs is ended."""
LARGE = 1 << 30


@dataclass
class Tally:
    """The results of the inputs of one kind."""

    inputs: int = 0
    refused: int = 0
    slowest: float = 0.0
    failures: list[str] = field(default_factory=list)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--minutes", type=float, default=60.0)
    options.add_argument("--inputs", type=int, default=20_000)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--only", default="")
    given = options.parse_args()
    kinds = [kind for kind in SEEDS if not given.only or kind in given.only.split(",")]
    tallies = fuzz(kinds, given.inputs, minutes=given.minutes, seed=given.seed, first=given.first)
    for kind, tally in tallies.items():
        print(
            f"{kind:<14} {tally.inputs:>7,} inputs, {tally.refused:>7,} refused, slowest {tally.slowest:6.2f} s, "
            f"{len(tally.failures)} failures"
        )
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MiB")
    failures = [failure for tally in tallies.values() for failure in tally.failures]
    for failure in failures[:20]:
        print(f"\n{failure}")
    sys.exit(1 if failures else 0)


def fuzz(
    kinds: list[str], inputs: int, *, minutes: float = 60.0, seed: int = 0, first: int = 0
) -> dict[str, Tally]:
    """Run the given number of inputs, one kind after the other, until the time limit."""
    tallies = {kind: Tally() for kind in kinds}
    until = time.monotonic() + minutes * 60
    kept = Path(tempfile.mkdtemp(prefix="rightcall-fuzz-failed-"))
    with _work_folder():
        for number in range(first, first + inputs):
            if time.monotonic() > until:
                break
            kind = kinds[number % len(kinds)]
            _one(kind, number, seed, tallies[kind], kept)
    if not any(kept.iterdir()):
        kept.rmdir()
    return tallies


def _one(kind: str, number: int, seed: int, tally: Tally, kept: Path) -> None:
    draw = random.Random(f"{seed}/{kind}/{number}")
    name, data = document(kind, draw)
    Path(name).write_bytes(data)
    gc.enable()  # `score` turns it off, for a process that ends
    if number % 50 == 0:
        gc.collect()
    before = _resident()
    peak = _peak()
    started = time.process_time()  # other programs of a busy machine take none of it
    said = io.StringIO()
    code = 0
    command, door = DOORS[kind](name, draw)
    try:
        with _alarm(), contextlib.redirect_stdout(_Null()), contextlib.redirect_stderr(said):
            code = door()
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        trace = "".join(traceback.format_exception(error)[-4:])
        _keep(kind, number, command, name, kept, tally, trace)
    taken = time.process_time() - started
    if taken > SLOW:
        _keep(kind, number, command, name, kept, tally, f"took {taken:.1f} s")
    if _resident() - before > LARGE or _peak() - max(before, peak) > LARGE:
        _keep(kind, number, command, name, kept, tally, "took more than 1 GB")
    tally.inputs += 1
    tally.refused += code == 2
    tally.slowest = max(tally.slowest, taken)
    shutil.rmtree("out", ignore_errors=True)
    Path("out").mkdir()


def _resident() -> int:
    """Bytes this process has in memory now; where the system does not tell, the most it ever had."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1]) * resource.getpagesize()
    except OSError:
        return _peak()


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _keep(kind: str, number: int, command: str, name: str, kept: Path, tally: Tally, why: str) -> None:
    copy = kept / f"{kind}-{number}-{name}"
    shutil.copy(name, copy)
    tally.failures.append(f"{kind} {number}: rightcall {command}\n{why}\ninput: {copy}")


@contextlib.contextmanager
def _work_folder() -> Iterator[None]:
    """A folder with valid files next to the invalid one."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="rightcall-fuzz-") as folder:
        os.chdir(folder)
        Path("out").mkdir()
        for kind in SEEDS:
            Path(f"good-{SEEDS[kind].name}").write_bytes(SEEDS[kind].data)
        try:
            yield
        finally:
            os.chdir(before)


@contextlib.contextmanager
def _alarm() -> Iterator[None]:
    """An exception in whatever Python code still runs after a while."""

    def ring(*_: object) -> None:
        raise TimeoutError(f"still running after {HANGS} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(HANGS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


class _Null(io.StringIO):
    """A stdout that forgets, with the buffer that JSON is written to."""

    def __init__(self) -> None:
        super().__init__()
        self.buffer = io.BytesIO()

    def write(self, text: str) -> int:
        text.encode("utf-8", "replace")
        return len(text)


def _typed(*words: str) -> tuple[str, Callable[[], int]]:
    """A command as typed, run in this process; a RightCallError is a refusal, any other exception a failure."""
    from rightcall.cli.main import cli
    from rightcall.core.errors import RightCallError

    def door() -> int:
        import click

        try:
            cli.main(list(words), prog_name="rightcall", standalone_mode=False)
        except RightCallError as error:
            str(error).encode("utf-8", "replace")
            return error.exit_code
        except (click.ClickException, click.exceptions.Exit) as error:
            return error.exit_code
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else 0
        return 0

    return " ".join(words), door


def _goldens(name: str, draw: random.Random) -> Any:
    return draw.choice(
        [
            lambda: _typed("dataset", "check", name, "--tools", "good-tools.json"),
            lambda: _typed("dataset", "check", name, "--quality", "--json"),
            lambda: _typed("dataset", "convert", name, "-o", f"out/o.{draw.choice(['yaml', 'csv', 'json'])}"),
            lambda: _typed("dataset", "convert", name, "-o", "out/o.csv", "--to", "deepeval"),
            lambda: _typed(
                "score", name, "good-t.trajectories.jsonl", "--partial", "--tools", "good-tools.json"
            ),
        ]
    )()


def _trajectories(name: str, draw: random.Random) -> Any:
    more = draw.choice([("--json",), ("--tools", "good-tools.json"), ("--metric", "redundant_calls")])
    return _typed("score", "good-goldens.jsonl", name, "--partial", *more)


def _tools(name: str, draw: random.Random) -> Any:
    target = draw.choice(["openai-strict", "anthropic-strict", "gemini", "mcp", "bedrock"])
    return draw.choice(
        [
            lambda: _typed("lint", name, "--suggest"),
            lambda: _typed("lint", name, "--format", draw.choice(["json", "sarif", "github"])),
            lambda: _typed("tools", "list", name),
            lambda: _typed("tools", "convert", name, "--to", target),
            lambda: _typed("mcp", "call", name, "get_weather", "--arg", "city=Hanoi"),
            lambda: _typed("score", "good-goldens.jsonl", "good-t.trajectories.jsonl", "--tools", name),
        ]
    )()


def _suite(name: str, draw: random.Random) -> Any:
    return _typed("run", name, "--dry-run", *draw.choice([(), ("--json",)]))


def _ran(*more: str) -> Any:
    return _typed("run", "good-suite.yaml", "--store", "out/s.db", *more)


def _reply(name: str, draw: random.Random) -> Any:
    """A reply of each wire format, read, recorded and scored as a run does it."""
    from rightcall.agents.agent_loop import Recorder
    from rightcall.core.errors import ProviderError
    from rightcall.metrics.case_result import result_of
    from rightcall.providers.anthropic import AnthropicProvider
    from rightcall.providers.openai import OpenAIProvider, OpenAIResponsesProvider
    from rightcall.records.expected_call import ExpectedCall
    from rightcall.records.golden import Golden
    from rightcall.store.sql.record_bytes import encode_record
    from rightcall.tools.definitions.source import load_tools

    provider = draw.choice([AnthropicProvider, OpenAIProvider, OpenAIResponsesProvider])
    golden = Golden(
        "q", id="g", expected_calls=(ExpectedCall("get_weather", {"city": {"text": "Hanoi"}, "days": 3}),)
    )

    def door() -> int:
        try:
            reply = provider("m")._decode_reply(Path(name).read_bytes(), 0)
        except ProviderError:
            return 2
        recorder = Recorder()
        recorder.reply(reply)
        tools = {tool.name: tool for tool in load_tools("good-tools.json")}
        encode_record(result_of(golden, 0, recorder.trajectory(), tools))
        return 0

    return f"(a reply of {provider.prefix})", door


DOORS: dict[str, Callable[[str, random.Random], Any]] = {
    "goldens": _goldens,
    "trajectories": _trajectories,
    "tools": _tools,
    "suites": _suite,
    "scripts": lambda name, draw: _ran("--model", f"scripted:{name}"),
    "faults": lambda name, draw: _ran("--faults", name),
    "gates": lambda name, draw: _typed("run", name, "--store", "out/s.db"),
    "lockfiles": lambda name, draw: _typed("lint", "good-tools.json", "--lock", name),
    "baselines": lambda name, draw: _typed("lint", "good-tools.json", "--baseline", name),
    "replies": _reply,
}


if __name__ == "__main__":
    main()
