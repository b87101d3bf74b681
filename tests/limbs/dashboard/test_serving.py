"""The command: the address it says, the port it takes, and how it ends."""

from __future__ import annotations

import builtins
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest
from click.testing import CliRunner

from rightcall.core.errors import ConfigError, InfrastructureError, InputError, MissingExtraError
from rightcall.limbs.dashboard.command import view
from rightcall.limbs.dashboard.server import FIRST_PORT, bind_port

COMMAND = [sys.executable, "-c", "from rightcall.limbs.dashboard.command import view; view()"]


def run(*arguments):
    return CliRunner().invoke(view, [*arguments, "--no-open"], standalone_mode=False)


@pytest.mark.stories
def test_it_answers_at_the_address_it_says_and_ends_cleanly(filled):
    with subprocess.Popen(
        [*COMMAND, "--store", str(filled), "--port", "0", "--no-open"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as started:
        address = started.stdout.readline().strip()
        with urllib.request.urlopen(f"{address}runs") as answer:
            assert answer.status == 200 and "server" not in answer.headers
        started.send_signal(signal.SIGINT)
        _, said = started.communicate(timeout=300)
    assert started.returncode == 0
    assert said == "press Ctrl-C to stop\nstopped\n"


def test_a_busy_port_that_was_asked_for_is_an_error_that_says_what_to_do(filled):
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        error = run("--store", str(filled), "--port", str(port)).exception
    assert isinstance(error, InfrastructureError) and f"port {port}" in str(error) and "--port" in str(error)


def test_without_a_port_the_next_free_one_is_taken():
    with bind_port("127.0.0.1", None, None) as one, bind_port("127.0.0.1", None, None) as two:
        ports = [here.socket.getsockname()[1] for here in (one, two)]
    assert FIRST_PORT <= ports[0] < ports[1]


def test_on_loopback_there_is_no_token_and_elsewhere_there_always_is():
    with bind_port("127.0.0.1", 0, None) as here:
        assert here.token == "" and "token" not in here.address
    with bind_port("0.0.0.0", 0, None) as here:
        assert len(here.token) >= 32 and here.address.endswith(f"?token={here.token}")
    with bind_port("127.0.0.1", 0, "a long enough token") as here:
        assert here.token == "a long enough token"


def test_a_token_anybody_could_guess_is_refused():
    with pytest.raises(ConfigError, match="at least 8"), bind_port("127.0.0.1", 0, "abc"):
        pass


def test_a_host_that_is_not_ours_is_an_error():
    with pytest.raises((ConfigError, InfrastructureError)), bind_port("192.0.2.1", 0, None):
        pass


def test_a_store_that_is_not_there_is_not_made(tmp_path):
    error = run("--store", str(tmp_path / "none.db")).exception
    assert isinstance(error, InputError) and not (tmp_path / "none.db").exists()


def test_a_missing_package_is_reported_with_the_line_to_install_it(filled, monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name == "uvicorn":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    error = run("--store", str(filled)).exception
    assert isinstance(error, MissingExtraError) and 'pip install "rightcall[web]"' in str(error)
