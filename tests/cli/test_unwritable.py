"""Output that cannot be written is one line and exit code 2, whatever command wrote it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import asked, did, write_lines

TOOLS = [{"name": "get_x", "description": "Gets x.", "input_schema": {"type": "dict", "properties": {}}}]


def typed(folder: Path, *words: str, stdout: str | None = None) -> tuple[int, str]:
    """Exit code and stderr of a command typed in a folder that holds tools.json."""
    file = folder / "tools.json"
    if not file.exists():
        file.write_text(json.dumps(TOOLS))
    command = [sys.executable, "-m", "rightcall.cli.main", *words]
    with Path(stdout or "/dev/null").open("w", encoding="utf-8") as out:
        done = subprocess.run(command, check=False, cwd=folder, stdout=out, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("lint", "tools.json", "--output", "nodir/x"),
        ("lint", "tools.json", "--output", "."),
        ("lint", "tools.json", "--write-baseline", "nodir/x"),
        ("lint", "tools.json", "--update-lock", "--lock", "nodir/x"),
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
    "words", [("lint", "tools.json"), ("lint", "tools.json", "--json"), ("list", "metrics")]
)
def test_a_full_disk_under_stdout_is_one_line(tmp_path: Path, words: tuple[str, ...]) -> None:
    code, said = typed(tmp_path, *words, stdout="/dev/full")
    assert (code, said) == (
        2,
        "error: output: cannot be written: no space left on device; free some space and try again\n",
    )


@pytest.mark.parametrize("most", [24, 16, 14])
def test_too_few_file_descriptors_is_one_line(tmp_path: Path, most: int) -> None:
    import resource

    typed(tmp_path, "init", "mine")
    done = subprocess.run(
        [sys.executable, "-m", "rightcall.cli.main", "run", "mine/suite.yaml"],
        check=False, cwd=tmp_path, capture_output=True, text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)),
    )  # fmt: skip
    assert "Traceback" not in done.stderr and done.returncode in (0, 1, 2, 4), done.stderr


def test_a_read_only_file_is_not_fixed(tmp_path: Path) -> None:
    file = tmp_path / "tools.json"
    file.write_text(json.dumps(TOOLS))
    file.chmod(0o444)
    code, said = typed(tmp_path, "lint", "tools.json", "--fix")
    assert (code, said) == (2, "error: tools.json: is read-only; make it writable, or choose another file\n")
    assert json.loads(file.read_text()) == TOOLS


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_closed_stdout_is_not_a_fault(tmp_path: Path, options: tuple[str, ...]) -> None:
    write_lines(tmp_path / "g.jsonl", asked("a"))
    write_lines(tmp_path / "d.jsonl", did("a", "Hue"))
    command = shlex.join(
        [sys.executable, "-m", "rightcall.cli.main", "score", "g.jsonl", "d.jsonl", *options]
    )
    done = subprocess.run(
        ["sh", "-c", f"{command} >&-"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and done.stderr == ""


def test_what_an_encoding_lacks_is_replaced(tmp_path: Path) -> None:
    write_lines(tmp_path / "g.jsonl", asked("a", city="Huế"))
    write_lines(tmp_path / "d.jsonl", did("a", "Hà Nội"))
    done = subprocess.run(
        [sys.executable, "-m", "rightcall.cli.main", "score", "g.jsonl", "d.jsonl"],
        cwd=tmp_path, env={**os.environ, "PYTHONIOENCODING": "cp1252"}, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1 and done.stderr == b"" and b'get_weather(city="Hu?")' in done.stdout


@pytest.mark.stories
def test_a_report_that_fails_leaves_the_file_that_was_there(tmp_path: Path) -> None:
    """A disk that is full after some kilobytes: the size of files is limited."""
    import resource

    typed(tmp_path, "init", "mine")
    assert typed(tmp_path, "run", "mine/suite.yaml", "--trials", "9")[0] in (0, 1)
    command = [sys.executable, "-m", "rightcall.cli.main", "runs", "report", "last", "-o", "kept.html"]
    subprocess.run(command, check=True, cwd=tmp_path, capture_output=True)
    before = (tmp_path / "kept.html").read_text("utf-8")
    little = (40_000, resource.RLIM_INFINITY)  # enough for the shared memory of the store
    done = subprocess.run(
        command, check=False, cwd=tmp_path, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, little),
    )  # fmt: skip
    assert (done.returncode, (tmp_path / "kept.html").read_text("utf-8")) == (2, before)
    assert done.stderr.startswith("error: kept.html: cannot be written")
