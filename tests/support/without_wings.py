"""The core's fast tests with wings removed: `python -m tests.support.without_wings [WING…]`, by default all of them.

A test file that names a removed wing tests more than the core, and is left out.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.contracts.test_wings import OUTSIDE, WINGS, copy_without

ROOT = Path(__file__).parents[2]
ROOMS = ("agents", "check", "core", "datasets", "decide", "files", "improve", "lint", "metrics", "model", "models",
         "recording", "run", "schema", "show", "stats", "store", "tools")  # fmt: skip


def main() -> None:
    wings = sys.argv[1:] or [*WINGS, *OUTSIDE]
    files = [path for room in ROOMS for path in (ROOT / "tests" / room).rglob("test_*.py")]
    tests = sorted(path for path in files if not uses(path, wings))
    with tempfile.TemporaryDirectory() as folder:
        package = copy_without(wings, Path(folder))
        options = ["-q", "-n", "2", "-m", "not nightly and not ray and not stories", "-p", "no:cacheprovider"]
        words = [sys.executable, "-m", "pytest", *options, *map(str, tests)]
        done = subprocess.run(words, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(package)}, check=False)
    print(f"{len(tests)} of {len(files)} test files, without {', '.join(wings)}")
    raise SystemExit(done.returncode)


def uses(path: Path, wings: list[str]) -> bool:
    """Whether a test file, or the setup of its folder, names one of the wings or their commands."""
    names = "|".join(re.escape(wing.removesuffix(".py")) for wing in wings)
    named = re.compile(rf"wings[./]({names})\b|rightcall[./](deepeval|laminar)\b|\"({names}|mcp)\"")
    texts = [path.read_text("utf-8"), *(file.read_text("utf-8") for file in path.parent.glob("conftest.py"))]
    return any(named.search(text) for text in texts)


if __name__ == "__main__":
    main()
