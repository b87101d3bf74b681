"""A real browser for tests: the one that is there, or one that gets installed.

python -m tests.support.browser      make sure there is one, and say where
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.patience import SECONDS

QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
LONGEST_WAIT = 900.0
"""Seconds that another installation may take."""


def find_browser() -> str | None:
    """The path of a Chromium: on PATH, or Playwright's own; None when there is none."""
    for name in NAMES:
        if found := shutil.which(name):
            return found
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if Path(own).exists() else None


@contextmanager
def chromium() -> Iterator[Any]:
    """A headless Chromium without network access. While it runs, Playwright keeps an event loop in this thread."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=1000 * SECONDS)
    found = next(filter(None, map(shutil.which, NAMES)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=QUIET)
        try:
            yield browser
        finally:
            browser.close()


def install_browser() -> None:
    """Debian's package where that can be installed, Playwright's own elsewhere."""
    if shutil.which("apt-get") and os.geteuid() == 0:
        install_package("chromium")
    if find_browser() is None:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=True)


def install_package(name: str, *, wait_seconds: float = LONGEST_WAIT) -> None:
    """By apt. While another installation holds a lock of the package manager, it waits and says so.

    apt's own option for waiting is about one of its three locks: neither lists nor downloads.
    """
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}
    install = ["install", "-y", "-qq", "--no-install-recommends", name]
    deadline = time.monotonic() + wait_seconds
    told = False
    for command in (["update", "-qq"], install):
        while True:
            ended = subprocess.run(
                ["apt-get", *command], env=environment, capture_output=True, text=True, check=False
            )
            if "Could not get lock" not in ended.stderr:
                break
            if time.monotonic() > deadline:
                sys.exit(f"{name} was not installed: {ended.stderr.strip()}")
            if not told:
                print(f"waiting for another installation: {ended.stderr.splitlines()[0]}", file=sys.stderr)
            told = True
            time.sleep(min(2.0, wait_seconds))
        if ended.returncode:
            print(f"apt-get {command[0]}: {ended.stderr.strip()}", file=sys.stderr)


def main() -> None:
    if find_browser() is None:
        print("installing a browser for the tests …", file=sys.stderr)
        install_browser()
    found = find_browser()
    if found is None:
        sys.exit("no browser could be installed; install chromium and try again")
    print(f"browser: {found}")


if __name__ == "__main__":
    main()
