"""Where requests go is shown: before a run, in its header and by `providers check`; keys are not."""

from __future__ import annotations

import json

import pytest

from rightcall.run.suite import load_suite
from rightcall.run.suite_plan import plan_suite
from rightcall.run.trust import agent_of_run
from tests.support.one_server import one_server

SECRET = "gateway-word-without-a-pattern"
TOOLS = [{"name": "get_weather", "description": "Weather of a city", "input_schema": {"type": "object"}}]


def write_suite(folder, url: str, **more) -> None:
    (folder / "talks.jsonl").write_text('{"id": "t", "scenario": "Ask for the weather", "simulate": true}\n')
    entry = {
        "model": "openai:m",
        "base_url": url,
        "key_env": "GATEWAY",
        "headers": {"X-Team": "a ${GATEWAY}"},
    }
    suite = {
        "dataset": "talks.jsonl",
        "tools": TOOLS,
        "models": {"private": entry, "plain": "openai:gpt-5-mini", "default_user": "private", "default_judge": "private"},
        "agent": {"model": "private", "mode": "loop"},
        "user": {"max_turns": 1},
        "metrics": ["answer_relevancy(votes=1)"],
        "record": "auto",
    }  # fmt: skip
    (folder / "suite.yaml").write_text(json.dumps({**suite, **more}))


@pytest.fixture(autouse=True)
def environment(monkeypatch, tmp_path):
    monkeypatch.setenv("GATEWAY", SECRET)
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def test_every_role_has_its_host_before_and_during_a_run_and_no_key_is_kept(rightcall, tmp_path):
    with one_server() as server:
        write_suite(tmp_path, server.url)
        host = server.url.removeprefix("http://").removesuffix("/v1")
        dry = rightcall("run", "suite.yaml", "--dry-run")
        document = json.loads(rightcall("run", "suite.yaml", "--dry-run", "--json").out)
        ran = rightcall("run", "suite.yaml")
        report = rightcall("runs", "report", "last", "-o", "report.html")
    for role in ("agent", "user", "answer_relevancy"):
        assert f"asks {role} openai:m at {host}" in dry.out and f"asks: {role} openai:m at {host}" in ran.err
    assert {(role["role"], role["host"]) for role in document["hosts"]} == {
        ("agent", host), ("user", host), ("answer_relevancy", host)
    }  # fmt: skip
    assert {one["authorization"] for one in server.headers} == {f"Bearer {SECRET}"}
    assert {one["x-team"] for one in server.headers} == {f"a {SECRET}"}
    shown = "".join(done.out + done.err for done in (dry, ran, report))
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert SECRET not in shown and SECRET.encode() not in kept


def test_a_replay_asks_no_agent(rightcall, tmp_path):
    with one_server() as server:
        write_suite(tmp_path, server.url, metrics=[])
        rightcall("run", "suite.yaml")
        again = rightcall("run", "suite.yaml", "--record", "replay")
    assert "asks: agent" not in again.err


@pytest.mark.parametrize("place", ["suite", "project", "agent"])
def test_a_suite_from_elsewhere_may_not_send_variables_unasked(place, rightcall, tmp_path, monkeypatch):
    """Neither by itself nor by the pyproject.toml next to it."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    (tmp_path / "pyproject.toml").touch()
    url = "https://collector.invalid/v1"
    own = {"model": "openai:m", "base_url": url, "headers": {"X-Team": "${GATEWAY}"}}
    elsewhere = {"models": {}, "user": {"model": "openai:m"}, "metrics": []}
    if place == "agent":
        write_suite(outside, url, agent=own, **elsewhere)
    elif place == "project":
        write_suite(outside, url, agent={"model": "private"}, **elsewhere)
        entry = f'private = {{model = "openai:m", base_url = "{url}", key_env = "GATEWAY"}}'
        (outside / "pyproject.toml").write_text(f"[tool.rightcall.models]\n{entry}\n")
    else:
        write_suite(outside, url)
    done = rightcall("run", outside / "suite.yaml")
    assert done.code == 2 and "pass --trust" in done.err
    assert "pass --trust" not in rightcall("run", outside / "suite.yaml", "--trust").err


def test_the_agent_of_a_stored_run_keeps_its_server(tmp_path):
    write_suite(tmp_path, "http://127.0.0.1:9/v1")
    suite = load_suite(tmp_path / "suite.yaml")
    assert agent_of_run(suite, tmp_path, "openai:m") == "private"
    assert agent_of_run(suite, tmp_path, "openai:gpt-5-mini") == "plain"
    assert agent_of_run(suite, tmp_path, "openai:other") == "openai:other"
    again = plan_suite(suite, tmp_path, model=agent_of_run(suite, tmp_path, "openai:m"), start_nothing=True)
    assert again.agent.base_url == "http://127.0.0.1:9/v1"


def test_prices_of_an_entry_are_in_the_estimate(rightcall, tmp_path):
    entry = {"model": "openai:m", "base_url": "http://127.0.0.1:9/v1", "prices": {"input": 0, "output": 1e4}}
    with one_server() as server:
        models = {"private": {**entry, "base_url": server.url}, "default_user": "private"}
        write_suite(tmp_path, server.url, models=models, metrics=[])
        found = json.loads(rightcall("run", "suite.yaml", "--dry-run", "--json").out)
    assert found["cost_usd"] == pytest.approx(found["output_tokens"] / 100)


def test_generate_names_the_host_of_its_model(rightcall):
    words = ["generate", "goldens", "--from", "scratch", "--scenario", "s", "--style", "x", "--n", "1"]
    with one_server() as server:
        done = rightcall(*words, "--model", f"openai:w@{server.url}")
    assert f"asks: writer openai:w at {server.url.removeprefix('http://').removesuffix('/v1')}" in done.err


def test_a_wrong_name_is_told_once_with_the_names_there_are(rightcall, tmp_path):
    write_suite(
        tmp_path,
        "http://127.0.0.1:9/v1",
        agent={"model": "privat"},
        metrics=["answer_relevancy(model='zzz')"],
    )
    done = rightcall("run", "suite.yaml")
    assert done.code == 2 and done.err.count("'privat'") == 1 and "did you mean 'private'?" in done.err
    assert "unknown model 'zzz'; models with a name: plain, private; or use provider:model" in done.err
