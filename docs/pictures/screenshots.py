"""The pictures of the README and the docs, from a store made for them.

    python docs/pictures/screenshots.py [--browser /usr/bin/chromium]

Needs `pip install "rightcall[web,report]" playwright` and a Chromium. The agents of the pictures are made up;
their calls are scored for real.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from tests.limbs.dashboard import shop  # noqa: E402

from rightcall.limbs.dashboard.links import case_link  # noqa: E402
from rightcall.limbs.dashboard.server import bind_port, make_app  # noqa: E402
from rightcall.show.html import write_html  # noqa: E402
from rightcall.store.address import open_store  # noqa: E402
from rightcall.store.base import ResultFilter  # noqa: E402
from rightcall.store.sql.store import Store  # noqa: E402

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-sync",
]
RUN = "shop-06"
BEFORE = "shop-03"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--browser", default=shutil.which("chromium"), help="a Chromium to use")
    asked = options.parse_args()
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "shop.db") as store:
        shop.fill(store)
        report = Path(folder) / "report.html"
        with report.open("wb") as out:
            write_html(store, RUN, out)
        with sync_playwright() as playwright, served(store) as address:
            browser = playwright.chromium.launch(executable_path=asked.browser, args=FLAGS)
            for name, (path, scheme, height) in pictures(store).items():
                take(browser, address + path, HERE / f"{name}.png", scheme, height)
            take(browser, report.as_uri(), HERE / "report.png", "light", 900)
            browser.close()


def pictures(store: Store) -> dict[str, tuple[str, str, int]]:
    """Name of each picture: the page, its theme, and how much of it is shown."""
    failed = next(store.runs.results(RUN, ResultFilter(code="wrong_value", tool="search_orders"), limit=1))
    return {
        "dashboard": ("/runs", "light", 720),
        "dashboard-dark": ("/runs", "dark", 720),
        "run": (f"/runs/{RUN}", "light", 1180),
        "case": (case_link(RUN, failed.golden_id), "light", 1000),
        "compare": (f"/compare?before={BEFORE}&after=shop-14", "dark", 760),
        "over-time": ("/over-time?suite=shop", "light", 720),
    }


@contextmanager
def served(store: Store) -> Iterator[str]:
    """The dashboard on a free port, in a thread."""
    import uvicorn

    with bind_port("127.0.0.1", 0, None) as here:
        server = uvicorn.Server(uvicorn.Config(make_app(store), log_level="error", lifespan="off", ws="none"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [here.socket]})
        thread.start()
        try:
            yield here.address.rstrip("/")
        finally:
            server.should_exit = True
            thread.join()


def take(browser: Browser, address: str, file: Path, scheme: str, height: int) -> None:
    """One picture of the top of a page, sharp enough for a screen of today."""
    context = browser.new_context(
        viewport={"width": 1200, "height": height}, color_scheme=scheme, device_scale_factor=1.5
    )
    page = context.new_page()
    page.goto(address)
    page.wait_for_load_state("networkidle")
    time.sleep(0.3)  # pictures in the page are decoded after they are loaded
    page.evaluate("document.querySelectorAll('body > footer').forEach(footer => footer.remove())")
    page.screenshot(path=file)
    context.close()


if __name__ == "__main__":
    main()
