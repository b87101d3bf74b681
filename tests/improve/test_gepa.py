"""Descriptions found by the gepa package: a search on tune, proven like any other proposal."""

from __future__ import annotations

import asyncio

import pytest

from rightcall.agents.agent import Agent
from rightcall.core.errors import MissingExtraError
from rightcall.improve.proof import gepa_engine
from rightcall.improve.proof.gepa_engine import GepaEngine
from rightcall.improve.proof.options import ImproveOptions
from rightcall.improve.proof.protocol import improve_plan
from rightcall.model import Message
from rightcall.models.base import ModelReply
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store
from rightcall.store.base import RunFilter
from tests.improve.test_improve_protocol import ASK, CHAT, GOOD, PAY, TOOLS, Reacting, helps

pytestmark = pytest.mark.stories


class Reflecting(Reacting):
    """A scripted model that reflects: it answers with the next of its texts."""

    def __init__(self, *texts: str) -> None:
        self.texts, self.asked = list(texts), []

    async def complete(self, request):
        self.asked.append(request.messages[-1].content)
        text = self.texts.pop(0) if len(self.texts) > 1 else self.texts[0]
        return ModelReply(Message("assistant", f"Here it is:\n```\n{text}\n```"))


def searched(folder, monkeypatch, reflecting: Reflecting, **options):
    monkeypatch.setattr(gepa_engine, "resolve", lambda name: reflecting)
    plan = Plan("p", Agent(Reacting(helps), tools=TOOLS), [*PAY, *ASK, *CHAT])
    with open_store(folder / "s.db") as store:
        run = asyncio.run(run_plan(plan, store)).run.id
        engine = GepaEngine("scripted:", calls=60)
        found = asyncio.run(improve_plan(plan, store, run, ImproveOptions(rewrite=engine, **options)))
        return found, list(store.runs.page(RunFilter(), limit=200))


@pytest.mark.stories
def test_a_text_found_by_reflection_is_proven_on_goldens_the_search_never_saw(tmp_path, monkeypatch):
    reflecting = Reflecting("Pay a bill in spring.", GOOD)
    found, runs = searched(tmp_path, monkeypatch, reflecting)
    assert (found.outcome, found.edits[0]["to"]) == ("accepted", GOOD)
    phases = [run.run.settings["improve"]["phase"] for run in runs if "improve" in run.run.settings]
    assert phases.count("search") > 3
    assert {"proof", "candidate"} <= set(phases)


def test_the_reflecting_model_sees_failed_requests_of_tune_and_our_rules(tmp_path, monkeypatch):
    reflecting = Reflecting(GOOD)
    searched(tmp_path, monkeypatch, reflecting)
    asked = " ".join(reflecting.asked)
    assert "Never copy values" in asked
    assert "no_call pay" in asked
    proof = {f"Pay bill {n}" for n in range(30) if f"Pay bill {n}\n" in asked}
    assert 0 < len(proof) <= 12


def test_a_search_that_finds_nothing_better_proposes_nothing(tmp_path, monkeypatch, capsys):
    found, _ = searched(tmp_path, monkeypatch, Reflecting("Pay a bill in spring."))
    assert not [one for one in found.tried if one.name.startswith("gepa")]
    assert capsys.readouterr().out == ""


def test_without_the_package_the_install_line_is_said(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "gepa", None)
    with pytest.raises(MissingExtraError, match=r"rightcall\[improve\]"):
        searched(tmp_path, monkeypatch, Reflecting(GOOD))
