"""A written file is whole, and as readable for others as it was."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rightcall.core.errors import InputError
from rightcall.core.operating_system import open_without_name
from rightcall.files import atomic
from rightcall.files.atomic import atomic_write, write_file


def test_nothing_is_seen_before_the_block_ends(tmp_path: Path):
    path = tmp_path / "f.txt"
    with atomic_write(path) as file:
        file.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new" and list(tmp_path.iterdir()) == [path]


def test_the_permissions_of_the_old_file_are_kept(tmp_path: Path):
    path = tmp_path / "f.txt"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with atomic_write(path) as file:
        file.write(b"new")
    assert path.stat().st_mode & 0o777 == 0o640


KILLED = """
import os, sys
from rightcall.files.atomic import atomic_write
with atomic_write(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), 9)
"""


def test_a_killed_process_leaves_the_old_file_whole_and_no_other(tmp_path: Path):
    path = tmp_path / "f.txt"
    path.write_bytes(b"old")
    assert subprocess.run([sys.executable, "-c", KILLED, path], check=False).returncode == -9
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path] or open_without_name(tmp_path) is None


def test_a_system_without_unnamed_files_writes_beside_the_target(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(atomic, "open_without_name", lambda folder: None)
    path = tmp_path / "f.txt"
    write_file(path, b"new")
    assert path.read_bytes() == b"new" and list(tmp_path.iterdir()) == [path]


def test_a_new_file_has_the_permissions_of_new_files(tmp_path: Path):
    path = tmp_path / "f.txt"
    write_file(path, b"new")
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask()


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_link_stays_a_link(tmp_path: Path):
    (tmp_path / "real.txt").write_bytes(b"old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    with atomic_write(tmp_path / "link.txt") as file:
        file.write(b"new")
    assert (tmp_path / "link.txt").is_symlink() and (tmp_path / "real.txt").read_bytes() == b"new"


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path):
    with pytest.raises(InputError, match="is a folder"), atomic_write(tmp_path):
        pass
    with pytest.raises(InputError, match="no such folder"), atomic_write(tmp_path / "no" / "f.txt"):
        pass


def test_a_device_is_written_and_stays_one() -> None:
    write_file("/dev/null", b"nothing")
    assert Path("/dev/null").is_char_device()


def test_a_link_stays_a_link_and_the_mode_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    link = tmp_path / "b.json"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file)
    write_file(link, b"new")
    assert link.is_symlink() and file.read_text() == "new" and file.stat().st_mode & 0o777 == 0o640
