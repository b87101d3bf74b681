"""What the command line, the suite and the folder say about workers, without starting any."""

import ast
import sys
from pathlib import Path

import pytest

import rightcall
from rightcall.agents.agent import Agent
from rightcall.core.errors import ConfigError, MissingExtraError
from rightcall.limbs.ray.place import read_bytes, unfit
from rightcall.limbs.ray.ray import import_ray, read_place, shipment
from rightcall.records import Tool
from rightcall.run.plan import Plan
from rightcall.store.address import open_store


@pytest.mark.parametrize(
    ("text", "address"), [("ray", ""), ("ray:auto", "auto"), ("ray:10.0.0.5:6379", "10.0.0.5:6379")]
)
def test_a_place_is_ray_and_an_address(text, address):
    assert read_place(text) == address


@pytest.mark.parametrize("text", ["ray://head:10001", "ray:ray://head:10001", "dask", "spark:7077"])
def test_other_places_are_refused_with_what_to_do(text):
    with pytest.raises(ConfigError, match=r"ray job submit|ray:auto"):
        read_place(text)


@pytest.mark.parametrize(
    ("text", "size"), [("2GiB", 2**31), ("500MB", 5 * 10**8), ("1.5 KiB", 1536), ("64", 64)]
)
def test_memory_is_read_with_its_unit(text, size):
    assert read_bytes(text) == size


@pytest.mark.parametrize(
    ("fields", "fit"),
    [
        ({"execute": "real"}, False),
        ({"mocks": {"pay": {"real": True}}}, False),
        ({"mocks": {"pay": {"result": 1, "goldens": {"g": {"real": True}}}}}, False),
        ({"mocks": {"pay": {"result": {"real": True}}}}, True),
        ({}, True),
    ],
)
def test_tools_that_run_for_real_on_workers_need_a_store_that_all_of_them_see(fields, fit, tmp_path):
    agent = Agent("keyword:", tools=[Tool("pay", "Pay someone.")], **fields)
    with open_store(tmp_path / "r.db") as store:
        problems = list(unfit(Plan("p", agent, []), store))
    assert ["require a PostgreSQL store" in problem for problem in problems] == ([] if fit else [True])


@pytest.mark.parametrize("text", ["much", "2 elephants", "GiB", ""])
def test_memory_without_sense_is_refused(text):
    with pytest.raises(ConfigError, match="2GiB"):
        read_bytes(text)


def test_secrets_stores_models_and_the_dataset_stay_at_home(tmp_path, monkeypatch):
    for name in (".env", ".env.prod", "agent.py", "results.db", "model.gguf", "data/goldens.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x" * 100)
    sent = shipment(tmp_path, tmp_path / "data/goldens.jsonl")
    assert sent.keys() == {"working_dir", "excludes"}  # above all no env_vars, which Ray writes to its logs
    assert {".env*", "*.db", "*.gguf", "/data/goldens.jsonl"} <= set(sent["excludes"])
    monkeypatch.setattr("rightcall.limbs.ray.ray.MOST_BYTES", 50)
    with pytest.raises(ConfigError, match=r"agent\.py"):
        shipment(tmp_path, tmp_path / "data/goldens.jsonl")


def test_without_ray_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r'pip install "rightcall\[ray\]"'):
        import_ray()
    monkeypatch.setattr(sys, "platform", "sunos5")
    with pytest.raises(ConfigError, match="run without --workers"):
        import_ray()


def test_a_ray_that_cannot_be_imported_is_not_called_missing(monkeypatch, tmp_path):
    (tmp_path / "ray.py").write_text("import a_package_that_ray_needs")
    monkeypatch.delitem(sys.modules, "ray", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ConfigError, match="cannot be imported: No module named 'a_package_that_ray_needs'"):
        import_ray()


def test_only_one_file_imports_ray():
    source = Path(rightcall.__file__).parent
    importing = [
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if "import ray" in (text := path.read_text("utf-8")) or "from ray" in text
        for node in ast.walk(ast.parse(text))
        if (isinstance(node, ast.Import) and any(a.name.split(".")[0] == "ray" for a in node.names))
        or (isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "ray")
    ]
    assert importing == ["limbs/ray/ray.py"]
