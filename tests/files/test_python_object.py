"""`module:attribute` that cannot be loaded: the whole text says where the module is, or what it lacks and where."""

from __future__ import annotations

import socket
import sys
import warnings
from pathlib import Path

import pytest

from rightcall.core.errors import ConfigError
from rightcall.files.python_object import ImportRequestWarning, load_object, object_from_factory

FILES = {
    "src/shoplayout/graph.py": "graph = 1\n",
    "src/shoplayout/__init__.py": "",
    "services/namespaced/agent.py": "agent = 1\n",
    "shop_parts/__init__.py": "",
    "shop_parts/tools.py": '"""Tools."""\nimport no_such_package.client\n',
    "shop_parts/names.py": "from json import nothing\n",
    "shop_parts/keys.py": 'import os\n\nKEY = os.environ["NO_SUCH_KEY"]\n',
    "shop_parts/script.py": "raise SystemExit(3)\n",
    "shop_parts/agents.py": "import shop_parts.tools\n\ntriage = 1\n",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith(("shop_parts", "shoplayout"))]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("shoplayout:graph", "no module shoplayout; it is in src/: PYTHONPATH=src"),
        ("shoplayout.graph:graph", "no module shoplayout; it is in src/: PYTHONPATH=src"),
        ("namespaced.agent:agent", "no module namespaced; it is in services/: PYTHONPATH=services"),
        ("shoplayuot:graph", "no module shoplayuot; did you mean 'shoplayout'?"),
        ("nothing_like_it:x", "no module nothing_like_it"),
        ("shop_parts.agnets:x", "no module shop_parts.agnets; did you mean 'shop_parts.agents'?"),
        (
            "shop_parts.agents:triage",
            "no module no_such_package (shop_parts/tools.py:2); install the package that provides it",
        ),
        ("shop_parts.keys:KEY", "KeyError: 'NO_SUCH_KEY' (shop_parts/keys.py:3)"),
        (
            "shop_parts.script:x",
            "the module called sys.exit(3) (shop_parts/script.py:1);"
            " move script code under: if __name__ == '__main__'",
        ),
    ],
)
def test_what_cannot_be_loaded_says_where_it_is_or_what_is_missing_where(project, name, reason):
    with pytest.raises(ConfigError) as caught:
        load_object(name)
    assert str(caught.value) == f"'{name}' cannot be loaded: {reason}"


def test_a_project_that_can_be_installed_says_so(project):
    (project / "pyproject.toml").touch()
    with pytest.raises(ConfigError, match=r"it is in src/: `pip install -e \.` or PYTHONPATH=src$"):
        load_object("shoplayout:graph")
    (project / "services/pyproject.toml").touch()
    with pytest.raises(ConfigError, match=r"`pip install -e services` or PYTHONPATH=services$"):
        load_object("namespaced.agent:agent")


def test_a_dependency_that_is_in_the_project_is_not_to_be_installed(project, monkeypatch):
    monkeypatch.chdir(project / "services/namespaced")
    (project / "services/namespaced/needy_agent.py").write_text("import shop_parts.tools\n")
    with pytest.raises(ConfigError) as caught:
        load_object("needy_agent:x")
    place = f"it is in {project}/: PYTHONPATH={project}"
    assert (
        str(caught.value)
        == f"'needy_agent:x' cannot be loaded: no module shop_parts (needy_agent.py:1); {place}"
    )


def test_a_name_that_a_module_does_not_export_names_both_files(project):
    with pytest.raises(ConfigError, match=r"cannot import name 'nothing' .*\(shop_parts/names\.py:1\)$"):
        load_object("shop_parts.names:x")


class Agent:
    """Needs nothing."""


class Needy:
    def __init__(self, db: object) -> None:
        self.db = db


def make() -> Agent:
    return Agent()


async def make_later() -> Agent:
    return Agent()


def answer(question: str = "") -> str:
    return question


@pytest.mark.parametrize("maker", [Agent, make, make_later])
def test_a_class_or_a_function_without_parameters_stands_for_what_it_makes(maker):
    assert isinstance(object_from_factory(maker, "shop:maker"), Agent)


@pytest.mark.parametrize("value", [answer, Needy, Agent(), 3, len])
def test_anything_else_is_not_called(value):
    assert object_from_factory(value, "shop:value") is value


def test_a_factory_that_fails_says_in_which_line():
    def broken() -> Agent:
        raise RuntimeError("no key")

    line = broken.__code__.co_firstlineno + 1
    with pytest.raises(ConfigError) as caught:
        object_from_factory(broken, "shop:broken")
    text = str(caught.value)
    assert text.startswith("'shop:broken' was called without arguments, and failed: RuntimeError: no key (")
    assert text.endswith(f"test_python_object.py:{line})")


ASKS = """import socket


def ask():
    socket.create_connection(("127.0.0.1", PORT)).close()


ask()
"""


def test_a_module_that_asks_a_server_while_it_is_imported_is_named_with_the_line(project):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        (project / "shop_parts/asks.py").write_text(ASKS.replace("PORT", str(port)), "utf-8")
        with pytest.warns(ImportRequestWarning, match=f"asks.py:8 connects to 127.0.0.1:{port} while"):
            ask = load_object("shop_parts.asks:ask")
        with warnings.catch_warnings(action="error"):
            ask()


def test_an_installed_package_may_ask_a_server_while_it_is_imported(project, monkeypatch):
    monkeypatch.setattr("rightcall.files.python_object.INSTALLED", (str(project / "shop_parts"),))
    with socket.create_server(("127.0.0.1", 0)) as server, warnings.catch_warnings(action="error"):
        port = str(server.getsockname()[1])
        (project / "shop_parts/asks.py").write_text(ASKS.replace("PORT", port), "utf-8")
        (project / "shop_parts_front.py").write_text("from shop_parts.asks import ask\n", "utf-8")
        load_object("shop_parts_front:ask")
