"""Two servers of one model never share a cached verdict, a recording, a resumed run or a baseline."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

import rightcall as rc
from rightcall.agents.conversation.model_user import UserSetup
from rightcall.deepeval.metrics import AnswerRelevancyMetric
from rightcall.metrics.judged.rubric import AnswerRelevancy
from rightcall.metrics.judged.vote import VerdictCache, identity_of
from rightcall.metrics.score_case import Scorer
from rightcall.providers.base import Settings
from rightcall.providers.endpoint import ModelEndpoint
from rightcall.providers.resolver import resolve
from rightcall.run.inputs import ask_hash
from rightcall.run.plan import scorer_fingerprint
from rightcall.run.suite import load_suite
from rightcall.run.suite_plan import plan_suite
from tests.support.one_server import one_server

MODEL = "openai:same"
CASE = rc.TestCase(rc.Golden("Hi?", id="g"), rc.Trajectory(output="Hello."))
TOOLS = [{"name": "get_weather", "description": "Weather of a city", "input_schema": {"type": "object"}}]


def by_entry(url: str, monkeypatch) -> dict:
    return {"model": ModelEndpoint(MODEL, url)}


def by_setting(url: str, monkeypatch) -> dict:
    return {"model": MODEL, "base_url": url}


def by_variable(url: str, monkeypatch) -> dict:
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    return {"model": MODEL}


def by_object(url: str, monkeypatch) -> dict:
    return {"model": resolve(MODEL, base_url=url)}


WAYS = [by_entry, by_setting, by_variable, by_object]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    return tmp_path


@pytest.mark.parametrize("way", WAYS)
def test_a_verdict_is_cached_for_its_server_alone(way, monkeypatch):
    """Each server is asked once, whatever the other has said; a second time neither is."""
    with one_server() as first, one_server() as second:
        for _ in range(2):
            for server in (first, second):
                metric = AnswerRelevancy(votes=1, **way(server.url, monkeypatch))
                assert asyncio.run(metric.measure(CASE)).passed
    assert (len(first.bodies), len(second.bodies)) == (1, 1)


def test_a_judges_identity_is_its_model_server_and_settings(monkeypatch):
    url = "http://127.0.0.1:1/v1"
    known = [
        identity_of(MODEL),
        identity_of(ModelEndpoint(MODEL, url)),
        identity_of(ModelEndpoint(MODEL, url + "/deployment")),
        identity_of(ModelEndpoint(MODEL, url, settings=Settings(temperature=0))),
    ]
    keys = {VerdictCache.key(judge, "q", 0) for judge in known}
    assert len(keys) == len(known)
    assert VerdictCache.key(identity_of(resolve(MODEL, base_url=url)), "q", 0) in keys
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    assert VerdictCache.key(identity_of(MODEL), "q", 0) in keys


def write_suite(folder: Path, agent: dict, **more) -> Path:
    golden = {"id": "g1", "input": "Weather in Hanoi?", "expected_calls": [{"tool": "get_weather"}]}
    (folder / "goldens.jsonl").write_text(json.dumps(golden) + "\n")
    suite = {"name": "s", "dataset": "goldens.jsonl", "tools": TOOLS, "agent": agent, **more}
    (folder / "suite.yaml").write_text(json.dumps(suite))
    return folder / "suite.yaml"


@pytest.mark.parametrize("variable", [False, True])
@pytest.mark.parametrize("mode", ["auto", "replay"])
def test_a_recording_is_replayed_for_its_server_alone(mode, variable, folder, monkeypatch):
    def run(url: str, mode: str):
        if variable:
            monkeypatch.setenv("OPENAI_BASE_URL", url)
        file = write_suite(folder, {"model": MODEL, **({} if variable else {"base_url": url})})
        return rc.run_suite(file, record=mode).results[0]

    with one_server() as first, one_server() as second:
        assert run(first.url, "auto").passed and run(first.url, mode).passed
        assert (len(first.bodies), len(second.bodies)) == (1, 0)
        other = run(second.url, mode)
    assert (len(first.bodies), len(second.bodies)) == (1, 1 if mode == "auto" else 0)
    assert other.passed == (mode == "auto")
    assert mode == "auto" or "not_recorded" in other.error


@pytest.mark.parametrize("variable", [False, True])
def test_runs_at_two_servers_are_runs_of_two_agents(variable, folder, monkeypatch):
    """Fingerprints (resume), inputs (check, baselines) and the setup (compare) differ; without a server, none does."""

    def kept(url: str):
        if variable and url:
            monkeypatch.setenv("OPENAI_BASE_URL", url)
        written = {"base_url": url} if url and not variable else {}
        plan = plan_suite(load_suite(write_suite(folder, {"model": MODEL, **written})), folder)
        return plan.fingerprints(())["agent"], plan.inputs().hash, plan.setup()["base_url"]

    found = [kept(url) for url in ("", "http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1")]
    for parts in zip(*found, strict=True):
        assert len(set(parts)) == 3


@pytest.mark.parametrize("way", WAYS)
def test_judges_and_users_at_two_servers_are_different(way, monkeypatch):
    urls = ("http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1")
    judges = set()
    users = set()
    for url in urls:
        chosen = way(url, monkeypatch)
        judges.add(scorer_fingerprint(Scorer([AnswerRelevancyMetric(**chosen)])))
        server = {"model": f"{MODEL}@{url}"} if "base_url" in chosen else chosen
        users.add(UserSetup(**server).bound().fingerprint)
    assert len(judges) == len(users) == 2


def test_a_golden_that_names_an_entry_is_asked_at_its_server_and_changes_with_it(folder):
    """An entry that no golden chooses changes nothing."""

    def hashes(**entries: str):
        models = {name: {"model": MODEL, "base_url": url} for name, url in entries.items()}
        file = write_suite(folder, {"model": "openai:agent", "base_url": entries["small"]}, models=models)
        golden = {"id": "g1", "input": "Hi", "model": "small", "expected_calls": []}
        (folder / "goldens.jsonl").write_text(json.dumps(golden) + "\n")
        plan = plan_suite(load_suite(file), folder)
        fixed = replace(plan, agent=replace(plan.agent, base_url="http://127.0.0.1:9/v1"))
        return ask_hash(next(iter(fixed.goldens())), fixed.inputs())

    with one_server() as server:
        first = hashes(small=server.url)
        assert rc.run_suite(folder / "suite.yaml").results[0].error == ""
    assert {body["model"] for body in server.bodies} == {"same"}
    other = "http://127.0.0.1:1/v1"
    assert hashes(small=server.url, unused=other) == first != hashes(small=other)
