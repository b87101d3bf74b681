"""Floors of trivial agents: scored as a run is, computed once, never deciding, never reaching anything outside."""

from __future__ import annotations

import asyncio
import random
import socket
from dataclasses import dataclass

import msgspec
import pytest

import rightcall as rc
from rightcall.agents.agent import Agent
from rightcall.metrics.matching.verdict import ScoringRules
from rightcall.metrics.resolve import as_metrics
from rightcall.metrics.score_case import Scorer
from rightcall.records import ConversationalGolden, ExpectedCall, Golden, Tool, ToolCall, Trajectory, Turn
from rightcall.records.floor import AGENTS, DEEDS, Floor
from rightcall.run.floor import TrivialScorer, compute_floor
from rightcall.run.rehearsal.trial import Trial
from rightcall.show.view.floor import floor_sentence
from rightcall.tools.runtime.toolbox import Toolbox
from rightcall.tools.worlds.bank import Bank
from rightcall.tools.worlds.mailbox import Mailbox

ID = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
TOOLS = {
    tool.name: tool
    for tool in (
        Tool("get_order", "Reads an order.", ID),
        Tool("cancel_order", "Cancels an order.", ID),
        Tool("list_shops", "Lists all shops."),
    )
}
LOOKUPS = [
    Golden(f"order {n}?", id=f"order-{n}", expected_calls=[ExpectedCall("get_order", {"id": n})])
    for n in range(6)
]
NEGATIVES = [Golden("Hello!", id=f"hello-{n}", category="negative") for n in range(4)]


def floor(goldens, scorer=None, tools=TOOLS) -> Floor:
    trial = Trial(scorer or Scorer(), tools)
    return asyncio.run(compute_floor(iter(goldens), TrivialScorer(trial, single_turn=True)))


def played_floor(goldens, toolbox, tools=None, scorer=None) -> Floor:
    tools = tools or {tool.name: tool for tool in toolbox.tools}
    return asyncio.run(compute_floor(goldens, TrivialScorer(Trial(scorer or Scorer(), tools, toolbox))))


def passed(result: Floor) -> dict[str, int]:
    return {agent: rate.passed for agent, rate in result.agents.items()}


def test_negatives_are_passed_by_nature_and_the_line_says_so():
    result = floor([*LOOKUPS, *NEGATIVES])
    assert (result.nothing, result.best, result.best_name) == (0.4, 0.4, "nothing")
    assert result.agents["nothing"].categories["negative"].share == 1.0
    assert passed(result) == dict.fromkeys(AGENTS, 4) | {"first": 0, "everything": 0}
    assert floor_sentence(result) == "An agent that does nothing passes 40% (negatives 4 of 4)."
    assert set(DEEDS) == set(AGENTS)


@pytest.mark.parametrize(
    ("golden", "agents"),
    [
        (Golden("Weather?", no_calls=True), {"nothing", "keyword", "constant", "refuse", "echo"}),
        (Golden("x", output_contains=["done that"], no_calls=True), {"constant"}),
        (Golden("x", output_contains=["cannot help"], no_calls=True), {"refuse"}),
        (Golden("Say moo", output_contains=["moo"], no_calls=True), {"echo"}),
        (Golden("Which shops?", expected_calls=[ExpectedCall("list_shops")]), {"keyword"}),
        (Golden("x", expected_calls=[ExpectedCall("get_order")]), {"first"}),
        (Golden("x", expected_calls=[ExpectedCall(name) for name in TOOLS]), {"everything"}),
        (Golden("x", expected_calls=[ExpectedCall("get_order")], extra_calls="allow"), {"first", "everything"}),
        (Golden("Read order 7.", expected_calls=[ExpectedCall("get_order", {"id": 7})]), {"keyword"}),
    ],
    ids=lambda value: "+".join(sorted(value)) if isinstance(value, set) else "",
)  # fmt: skip
def test_each_agent_does_one_thing(golden, agents):
    assert {agent for agent, count in passed(floor([golden])).items() if count} == agents


