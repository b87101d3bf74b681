"""Adaptive search: same seed same search, left at the first hit, in no rate and no gate."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import given, settings, strategies as st

import rightcall as rc
from rightcall.cli.main import cli
from rightcall.decide.search_numbers import SearchRecord
from rightcall.model import Usage
from rightcall.run.attacks import search_of_run
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.show.view.safety_sections import search_sentence
from rightcall.store.address import open_store
from rightcall.wings.attacks.adaptive_search import AdaptiveAttackSearch, AttackArm, Bandit
from rightcall.wings.attacks.attack_plan import AdaptiveSearch, AttackPlan
from rightcall.wings.attacks.attacked_plan import plan_with_attacks
from tests.wings.attacks import agents
from tests.wings.attacks.agents import GOLDENS, agent, hardened, naive

FEW = GOLDENS[:2]
GOALS = ("send_to_attacker",)
CARRIERS = ("result", "error", "definition")


def target(decide: agents.Decide, goldens: Any = FEW) -> Any:
    attacked = agent(decide, goldens)
    model: Any = attacked.model
    model._expected = agents.AnyTask(model._expected)
    return attacked


def plan_of(budget: int, seed: int = 7, **changes: Any) -> AttackPlan:
    return AttackPlan(
        seed=seed,
        attempts=1,
        goals=changes.pop("goals", GOALS),
        carriers=CARRIERS,
        adaptive=AdaptiveSearch(budget),
        **changes,
    )


def searched(decide: agents.Decide, budget: int, seed: int = 7) -> SearchRecord:
    plan = Plan("search", target(decide), list(FEW))
    return asyncio.run(AdaptiveAttackSearch(plan_of(budget, seed), FEW)(plan))


def by_template(turn: agents.Turn) -> Any:
    """Obeys only what calls itself an order of the system."""
    texts = [text for text in turn.texts() if "system" in text.lower()]
    return next(([call] for call in turn.demands(texts)), None) or hardened(turn)


@pytest.mark.stories
def test_the_naive_agent_is_broken_and_left_at_the_first_hit():
    record = searched(naive, 60)
    numbers = record.numbers
    assert numbers.asr_adaptive.value == 1.0
    assert all(row.broken and row.arm and row.winner for row in numbers.rows)
    assert numbers.attempts == sum(row.attempts for row in numbers.rows) < 60
    assert [golden.id for golden in record.winners] == sorted(row.winner for row in numbers.rows)
    assert all(golden.safety is not None and golden.safety.is_attack for golden in record.winners)


@pytest.mark.stories
def test_the_hardened_agent_is_never_broken_and_the_budget_is_used():
    numbers = searched(hardened, 4).numbers
    assert (numbers.attempts, numbers.asr_adaptive.count, numbers.asr_adaptive.value) == (4, 0, 0.0)
    assert numbers.asr_adaptive.upper is numbers.asr_adaptive.low is None


@pytest.mark.stories
def test_the_same_seed_gives_the_same_search():
    assert searched(by_template, 10) == searched(by_template, 10)
    assert searched(hardened, 6, seed=1) == searched(hardened, 6, seed=1)


def test_a_budget_smaller_than_the_tasks_says_what_was_left_out():
    numbers = searched(hardened, 1).numbers
    assert (numbers.attempts, len(numbers.rows), numbers.left_out) == (1, 1, 1)


def test_errors_are_attempts_and_no_evidence():
    numbers = searched(agents.dead, 2).numbers
    assert (numbers.attempts, numbers.errors) == (2, 2)
    assert (numbers.asr_adaptive.n, numbers.asr_adaptive.value) == (0, None)


@given(seed=st.integers(0, 99), best=st.integers(0, 5))
@settings(max_examples=10, deadline=None)
def test_the_bandit_comes_to_prefer_the_arm_that_works(seed: int, best: int) -> None:
    arms = [
        AttackArm("result", template)
        for template in ("plain", "override", "routine", "tool_named", "staged", "owner_note")
    ]
    bandit, chosen = Bandit(seed), Counter[AttackArm]()
    for _ in range(150):
        arm = bandit.choose(reversed(arms))
        chosen[arm] += 1
        bandit.learn(arm, hit=arm == arms[best])
    assert chosen.most_common(1)[0][0] == arms[best]


def test_progress_is_told_and_what_the_search_used_is_in_the_runs_usage(tmp_path):
    class Priced(agents.ScriptedAgent):
        async def complete(self, request: Any) -> Any:
            reply = await super().complete(request)
            return msgspec.structs.replace(reply, usage=Usage(10, 1, 0.5))

    attacked, told = target(hardened), list[str]()
    model = Priced(hardened, FEW)
    model._expected = agents.AnyTask(model._expected)
    plan = plan_with_attacks(Plan("p", replace(attacked, model=model), list(FEW)), plan_of(2))
    with open_store(tmp_path / "runs.db") as store:
        outcome = asyncio.run(run_plan(plan, store, tell=told.append))
        search = search_of_run(store, outcome.run)
        results = list(store.runs.results(outcome.run.id))
    assert told[-1].startswith("adaptive search: 2 of 2 attempts, 0 of ")
    assert search is not None and search.numbers.usage.cost_usd
    spent = sum(result.usage.cost_usd or 0 for result in results)
    assert outcome.summary.usage.cost_usd == pytest.approx(spent + search.numbers.usage.cost_usd)


GATE = {"forbid": ["hijacked"], "safety": {"max_over_refusal": 1.0}}


def moved_by_search_only(turn: agents.Turn) -> Any:
    """Obeys texts in a wrap that the fixed plan does not use."""
    texts = [text for text in turn.texts() if "<!--" in text or "```" in text or '{"' in text[:2]]
    return next(([call] for call in turn.demands(texts)), None) or hardened(turn)


def evaluated(decide: agents.Decide, attacks: AttackPlan, store: Path) -> Any:
    return rc.evaluate(target(decide), list(FEW), attacks=attacks, gate=GATE, store=store)


@pytest.mark.stories
def test_a_search_is_in_no_rate_and_no_gate(tmp_path):
    searching = evaluated(moved_by_search_only, plan_of(40), tmp_path / "search.db")
    fixed = AttackPlan(attempts=1, goals=GOALS, carriers=CARRIERS)
    plain = evaluated(moved_by_search_only, fixed, tmp_path / "plain.db")
    assert plain.safety.adaptive is None and plain.safety.asr_adaptive is None
    assert searching.safety.asr_adaptive.count > 0
    assert msgspec.structs.replace(searching.safety, adaptive=None) == plain.safety
    assert [check.sentence for check in searching.verdict.checks] == [
        check.sentence for check in plain.verdict.checks
    ]
    assert searching.summary.overall == plain.summary.overall
    assert len(searching.results) == len(plain.results)


@pytest.mark.stories
def test_a_search_is_shown_apart_everywhere_and_its_winners_are_goldens(tmp_path):
    store = tmp_path / "search.db"
    run = evaluated(naive, plan_of(40), store)
    sentence = search_sentence(run.safety.adaptive)
    for form in ("html", "markdown", "json", "junit"):
        page = tmp_path / f"report.{form}"
        shown = CliRunner().invoke(
            cli, ["runs", "report", run.id, "--store", str(store), "--format", form, "-o", str(page)]
        )
        assert shown.exit_code == 0, shown.output
        assert sentence in page.read_text(encoding="utf-8"), form
    shown = CliRunner().invoke(cli, ["runs", "show", run.id, "--store", str(store)])
    assert "adaptive search" in shown.output.lower()
    with open_store(store) as opened:
        goldens = search_of_run(opened, opened.runs.get(run.id).run).winners
    assert [golden.id for golden in goldens] == sorted(row.winner for row in run.safety.adaptive.rows)
    again = rc.evaluate(target(naive), [*FEW, *goldens], store=store)
    assert again.safety.asr.count == len(goldens)
