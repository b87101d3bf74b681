"""The fast tests on each supported Python that is installed: `python -m tests.support.pythons [VERSION…]`.

Not a test: it needs a package index. `make test-pythons` calls it. Each version has an environment in .venv-pythons.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = (
    "core",
    "records",
    "files",
    "schema",
    "stats",
    "lint",
    "datasets",
    "metrics",
    "decide",
    "tools",
    "store",
)
"""Folders of tests: what everything else stands on, without browsers and clusters."""


def supported() -> list[str]:
    """Versions that the package declares."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    found = (
        re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", line) for line in project["classifiers"]
    )
    return [match.group(1) for match in found if match]


def interpreter(version: str) -> Path | None:
    """`pythonVERSION` on PATH or among pyenv's versions, or this one; None if it is not installed."""
    if version == f"{sys.version_info.major}.{sys.version_info.minor}":
        return Path(sys.executable)
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    on_path = shutil.which(f"python{version}")
    installed = [*([Path(on_path)] if on_path else []), *pyenv.glob(f"{version}.*/bin/python{version}")]
    return next((python for python in installed if _starts(python)), None)


def _starts(python: Path) -> bool:
    """Whether it is an interpreter, and not pyenv's stand-in for one that is not chosen."""
    return subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0


def passes(version: str, python: Path) -> bool:
    """Whether the package compiles and its fast tests pass on this Python."""
    folder = ROOT / ".venv-pythons" / version
    own = folder / "bin" / "python"
    tests = [f"tests/{room}" for room in ROOMS]
    for command in (
        [python, "-m", "venv", folder],
        [own, "-m", "pip", "install", "--quiet", "--editable", ".[dev]"],
        [own, "-m", "compileall", "-q", "-f", "src"],
        [
            own,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            "-m",
            "not ray and not nightly and not stories",
            *tests,
        ],
    ):
        if subprocess.run(command, cwd=ROOT, check=False).returncode != 0:
            return False
    return True


def main() -> int:
    """Try every version, or those named; 1 if one fails, also if none is installed."""
    outcomes = {}
    for version in sys.argv[1:] or supported():
        python = interpreter(version)
        outcomes[version] = (
            "not installed" if python is None else "passes" if passes(version, python) else "FAILS"
        )
    for version, outcome in outcomes.items():
        print(f"Python {version}: {outcome}")
    return int("FAILS" in outcomes.values() or "passes" not in outcomes.values())


if __name__ == "__main__":
    sys.exit(main())
