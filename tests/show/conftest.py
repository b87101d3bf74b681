"""Runs and reports made once for all tests of the room, and a real browser to open them in."""

from __future__ import annotations

import functools
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rightcall.show.formats import writer_of
from rightcall.store.sql.store import Store
from tests.show import samples
from tests.support.browser import chromium

Made = tuple[Store, str]


def _kept(make: Callable[[Path], Made], factory: pytest.TempPathFactory) -> Iterator[Made]:
    store, run = make(factory.mktemp("run"))
    yield store, run
    store.close()


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    yield from _kept(samples.demo_run, tmp_path_factory)


@pytest.fixture(scope="session")
def varied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    yield from _kept(samples.varied_run, tmp_path_factory)


@pytest.fixture(scope="session")
def trials(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    yield from _kept(samples.flaky_run, tmp_path_factory)


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    yield from _kept(samples.hostile_run, tmp_path_factory)


@pytest.fixture(scope="session")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    yield from _kept(lambda folder: samples.many_cases(folder, 1000, 1400), tmp_path_factory)


def written_anew(kind: str, made: Made) -> bytes:
    out = io.BytesIO()
    writer_of(kind)(*made, out)
    return out.getvalue()


written = functools.cache(written_anew)
"""The report of a run in a format; made once."""


@pytest.fixture(scope="session")
def pages(
    demo: Made, varied: Made, trials: Made, hostile: Made, many: Made, tmp_path_factory: Any
) -> dict[str, str]:
    """The address of each report."""
    folder = tmp_path_factory.mktemp("pages")
    made = {"demo": demo, "varied": varied, "trials": trials, "hostile": hostile, "many": many}
    for name, run in made.items():
        (folder / f"{name}.html").write_bytes(written("html", run))
    return {name: (folder / f"{name}.html").as_uri() for name in made}


@pytest.fixture(scope="module")
def browser(pages: dict[str, str]) -> Iterator[Any]:
    """Chromium as the machine has it, else the one Playwright brings.

    Reports are made before it starts: Playwright keeps an event loop running, and a run needs its own.
    """
    with chromium() as launched:
        yield launched


class Tab:
    """A page that remembers everything it complained about or asked the network for."""

    def __init__(self, browser: Any, **options: Any) -> None:
        self.page = browser.new_context(**options).new_page()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def open(self, address: str) -> Any:
        self.page.goto(address)
        self.page.locator("#found:not(:empty)").wait_for(state="attached")
        return self.page


@pytest.fixture
def tab(browser: Any) -> Iterator[Tab]:
    opened = Tab(browser, viewport={"width": 1280, "height": 900}, color_scheme="light")
    yield opened
    opened.page.context.close()
