"""Requests that do not come to their end do not keep others out."""

from __future__ import annotations

import socket
import threading
import urllib.request
from contextlib import ExitStack, contextmanager, suppress

import pytest
import uvicorn

from rightcall.show.dashboard.server import deadline_protocol, make_app

HALF = b"GET /runs HTTP/1.1\r\nHost: 127.0.0.1\r\n"
SLOW_BODY = b"POST /logout HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nhalf"


@contextmanager
def serving(store, **limits):
    with socket.create_server(("127.0.0.1", 0), backlog=512) as listening:
        protocol = deadline_protocol(**limits)
        config = uvicorn.Config(
            make_app(store), http=protocol, lifespan="off", log_level="warning", limit_concurrency=200
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield listening.getsockname()
        finally:
            server.should_exit = True
            thread.join()


def test_250_half_open_requests_do_not_starve_a_whole_one(store):
    with serving(store, seconds=600.0) as address, ExitStack() as opened:
        for _ in range(250):
            opened.enter_context(socket.create_connection(address)).sendall(HALF)
        with urllib.request.urlopen(f"http://127.0.0.1:{address[1]}/runs", timeout=300) as answer:
            assert answer.status == 200


@pytest.mark.parametrize("begun", [b"", HALF, SLOW_BODY])
def test_a_request_that_does_not_end_is_closed(store, begun):
    with serving(store, seconds=0.05) as address, socket.create_connection(address, timeout=300) as half:
        half.sendall(begun)
        with suppress(ConnectionResetError):
            assert half.recv(1000) == b""
