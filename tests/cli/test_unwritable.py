"""Output that cannot be written is one line and exit code 2, whatever command wrote it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = [{"name": "get_x", "description": "Gets x.", "input_schema": {"type": "dict", "properties": {}}}]


def typed(folder: Path, *words: str, stdout: str | None = None) -> tuple[int, str]:
    """Exit code and stderr of a command typed in a folder that holds tools.json."""
    file = folder / "tools.json"
    if not file.exists():
        file.write_text(json.dumps(TOOLS))
    command = [sys.executable, "-m", "rightcall.cli.main", *words]
    with Path(stdout or "/dev/null").open("w") as out:
        done = subprocess.run(command, check=False, cwd=folder, stdout=out, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("lint", "tools.json", "--output", "nodir/x"),
        ("lint", "tools.json", "--output", "."),
        ("lint", "tools.json", "--write-baseline", "nodir/x"),
        ("lint", "tools.json", "--update-lock", "--lock", "nodir/x"),
        ("tools", "convert", "tools.json", "--to", "openai", "-o", "nodir/x"),
        ("init", "tools.json/x"),
    ],
    ids=" ".join,
)
def test_a_file_that_cannot_be_written_is_one_line(tmp_path: Path, words: tuple[str, ...]) -> None:
    code, said = typed(tmp_path, *words)
    assert code == 2
    last = said.splitlines()[-1]
    assert last.startswith(f"error: {words[-1]}: ") and "; " in last and "Traceback" not in said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize(
    "words", [("lint", "tools.json"), ("lint", "tools.json", "--json"), ("metrics", "list")]
)
def test_a_full_disk_under_stdout_is_one_line(tmp_path: Path, words: tuple[str, ...]) -> None:
    code, said = typed(tmp_path, *words, stdout="/dev/full")
    assert (code, said) == (
        2,
        "error: output: cannot be written: no space left on device; make room, then again\n",
    )


def test_a_read_only_file_is_not_fixed(tmp_path: Path) -> None:
    file = tmp_path / "tools.json"
    file.write_text(json.dumps(TOOLS))
    file.chmod(0o444)
    code, said = typed(tmp_path, "lint", "tools.json", "--fix")
    assert (code, said) == (2, "error: tools.json: is read-only; allow writing it, or name another file\n")
    assert json.loads(file.read_text()) == TOOLS