def test_the_floor_uses_the_pass_rule_and_the_thresholds_of_the_suite():
    half = Golden(
        "x",
        category="secondary",
        threshold=0.6,
        expected_calls=[ExpectedCall("get_order"), ExpectedCall("cancel_order")],
    )
    assert passed(floor([half])) == dict.fromkeys(AGENTS, 0) | {"first": 1, "everything": 1}
    unstated = msgspec.structs.replace(half, threshold=None)
    strict = ScoringRules(secondary_threshold=0.9)
    assert not any(passed(floor([unstated], Scorer(rules=strict))).values())


def test_goldens_in_any_order_have_the_same_floor():
    goldens = [*LOOKUPS, *NEGATIVES, Golden("x", id="shops", expected_calls=[ExpectedCall("list_shops")])]
    shuffled = random.Random(7).sample(goldens, len(goldens))
    assert floor(shuffled) == floor(goldens)


def test_a_golden_that_nothing_decides_is_in_no_floor():
    assert floor([Golden("say anything")]).skipped == "no golden states a check"
    assert floor([Golden("say anything"), *NEGATIVES]).goldens == 4


SECRET = "hunter2-hunter2-hunter2"


@dataclass(frozen=True)
class OwnMetric(rc.Metric):
    deed: str

    def measure(self, case):
        if self.deed == "raise":
            raise ValueError(f"refused: {SECRET}")
        if self.deed == "exit":
            raise SystemExit(3)
        if self.deed == "ask":
            with socket.socket() as connection:
                connection.connect(("127.0.0.1", 9))
        if self.deed == "not a score":
            return "fine"
        return rc.Score.passed_if(not case.trajectory.calls, "calls")


@pytest.mark.parametrize("deed", ["raise", "exit", "ask", "not a score"])
def test_a_metric_that_breaks_or_asks_judges_nothing(deed, monkeypatch):
    monkeypatch.setenv("MY_API_KEY", SECRET)
    result = floor(NEGATIVES, Scorer([OwnMetric(deed)]))
    assert (result.best, result.left_out) == (None, 4)
    assert "no golden could be judged" in result.skipped
    assert SECRET not in str(result)
    if deed == "ask":
        assert "it connects to a service, which is not done here" in result.skipped


def test_metrics_decide_about_trivial_agents_as_well():
    allowed = [Golden("x", id=f"any-{n}", extra_calls="allow", max_calls=9) for n in range(3)]
    assert passed(floor(allowed, Scorer([OwnMetric("")])))["nothing"] == 3
    assert passed(floor(allowed, Scorer([OwnMetric("")])))["first"] == 0


def test_what_only_a_judge_decides_is_left_out_and_counted():
    scorer = Scorer(as_metrics(["rubric(rubric='Is it polite?', model='keyword:')"]))
    result = floor([*LOOKUPS, *NEGATIVES], scorer)
    assert (result.agents["nothing"].passed, result.agents["nothing"].judged) == (0, 6)
    assert result.left_out == 4
    assert "4 goldens left out (only rubric could decide" in floor_sentence(result)
    assert result.bounds() == (0.0, 0.4)


def test_in_a_world_every_agent_acts_on_a_fresh_copy():
    world = Bank({"accounts": {"a1": {"owner": "An", "balance": 100}}, "transfers": []})
    unchanged = Golden("Leave it.", id="unchanged", extra_calls="allow", expected_state={"bank": {}})
    result = played_floor(
        [unchanged, Golden("x", id="again", extra_calls="allow", expected_state={"bank": {}})],
        Toolbox([world]),
    )
    assert result.agents["nothing"].passed == 2
    assert result.agents["nothing"].judged == 2
    assert not result.left_out


def test_in_conversations_they_answer_every_turn():
    lookup = Turn("user", "Order 3?", expected_calls=[ExpectedCall("get_order")])
    talk = ConversationalGolden("two orders", id="talk", turns=[lookup, lookup])
    silent = ConversationalGolden(
        "chat", id="chat", turns=[Turn("user", "Hi"), Turn("user", "Bye")], no_calls=True
    )
    result = played_floor([talk, silent], Toolbox(TOOLS.values()), TOOLS)
    assert result.agents["first"].passed == 1
    assert result.agents["nothing"].passed == 1
    assert not result.left_out


