"""What `improve` accepts and refuses, with an agent that reacts to words in the definitions it is sent."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest
from benchmarks import improve as simulation
from benchmarks.planted_suites.provider import ReadingModel

from rightcall.agents.agent import Agent
from rightcall.improve.hypothesis import ProposedChange
from rightcall.improve.proof.options import ImproveOptions
from rightcall.improve.proof.protocol import improve_plan
from rightcall.improve.proposals import Proposal
from rightcall.providers.base import ModelReply
from rightcall.records import ExpectedCall, Golden, Message, Tool, ToolCall
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store
from rightcall.store.base import RunFilter
from rightcall.tools.definitions.function import tool

pytestmark = pytest.mark.stories

SCHEMA = {"type": "object", "properties": {}, "additionalProperties": False}
OLD = "Pay a bill of a customer."
TOOLS = [
    Tool("pay", OLD, SCHEMA),
    Tool("ask", "Ask a customer for a document.", SCHEMA),
]
PAY = [Golden(f"Pay bill {n}", f"pay-{n:02}", expected_calls=(ExpectedCall("pay", {}),)) for n in range(30)]
ASK = [
    Golden(f"Ask for document {n}", f"ask-{n:02}", expected_calls=(ExpectedCall("ask", {}),))
    for n in range(20)
]
CHAT = [Golden(f"Hello {n}", f"chat-{n:02}", "negative", no_calls=True) for n in range(20)]


class Reacting(ReadingModel):
    """Pays every third bill, and all of them when `pays` likes the text; `errs` says what else a text does."""

    def __init__(self, pays, errs=lambda text, kind: False) -> None:
        self._pays = pays
        self._errs = errs
        self.order = []

    async def complete(self, request):
        text = " ".join(tool.description for tool in request.prompt.tools)
        kind, _, number = request.golden_id.partition("-")
        self.order.append("helps" in text)
        await asyncio.sleep(0)  # a model takes its time
        right = self._pays(text) or int(number) % 3 == 0 if kind == "pay" else not self._errs(text, kind)
        wanted = kind if kind != "chat" else None
        called = wanted if right else None if wanted else "pay"
        calls = (ToolCall(called, {}),) if called else ()
        return ModelReply(Message("assistant", "" if calls else "Hello", calls))


def proposing(*texts: str):
    async def rewrite(task):
        return [
            Proposal(
                f"text {n}", "", (ProposedChange("pay", ("description",), OLD, text),), "model", ("pay",)
            )
            for n, text in enumerate(texts)
        ]

    return rewrite


def improved(
    model,
    folder,
    *texts: str,
    goldens=(*PAY, *ASK, *CHAT),
    mode="single_turn",
    execute="mock",
    tools=TOOLS,
    **options,
):
    agent = Agent(model, tools=tools, mode=mode, execute=execute)
    plan = Plan("p", agent, list(goldens), concurrency=4)
    with open_store(folder / "s.db") as store:
        run = asyncio.run(run_plan(plan, store)).run.id
        return asyncio.run(
            improve_plan(plan, store, run, ImproveOptions(rewrite=proposing(*texts), **options))
        )


def helps(text: str) -> bool:
    return "helps" in text


GOOD = "Pay a bill that a customer helps with."


def test_a_text_that_helps_is_accepted(tmp_path):
    found = improved(Reacting(helps), tmp_path, GOOD)
    assert (found.outcome, found.edits[0]["to"]) == ("accepted", GOOD)
    assert found.tried[-1].by_tool[1].tool == "no call"


def test_a_text_that_breaks_another_tool_is_refused(tmp_path):
    model = Reacting(helps, lambda text, kind: kind == "ask" and helps(text))
    found = improved(model, tmp_path, GOOD)
    assert found.exit_code != 0
    assert found.tried[-1].refused == "it makes goldens of ask worse: -100 points on 12"


def test_a_text_that_costs_negatives_is_refused(tmp_path):
    model = Reacting(helps, lambda text, kind: kind == "chat" and helps(text))
    found = improved(model, tmp_path, GOOD)
    assert "it makes goldens that want no call worse" in found.tried[-1].refused


def test_a_text_with_values_of_goldens_is_refused_before_any_call(tmp_path):
    goldens = [
        Golden(f"Pay Aurelio {n}", f"pay-{n:02}", expected_calls=(ExpectedCall("pay", {"to": "Aurelio"}),))
        for n in range(20)
    ]
    tools = [
        Tool("pay", OLD, SCHEMA | {"properties": {"to": {"type": "string", "description": "Who is paid"}}})
    ]
    found = improved(
        Reacting(helps), tmp_path, "Pay a bill of Aurelio that helps.", goldens=goldens, tools=tools
    )
    assert (found.outcome, found.calls) == ("nothing_to_try", 0)
    assert "it copies 'Aurelio'" in found.tried[-1].refused


def test_of_two_equally_helpful_proposals_the_shorter_is_taken(tmp_path):
    found = improved(Reacting(helps), tmp_path, GOOD[:-1] + " in any case here.", GOOD)
    assert found.edits[0]["to"] == GOOD


class Paying(Reacting):
    """Says what to call, then that it is done."""

    async def complete(self, request):
        if any(message.role == "tool" for message in request.messages):
            return ModelReply(Message("assistant", "Done"))
        return await super().complete(request)


def test_calls_whose_outcome_is_unknown_are_counted(tmp_path):
    paid = []

    @tool(description=OLD, destructive=True)
    def pay() -> str:
        paid.append(1)
        if len(paid) == 60:  # a trial of the proof
            raise ConnectionResetError("the other end is gone")
        return "paid"

    @tool(description="Ask a customer for a document.")
    def ask() -> str:
        return "asked"

    found = improved(Paying(helps), tmp_path, GOOD, tools=[pay, ask], mode="loop", execute="real")
    assert found.outcome == "accepted" and found.sentence.endswith("; 1 call: outcome unknown")


def test_baseline_and_candidates_are_run_at_the_same_time(tmp_path):
    model = Reacting(helps)
    improved(model, tmp_path, GOOD)
    proof = model.order[-2 * 42 * 3 :]
    switches = sum(one != two for one, two in pairwise(proof))
    assert proof.count(True) == proof.count(False)
    assert switches > 20


def test_new_goldens_start_a_new_ledger_and_a_few_do_not(tmp_path):
    more = [
        Golden(f"Pay bill {n}", f"pay-{n}", expected_calls=(ExpectedCall("pay", {}),))
        for n in range(100, 103)
    ]
    other = [
        Golden(f"Settle bill {n}", f"pay-{n}", expected_calls=(ExpectedCall("pay", {}),))
        for n in range(200, 240)
    ]
    proofs = [
        improved(Reacting(helps), tmp_path, GOOD, goldens=g).proofs for g in (PAY, [*PAY, *more], other)
    ]
    assert proofs == [1, 2, 1]


def test_too_many_unanswered_requests_are_an_error_not_a_result(tmp_path):
    from rightcall.core.errors import InfrastructureError, ProviderError

    class Down(Reacting):
        async def complete(self, request):
            if "helps" in request.prompt.tools[0].description:
                raise ProviderError("no credit left", kind="refused")
            return await super().complete(request)

    with pytest.raises(InfrastructureError, match="no credit left"):
        improved(Down(helps), tmp_path, GOOD)


def test_a_proof_is_found_in_the_store_and_changes_no_listing_of_the_suite(tmp_path):
    improved(Reacting(helps), tmp_path, GOOD)
    with open_store(tmp_path / "s.db") as store:
        phases = [
            one.run.settings.get("improve", {}).get("phase") for one in store.runs.page(RunFilter(), limit=50)
        ]
    assert sorted(filter(None, phases)) == ["candidate", "proof", "screening"]


@pytest.mark.parametrize(
    ("seeds", "uses", "most"), [(2, 1, 0), pytest.param(4, 2, 1, marks=pytest.mark.nightly)]
)
def test_texts_that_do_nothing_are_hardly_ever_accepted(seeds, uses, most):
    assert simulation.null(seeds, uses, goldens=60)[1] <= most


def test_a_text_that_helps_by_twenty_points_is_mostly_accepted():
    assert simulation.power(4, 3, 0.3)[0] >= 2


def test_the_simulated_agent_gains_what_it_says():
    goldens = simulation.goldens_of(600)
    ids = {golden.id for golden in goldens}
    agent = simulation.FlakyAgent("s", goldens, ids, 0.2)
    after = [0.97 if g in agent._repaired else agent._chance[g] for g in sorted(ids)]
    assert sum(after) / 600 - sum(agent._chance.values()) / 600 == pytest.approx(0.2, abs=0.04)
