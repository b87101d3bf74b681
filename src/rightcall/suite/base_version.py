"""The version that a change started from, run again during the check: did the provider change too?

The files of a commit are unpacked into a temporary folder and run by another process, so that modules of the two
versions never mix.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from rightcall.errors import ConfigError
from rightcall.files import commit_named, repository_root, unpack_commit
from rightcall.model.codec import decode

DECIDED = (0, 1, 3)
"""Exit codes of a run that tried everything: passed, did not pass, inconclusive."""


@dataclass(frozen=True)
class BaseVersion:
    """A suite at a commit: `root` is the folder of the repository, `suite` the path of the suite's file in it."""

    root: Path
    suite: Path
    commit: str

    @classmethod
    def of(cls, file: Path, ref: str) -> BaseVersion:
        """The suite at a branch, tag or commit; `ConfigError` when there is no such commit."""
        whole = file.resolve()
        root, commit = repository_root(whole.parent), commit_named(whole.parent, ref)
        if root is None or not commit:
            raise ConfigError(f"--base-ref {ref}: git knows no such commit here; `git fetch` it first")
        return cls(root, whole.relative_to(root.resolve()), commit)

    async def passes(self, goldens: Sequence[str]) -> dict[str, float]:
        """One trial of each golden that got an answer: 1.0 passed, 0.0 did not."""
        with tempfile.TemporaryDirectory(prefix="rightcall-base-") as name:
            await asyncio.to_thread(unpack_commit, self.root, self.commit, Path(name))
            said = await self._run(Path(name), goldens)
        cases = (decode(line, _Case, "base version") for line in said.splitlines() if line.strip())
        wanted = set(goldens)
        return {
            case.golden_id: float(case.passed)
            for case in cases
            if case.golden_id in wanted and not case.error
        }

    async def _run(self, folder: Path, goldens: Sequence[str]) -> bytes:
        words = ["run", str(self.suite), "--json", "--trials=1", "--record=none", "--trust"]
        words += [f"--store={folder / '.rightcall-base.db'}", *(f"--only={golden}" for golden in goldens)]
        program = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "rightcall",
            *words,
            cwd=folder,
            env={**os.environ, "GITHUB_ACTIONS": ""},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            said, problems = await program.communicate()
        except BaseException:
            program.kill()
            await program.wait()
            raise
        if program.returncode not in DECIDED:
            told = problems.decode(errors="replace").strip().splitlines()[-1:] or ["it printed nothing"]
            raise ConfigError(f"the base version at {self.commit[:10]} could not be run: {told[0][:300]}")
        return said


class _Case(msgspec.Struct, frozen=True):
    golden_id: str = ""
    passed: bool = False
    error: str = ""
