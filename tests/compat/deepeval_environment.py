"""The environment that has DeepEval: some sixty packages, made once and shared by every test that needs them.

python -m tests.compat.deepeval_environment      make it, and say where

`DEEPEVAL_ENVIRONMENT` names one that already exists, so that several checkouts need not each make their own.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).parent
PACKAGES = ("deepeval==4.3.1", "pandas")
ENVIRONMENT = Path(os.environ.get("DEEPEVAL_ENVIRONMENT") or HERE.parents[1] / ".deepeval-4.3.1")


def interpreter() -> str:
    """The Python of the environment, made on first use; processes that start at once wait for the first."""
    python = ENVIRONMENT / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    ready = ENVIRONMENT / "ready"
    with Path(f"{ENVIRONMENT}.lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not ready.exists():
            venv.create(ENVIRONMENT, with_pip=True, clear=True)
            subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], check=True, capture_output=True)
            ready.touch()
    return str(python)


def run_with_deepeval(script: Path, *arguments: str, folder: Path) -> str:
    """What a script prints in the environment that has DeepEval, which sends nothing anywhere."""
    quiet = {
        "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
        "DEEPEVAL_DISABLE_DOTENV": "1",
        "CONFIDENT_TRACE_FLUSH": "NO",
    }
    done = subprocess.run(
        [interpreter(), str(script), *arguments],
        capture_output=True, text=True, check=False, cwd=folder, env={**os.environ, **quiet},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


if __name__ == "__main__":
    print(f"DeepEval: {interpreter()}")
