"""Packages, megabytes and CPU time of `--help` for RightCall, DeepEval and Inspect.

python -m benchmarks peers [--folder FOLDER]

Installs the newest release of each into a separate environment in FOLDER, once; needs a package index. promptfoo is a
program for Node and is not measured.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
PEERS = {
    "rightcall": (str(ROOT), "rightcall", "rightcall"),
    "deepeval": ("deepeval", "deepeval", "deepeval"),
    "inspect": ("inspect-ai", "inspect", "inspect_ai"),
}
"""What pip installs, the command, and the module."""
TIMES = 5
QUIET = {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "PYTHONDONTWRITEBYTECODE": ""}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "rightcall-peers")
    folder = parser.parse_args().folder
    print(
        f"{'':<12}{'packages':>9}{'MB':>8}{'--help':>10}{'import':>10}   (seconds of CPU time, median of {TIMES})"
    )
    for name, (source, command, module) in PEERS.items():
        home = environment(folder / name, source)
        python = str(home / "bin" / "python")
        started = cpu_seconds([str(home / "bin" / command), "--help"])
        imported = cpu_seconds([python, "-c", f"import {module}"])
        count, size = installed(home)
        print(f"{name:<12}{count:>9}{size / 1e6:>8.0f}{started:>11.2f}{imported:>11.2f}", flush=True)


def environment(home: Path, source: str) -> Path:
    """An environment with a package and what it needs, and nothing else."""
    if not (home / "ready").exists():
        venv.create(home, with_pip=True, clear=True)
        subprocess.run([str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", source], check=True)
        (home / "ready").touch()
    return home


def installed(home: Path) -> tuple[int, int]:
    """How many distributions there are besides pip and setuptools, and how many bytes they take without bytecode."""
    packages = next(home.glob("lib/python*/site-packages"))
    given = ("pip-", "setuptools-")
    count = sum(not path.name.startswith(given) for path in packages.glob("*.dist-info"))
    ours = [path for path in packages.iterdir() if path.name.partition("-")[0] not in ("pip", "setuptools")]
    files = [file for top in ours for file in ([top] if top.is_file() else top.rglob("*"))]
    return count, sum(file.stat().st_size for file in files if file.is_file() and file.suffix != ".pyc")


def cpu_seconds(command: list[str]) -> float:
    """The median CPU time of a command, after one run that writes bytecode."""
    return statistics.median([_once(command) for _ in range(TIMES + 1)][1:])


def _once(command: list[str]) -> float:
    before = os.times()
    subprocess.run(command, check=True, capture_output=True, env=os.environ | QUIET)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


if __name__ == "__main__":
    main()