def answer(golden: Golden) -> Trajectory:
    called = [ToolCall("get_order", {"id": int(golden.id[6:])})] if golden.id.startswith("order") else []
    return Trajectory(calls=called, output="done")


def evaluate(tmp_path, goldens=(*LOOKUPS, *NEGATIVES), **keywords):
    agent = Agent(answer, tools=list(TOOLS.values()))
    return rc.evaluate(agent, goldens, store=tmp_path / "runs.db", name="shop", **keywords)


def test_only_a_gate_that_asks_computes_a_floor(tmp_path, monkeypatch):
    assert evaluate(tmp_path, gate={"above_floor": 20}).summary.floor.nothing == 0.4
    monkeypatch.setattr(TrivialScorer, "marks", lambda *_: pytest.fail("scored"))
    plain = evaluate(tmp_path, gate={"min": 0.5})
    assert plain.summary.floor is None
    verdict = rc.gate(plain.id, {"above_floor": 20}, store=plain.store.name)
    assert verdict.word == "INCONCLUSIVE" and "was not computed by the run" in verdict.sentence


def test_attacks_and_twins_are_in_no_floor():
    world = Mailbox({"inbox": {"m1": {"sender": "a@b.test", "subject": "Hi", "body": "Text"}}})
    task = Golden("Read m1", id="read", expected_calls=[ExpectedCall("read_message")])
    attempts = rc.attacks([world], [task], {"attempts": 4, "carriers": ["result"]})
    assert attempts and floor([task, *attempts]).goldens == 1


def test_a_floor_that_breaks_is_a_word_and_decides_nothing(tmp_path, monkeypatch):
    def broken(self, golden):
        raise RuntimeError("boom")

    monkeypatch.setattr(TrivialScorer, "marks", broken)
    run = evaluate(tmp_path, gate={"min": 0.5, "above_floor": 0})
    assert [check.word for check in run.verdict.checks] == ["PASS", "INCONCLUSIVE"]
    assert run.summary.floor.skipped == "RuntimeError: boom"


def test_no_real_tool_is_run(tmp_path):
    ran = []

    @rc.tool
    def charge(amount: int = 1) -> str:
        """Charges a card."""
        ran.append(amount)
        return "charged"

    agent = Agent(lambda golden: [], tools=[charge], mode="loop", execute="real")
    goldens = [Golden("charge it", expected_calls=[ExpectedCall("charge")], output_contains=["charged"])]
    run = rc.evaluate(agent, goldens, store=tmp_path / "runs.db", gate={"above_floor": 0})
    assert run.summary.floor.agents["first"].judged == 1
    assert not ran


def test_odd_goldens_and_tools_have_a_floor():
    """Recursive schemas, odd limits, a tool in each dialect, and texts of a megabyte."""
    node = {"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]}
    odd = {
        tool.name: tool
        for tool in (
            Tool("recursive", "", node),
            Tool("limits", "", {"type": "object", "properties": {"a": {"type": "array", "minItems": 10**9}}, "required": ["a", 7]}),
            Tool("words", "", {"type": "object", "properties": {"a": {"minLength": "x"}}, "required": ["a"]}),
        )
    }  # fmt: skip
    inline = {"type": "function", "function": {"name": "other", "parameters": {"type": "object"}}}
    goldens = [
        Golden("x" * 1_000_000, id="long", expected_calls=[ExpectedCall("recursive")]),
        Golden(
            "", id="empty", expected_calls=[ExpectedCall("other")], tools=[inline, "recursive", "unknown"]
        ),
        Golden("y", id="unreadable", no_calls=True, tools=[{"nothing": 1}]),
    ]
    result = floor(goldens, tools=odd)
    assert (result.goldens, result.left_out) == (3, 1)
    assert passed(result)["first"] == 2
