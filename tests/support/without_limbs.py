"""The core's fast tests with limbs removed: `python -m tests.support.without_limbs [WING…]`, by default all of them.

A test file that names a removed limb tests more than the core, and is left out.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.contracts.test_limbs import LIMBS, OUTSIDE, copy_without

ROOT = Path(__file__).parents[2]
ROOMS = ("agents", "check", "core", "datasets", "decide", "files", "improve", "lint", "metrics", "model", "models",
         "recording", "run", "schema", "show", "stats", "store", "tools")  # fmt: skip


def main() -> None:
    limbs = sys.argv[1:] or [*LIMBS, *OUTSIDE]
    files = [path for room in ROOMS for path in (ROOT / "tests" / room).rglob("test_*.py")]
    tests = sorted(path for path in files if not uses(path, limbs))
    with tempfile.TemporaryDirectory() as folder:
        package = copy_without(limbs, Path(folder))
        options = ["-q", "-n", "2", "-m", "not nightly and not ray and not stories", "-p", "no:cacheprovider"]
        words = [sys.executable, "-m", "pytest", *options, *map(str, tests)]
        done = subprocess.run(words, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(package)}, check=False)
    print(f"{len(tests)} of {len(files)} test files, without {', '.join(limbs)}")
    raise SystemExit(done.returncode)


def uses(path: Path, limbs: list[str]) -> bool:
    """Whether a test file, or the setup of its folder, names one of the limbs or their commands."""
    names = "|".join(re.escape(limb.removesuffix(".py")) for limb in limbs)
    named = re.compile(rf"limbs[./]({names})\b|rightcall[./](deepeval|laminar)\b|\"({names}|mcp)\"")
    texts = [path.read_text("utf-8"), *(file.read_text("utf-8") for file in path.parent.glob("conftest.py"))]
    return any(named.search(text) for text in texts)


if __name__ == "__main__":
    main()
