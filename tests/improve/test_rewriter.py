"""Descriptions that a model rewrites: usable answers become proposals, and only the provider's failures are passed over."""

from __future__ import annotations

import asyncio

import pytest
from benchmarks.planted_suites.provider import ReadingModel

from rightcall.core.errors import ProviderError
from rightcall.improve import model_texts
from rightcall.improve.findings import Analysis, RunFinding, WonBack
from rightcall.improve.model_texts import Rewriter
from rightcall.improve.proposals import ProposalTask
from rightcall.providers.base import ModelReply
from rightcall.records import Golden, Message, Tool

FINDING = RunFinding(
    1, "narrow_description", True, ("find",), ("g1",), "find is missed", "", WonBack(1, 0, 1, 1), 0.5, 1
)
ANALYSIS = Analysis("", 1, 1, 1, (FINDING,), (), ())
TASK = ProposalTask(ANALYSIS, [Tool("find", "Find.")], "", [Golden("where is it?", "g1")], ())
OVERLOADED = ProviderError("overloaded", kind="overloaded", retryable=True)


def proposals(monkeypatch, answers):
    """What becomes of these answers, one for each time that the model is asked."""

    class Writer(ReadingModel):
        async def complete(self, request):
            answer = answers[request.trial]
            if isinstance(answer, Exception):
                raise answer
            return ModelReply(Message("assistant", answer))

    monkeypatch.setattr(model_texts, "resolve", lambda name: Writer(None))
    return asyncio.run(Rewriter("m")(TASK))


def test_each_new_text_is_a_proposal_for_what_the_finding_is_about(monkeypatch):
    found = proposals(monkeypatch, ['"Find a\n thing."', "Find.", "Find a thing."])
    assert [change.after for proposal in found for change in proposal.changes] == ["Find a thing."]
    assert (found[0].source, found[0].tools, found[0].cause) == ("model", ("find",), "narrow_description")


def test_answers_that_the_provider_failed_to_give_are_left_out(monkeypatch):
    found = proposals(monkeypatch, [OVERLOADED, "Find a thing.", "Find it."])
    assert [proposal.changes[0].after for proposal in found] == ["Find a thing.", "Find it."]


def test_any_other_error_is_not_hidden(monkeypatch):
    with pytest.raises(RuntimeError, match="a bug"):
        proposals(monkeypatch, [OVERLOADED, RuntimeError("a bug"), "Find it."])
