"""Goldens made wrong on purpose, found by the votes of simulated agents; and real repairs, found without any run.

    python -m benchmarks doubts [--goldens 700] [--draws 5] [--seed 1]

The goldens are BFCL's. One in twenty is damaged by a surely wrong mutant that its tools accept. **Agents are
simulated**: ten families of agents choose among the right answers that BFCL lists; on some goldens all families, all
agents of one, or one agent alone make a mistake, or do nothing. Real agents are more alike, and their mistakes less
random.

Repairs are answers that differ between two releases of BFCL; rules that need no run are asked about the older ones.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from tests.datasets.bfcl_candidates import candidates, right_answers
from tests.datasets.bfcl_official import Item, files_of, items_of, the_wheel, unpacked
from tests.support.downloads import pinned_file

from rightcall.core.errors import InputError
from rightcall.datasets.importers.bfcl import import_bfcl
from rightcall.improve.doubt import Doubt
from rightcall.improve.golden_doubts import Doubter
from rightcall.improve.votes import Attempt, Ballot, Voter, no_ballot
from rightcall.limbs.audit.audit import Auditor, AuditPlan
from rightcall.limbs.audit.mutation import mutants_of, select_operators
from rightcall.metrics.score_case import Scorer
from rightcall.records import ExpectedCall, Golden, ToolCall, Trajectory
from rightcall.records.expected_call import literal
from rightcall.run.rehearsal.trial import Trial

CATEGORIES = ("simple_python", "multiple", "parallel", "live_simple", "live_multiple")
FAMILIES = 10
AGENTS_EACH = 4
SHARED_BY_ALL = 0.01
SHARED_BY_FAMILY = 0.05
OWN = 0.08
GIVES_UP = 0.02
"""How often all agents make one mistake on a golden, all of a family, one alone; how often one does nothing."""
DAMAGED = 0.05
SIZES = (1, 2, 3, 5, 10)
OLD = ("bfcl-eval==2025.6.8", "bfcl_eval-2025.6.8-py3-none-any.whl",
       "f93fee3a66d33f8ea09e5174b4ba72aa80732b31506be1043da8ffb23c299cc3")  # fmt: skip


class Answered(NamedTuple):
    """A golden, damaged or not, and what every agent answers to its request."""

    golden: Golden
    damaged: bool
    answers: dict[Voter, Attempt]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks doubts")
    parser.add_argument("--goldens", type=int, default=700)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        new = unpacked(the_wheel(), Path(folder) / "new")
        for least in (0.8, 0.0):
            answered = asyncio.run(simulate(new, options.goldens, least, options.seed))
            damaged = sum(one.damaged for one in answered)
            which = f"that {least:.0%} of agents pass" if least else "whoever passes them"
            print(
                f"{len(answered)} goldens {which}, {damaged} damaged; {FAMILIES} families of {AGENTS_EACH} agents"
            )
            print("agents   likely or look: found, precision     likely: found, precision")
            for size in SIZES:
                draws = [vote(answered, size, f"{options.seed}/{draw}") for draw in range(options.draws)]
                print_votes(size, draws)
        print_repairs(new, unpacked(pinned_file(*OLD), Path(folder) / "old"))


async def simulate(folder: Path, count: int, least: float, seed: int) -> list[Answered]:
    """Goldens that at least this share of agents passes, one in twenty of them damaged."""
    rng = random.Random(seed)
    trial = Trial(Scorer(), {})
    auditor = Auditor(trial, AuditPlan(select_operators(), seed=str(seed)))
    items = [
        (item, golden)
        for category in CATEGORIES
        for item, golden in zip(
            items_of(folder, category), import_bfcl(*files_of(folder, category)), strict=True
        )
    ]
    chosen = rng.sample(items, min(len(items), 2 * count))
    await auditor.learn(("", golden) for _, golden in chosen)
    answered: list[Answered] = []
    for item, golden in chosen:
        damaged = await damage(auditor, golden, rng) if rng.random() < DAMAGED else None
        calls = simulated_answers(item, seed)
        passed = {voter: passes(trial, golden, answer) for voter, answer in calls.items()}
        if sum(passed.values()) < least * len(passed):
            continue
        shown = damaged or golden
        answers = {voter: Attempt(passes(trial, shown, answer), answer) for voter, answer in calls.items()}
        answered.append(Answered(shown, damaged is not None, answers))
        if len(answered) == count:
            break
    return answered


def passes(trial: Trial, golden: Golden, calls: Sequence[ToolCall]) -> bool:
    return trial.judge_stated(golden, Trajectory(calls=tuple(calls)))[0] == "passed"


async def damage(auditor: Auditor, golden: Golden, rng: random.Random) -> Golden | None:
    """The golden as if a surely wrong behaviour, which its tools accept, were the right one."""
    scene, _ = await auditor.scene_of(golden)
    wrong = [
        mutant
        for mutant in (mutants_of(scene, auditor.plan.operators) if scene else ())
        if mutant.trajectory.calls
    ]
    if not wrong:
        return None
    calls = rng.choice(wrong).trajectory.calls
    expected = tuple(
        ExpectedCall(call.name, {name: literal(value) for name, value in (call.arguments or {}).items()})
        for call in calls
    )
    return msgspec.structs.replace(golden, expected_calls=expected)


def simulated_answers(item: Item, seed: int) -> dict[Voter, tuple[ToolCall, ...]]:
    """What every agent of every family answers."""
    every = random.Random(f"{seed}/{item.id}")
    mistake_of_all = every.random() < SHARED_BY_ALL
    answers = {}
    for family in range(FAMILIES):
        of_family = random.Random(f"{seed}/{item.id}/{family}")
        family_errs = of_family.random() < SHARED_BY_FAMILY
        for agent in range(AGENTS_EACH):
            own = random.Random(f"{seed}/{item.id}/{family}/{agent}")
            if mistake_of_all:
                calls = wrong_answer(item, random.Random(f"{seed}/{item.id}/all"))
            elif family_errs:
                calls = wrong_answer(item, random.Random(f"{seed}/{item.id}/{family}/all"))
            elif own.random() < GIVES_UP:
                calls = []
            elif own.random() < OWN:
                calls = wrong_answer(item, own)
            else:
                calls = dict(right_answers(item, of_family))[own.choice(["right: first", "right: shortest"])]
            voter = Voter(f"agent-{family}-{agent}", f"family-{family}")
            answers[voter] = tuple(ToolCall(name, arguments) for name, arguments in calls)
    return answers


def wrong_answer(item: Item, chance: random.Random) -> list[tuple[str, dict[str, object]]]:
    """One of the changed answers of the tests, which change values, names, parameters or calls."""
    changed = [
        calls for kind, calls in candidates(item, chance.randrange(10**6)) if not kind.startswith("right")
    ]
    return chance.choice(changed)


def vote(answered: Sequence[Answered], size: int, seed: str) -> list[tuple[bool, str]]:
    """For every golden whether it is damaged, and the band that one agent of each of `size` families puts it in."""
    rng = random.Random(seed)
    families = rng.sample(range(FAMILIES), size)
    voters = {
        Voter(f"agent-{family}-{rng.randrange(AGENTS_EACH)}", f"family-{family}") for family in families
    }
    by_id = {one.golden.id: one for one in answered}

    def ballot(golden: Golden) -> Ballot:
        return {voter: [attempt] for voter, attempt in by_id[golden.id].answers.items() if voter in voters}

    bands: dict[str, str] = {}
    for doubt in doubts_of([one.golden for one in answered], ballot):
        if doubt.code in ("agents_agree", "nobody_passes"):
            bands.setdefault(doubt.golden_id, doubt.band)
    return [(one.damaged, bands.get(one.golden.id, "")) for one in answered]


def doubts_of(goldens: Sequence[Golden], ballot: object = no_ballot) -> tuple[Doubt, ...]:
    doubter = Doubter(Trial(Scorer(), {}), ballot)  # type: ignore[arg-type]

    async def examine() -> None:
        for golden in goldens:
            await doubter.examine("", golden)

    asyncio.run(examine())
    return doubter.doubts()


def print_votes(size: int, draws: Sequence[Sequence[tuple[bool, str]]]) -> None:
    rows = [row for draw in draws for row in draw]
    damaged = sum(is_damaged for is_damaged, _ in rows)
    shown = f"{size:>6}   "
    marked = [is_damaged for is_damaged, band in rows if band == "likely"]
    precision = f"{sum(marked) / len(marked):.2f}" if marked else "–"
    print(
        f"{shown}{sum(marked):>4} of {damaged:<4}   {sum(marked) / damaged:>4.0%}   {precision:>5}",
        flush=True,
    )


def print_repairs(new: Path, old: Path) -> None:
    """Answers that BFCL's authors changed later, and which of them rules without a run mark."""
    refused = 0
    earlier = list[Golden]()
    others = list[Golden]()
    for category in (*CATEGORIES, "parallel_multiple", "live_parallel", "live_parallel_multiple"):
        questions, answers = files_of(new, category)
        name = f"BFCL_v3_{category.replace('simple_python', 'simple')}.json"
        before = lines_of(old / "bfcl_eval" / "data" / "possible_answer" / name)
        after = lines_of(answers)
        asked = lines_of(questions)
        goldens = list(import_bfcl(questions, answers))
        for number, golden in enumerate(goldens):
            if before[number]["ground_truth"] == after[number]["ground_truth"]:
                others.append(golden)
                continue
            try:
                earlier.append(one_golden(asked[number], before[number], old))
            except InputError:
                refused += 1
    marked = {doubt.golden_id: doubt.band for doubt in reversed(doubts_of(earlier))}
    wrongly = {doubt.golden_id: doubt.band for doubt in reversed(doubts_of(others))}
    certain = [list(bands.values()).count("certain") for bands in (marked, wrongly)]
    print(
        f"repairs: {len(earlier) + refused} answers were changed later; without any run {refused} of them cannot be "
        f"imported, {len(marked)} are marked ({certain[0]} as certain), and of {len(others)} others "
        f"{len(wrongly)} ({certain[1]} as certain)"
    )


def lines_of(file: Path | None) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line] if file else []


def one_golden(question: dict[str, Any], answer: dict[str, Any], folder: Path) -> Golden:
    """The golden of one question with an older answer."""
    for name, row in (("question.json", question), ("answer.json", {**answer, "id": question["id"]})):
        (folder / name).write_text(json.dumps(row), encoding="utf-8")
    (golden,) = import_bfcl(folder / "question.json", folder / "answer.json")
    return golden


if __name__ == "__main__":
    main()
