"""The browser is installed even while another installation holds the package manager's lock."""

from __future__ import annotations

import pytest

from tests.support.browser import install_package

LOCKED = "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 42 (apt-get)"
APT = f"""#!/bin/sh
echo "$1" >> "$0.asked"
[ "$(grep -c "$1" "$0.asked")" -gt "$(cat "$0.locked_times")" ] || {{ echo "{LOCKED}" >&2; exit 100; }}
"""


@pytest.fixture
def apt(tmp_path, monkeypatch):
    """A package manager whose each command finds its lock held this many times."""
    program = tmp_path / "apt-get"
    program.write_text(APT)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    def locked(times: int):
        (tmp_path / "apt-get.locked_times").write_text(str(times))
        return tmp_path / "apt-get.asked"

    return locked


def test_a_lock_is_waited_for_and_said_once(apt, capsys, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    asked = apt(2)
    install_package("chromium")
    assert asked.read_text().split() == ["update"] * 3 + ["install"] * 3
    assert capsys.readouterr().err == f"waiting for another installation: {LOCKED}\n"


def test_a_lock_that_is_never_released_ends_with_its_words(apt):
    apt(1_000)
    with pytest.raises(SystemExit, match="chromium was not installed: E: Could not get lock"):
        install_package("chromium", wait_seconds=0.0)
