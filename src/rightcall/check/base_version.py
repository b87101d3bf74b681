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
from functools import lru_cache
from pathlib import Path

import msgspec

from rightcall.core.codec import decode
from rightcall.core.digest import hex_digest
from rightcall.core.errors import ConfigError, RightCallError
from rightcall.files.revision import commit_named, repository_root, unpack_commit
from rightcall.models.shelves import is_provider
from rightcall.run.suite import load_suite
from rightcall.run.suite_actions import Action, actions
from rightcall.run.trust import require_approval

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
            raise ConfigError(
                f"--base-ref {ref}: git knows no such commit here; `git fetch` it first "
                "(in CI, clone the whole history: fetch-depth: 0 on GitHub, GIT_DEPTH: 0 on GitLab)"
            )
        return cls(root, whole.relative_to(root.resolve()), commit)

    def require_trust(self, *, trust: bool = False) -> None:
        """Raise `ConfigError` with what the suite of the commit would start, unless that commit is trusted.

        Trust in the working version does not cover it: a commit can contain anything, and nobody has it open.
        """
        actions = base_actions(self)
        commit = self.commit[:10]
        opening = (
            f"--base-ref: {self.suite} at commit {commit} is another version of the suite; running it would"
        )
        closing = f"review it (git show {commit}), then pass --trust"
        key = hex_digest("\0".join((str(self.root), str(self.suite), self.commit)))
        require_approval(actions, key, self.root / self.suite, opening=opening, closing=closing, trust=trust)

    async def passes(self, goldens: Sequence[str]) -> dict[str, float]:
        """One trial of each golden that got an answer: 1.0 passed, 0.0 did not."""
        with tempfile.TemporaryDirectory(prefix="rightcall-base-") as name:
            folder, elsewhere = await asyncio.to_thread(self._unpack, Path(name))
            output = await self._run(folder, folder if base_actions(self) else elsewhere, goldens)
        cases = (decode(line, _Case, "base version") for line in output.splitlines() if line.strip())
        requested = set(goldens)
        return {
            case.golden_id: float(case.passed)
            for case in cases
            if case.golden_id in requested and not case.error and case.passed is not None
        }

    def _unpack(self, place: Path) -> tuple[Path, Path]:
        """The files of the commit, and a project without them."""
        folder, elsewhere = place.resolve() / "commit", place.resolve() / "elsewhere"
        folder.mkdir()
        elsewhere.mkdir()
        (elsewhere / "pyproject.toml").touch()
        unpack_commit(self.root, self.commit, folder)
        return folder, elsewhere

    async def _run(self, folder: Path, project: Path, goldens: Sequence[str]) -> bytes:
        """Run the suite from a project folder: its own if it may start something, otherwise one it is outside of."""
        words = ["run", str(folder / self.suite), "--json", "--trials=1", "--record=none"]
        words += [f"--store={folder.parent / 'results.db'}", *(f"--only={golden}" for golden in goldens)]
        program = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # otherwise a `msgspec.py` of the commit would be imported instead of the installed one
            "-m",
            "rightcall",
            *words,
            cwd=project,
            env={**os.environ, "GITHUB_ACTIONS": "", "PYTHONPATH": self._module_folders(folder)},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            output, problems = await program.communicate()
        except BaseException:
            program.kill()
            await program.wait()
            raise
        if program.returncode not in DECIDED:
            told = problems.decode(errors="replace").strip().splitlines()[-1:] or ["it printed nothing"]
            raise ConfigError(f"the base version at {self.commit[:10]} could not be run: {told[0][:300]}")
        return output

    def _module_folders(self, folder: Path) -> str:
        """PYTHONPATH of the other version: folders of the project become the commit's, if it imports modules."""
        imports = any(action.kind == "import" for action in base_actions(self))
        folders = []
        for name in filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)):
            whole = Path(name).resolve()
            if not whole.is_relative_to(self.root.resolve()):
                folders.append(str(whole))
            elif imports:
                folders.append(str(folder / whole.relative_to(self.root.resolve())))
        return os.pathsep.join(folders)


@lru_cache(maxsize=64)
def base_actions(base: BaseVersion) -> tuple[Action, ...]:
    """What the suite of a commit would start, import or write; nothing of it runs. A commit never changes."""
    with tempfile.TemporaryDirectory(prefix="rightcall-base-") as name:
        folder = Path(name).resolve()
        unpack_commit(base.root, base.commit, folder)
        file = folder / base.suite
        try:
            suite = load_suite(file)
        except RightCallError:  # its own run says what is wrong with it, and starts nothing
            return ()
        actions_of_commit = [
            Action(action.kind, action.what.replace(f"{folder}{os.sep}", ""))
            for action in actions(suite, file.parent)
        ]
        module, colon, _ = suite.agent.model.partition(":")
        if colon and not is_provider(
            module
        ):  # wherever the commit has the module: it is not looked for from here
            actions_of_commit.append(Action("import", module))
        return tuple(dict.fromkeys(actions_of_commit))


class _Case(msgspec.Struct, frozen=True):
    golden_id: str = ""
    passed: bool | None = False
    error: str = ""
