"""A store to look at, the app over it, a running dashboard, and a browser."""

from __future__ import annotations

import shutil
import socket
import threading
import time
from contextlib import contextmanager

import pytest
import uvicorn
from starlette.testclient import TestClient

from rightcall.limbs.dashboard.access import Access
from rightcall.limbs.dashboard.server import make_app
from rightcall.store.address import open_store
from tests.limbs.dashboard import shop
from tests.store.builders import a_result
from tests.support.browser import chromium

HOST = "http://127.0.0.1:8765"


@pytest.fixture(scope="session")
def filled(tmp_path_factory):
    """The file of a store with two runs of a suite, one with trials, and one that is still going."""
    file = tmp_path_factory.mktemp("shop") / "shop.db"
    with open_store(file) as store:
        shop.add_run(store, "old", skill=0.6, seed=1, day=0)
        shop.add_run(store, "new", skill=0.92, seed=2, day=3, tools=shop.REWRITTEN, agent="anthropic:model-b")
        some = [golden for golden in shop.goldens() if golden.id.startswith("refund")]
        shop.add_run(store, "thrice", skill=0.7, seed=3, day=1, name="refunds", trials=3, some=some)
        shop.add_run(store, "going", skill=0.8, seed=4, day=5, part=0.5)
        store.runs.tag("new", "baseline")
    return file


@pytest.fixture
def store(filled, tmp_path):
    """A copy of it that a test may change. The run that is still going was written to just now."""
    with open_store(shutil.copy(filled, tmp_path / "shop.db")) as opened:
        opened.runs.resume("going").add([a_result("aa-just-now")])
        yield opened


@pytest.fixture
def client(store):
    """A visitor on this machine."""
    return TestClient(make_app(store), base_url=HOST)


@pytest.fixture
def post(client):
    """Post a form as one of the dashboard's own pages does."""

    def send(path, fields=(), **headers):
        csrf = client.app.state.access.csrf(admitted=True)
        given = {"origin": HOST, **headers}
        return client.post(path, data={"csrf": csrf, **dict(fields)}, headers=given, follow_redirects=False)

    return send


@contextmanager
def running(store, access=None):
    """The dashboard on a free port, in a thread."""
    taken = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(make_app(store, access), log_level="error", lifespan="off", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        taken.close()


@pytest.fixture
def dashboard(store):
    """The address of a running dashboard."""
    with running(store) as address:
        yield address


@pytest.fixture
def locked(store):
    """The same behind a token."""
    with running(store, Access("open sesame")) as address:
        yield address


@pytest.fixture(scope="module")
def browser():
    """A real Chromium, gone before the next module: its event loop would be in the way there."""
    with chromium() as launched:
        yield launched


@pytest.fixture
def visit(browser):
    """Open a page; at the end nothing may have been written to its console."""
    contexts = []
    complaints = []

    def open_page(address, **options):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(300_000)
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
