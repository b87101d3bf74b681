"""What earlier runs say about a suite: nothing without evidence, in either database."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import pytest

from rightcall.metrics.tally import Tally
from rightcall.run.plan import Selection, selection_fingerprint
from rightcall.run.suite_history import SAME, latest_history, suite_history
from tests.store.builders import a_result, a_run

WHOLE = selection_fingerprint(Selection())
FINGERPRINTS = {"dataset": "d1", "metrics": "m1", "selection": WHOLE}
PASSING = {"a": "11", "b": "11"}


def store_run(store, outcomes: dict[str, str] = PASSING, *, kind: str = "", planned: int | None = None, finish=True,
              tags: Iterable[str] = (), early=False, fingerprints=None, **fields):  # fmt: skip
    """A run whose trials end as the characters say: 1 passed, 0 failed, e error, u unchecked."""
    store_run.started += 1
    run = a_run(
        started_at=f"2026-01-02T03:{store_run.started // 60:02}:{store_run.started % 60:02}.000000Z",
        fingerprints={**FINGERPRINTS, **(fingerprints or {})},
        versions={"suite_kind": kind} if kind else {},
        **({"name": "shop", "agent": "agent-1"} | fields),
    )
    results = [
        a_result(golden, trial, passed=mark == "1", error="down" * (mark == "e"), checked=mark != "u")
        for golden, marks in outcomes.items()
        for trial, mark in enumerate(marks)
    ]
    writer = store.runs.begin(run, planned=len(results) if planned is None else planned)
    writer.add(results)
    for tag in tags:
        store.runs.tag(run.id, tag)
    if finish:
        summary = Tally().add_all(results).summary()
        if early:
            summary = msgspec.structs.replace(summary, stopped_early=True)
        store.runs.finish(run.id, summary, "PASS", early=True)
    return store.runs.get(run.id)


store_run.started = 0


def test_three_runs_in_which_everything_passes_are_saturated_and_two_are_not(store):
    first, second, third = (store_run(store, kind="capability") for _ in range(3))
    assert suite_history(store, first).saturated is None
    assert suite_history(store, second).notes == ()
    history = suite_history(store, third)
    assert (history.saturated.runs, history.saturated.trials) == (3, 12)
    assert "can no longer show progress" in history.notes[0] and "12 of 12 trials" in history.notes[0]


NO_EVIDENCE = {
    "filtered": {"fingerprints": {"selection": selection_fingerprint(Selection(("a",)))}},
    "limited": {"fingerprints": {"selection": selection_fingerprint(Selection((), 2))}},
    "selection not stated": {"fingerprints": {"selection": ""}},
    "partial": {"planned": 9},
    "unfinished": {"planned": 9, "finish": False},
    "stopped early": {"early": True},
    "nothing planned": {"planned": 0},
    "nothing ran": {"outcomes": {}, "planned": 0},
    "an error": {"outcomes": {"a": "11", "b": "1e"}},
    "all errors": {"outcomes": {"a": "ee", "b": "ee"}},
    "an unchecked golden": {"outcomes": {"a": "11", "b": "uu"}},
    "replayed": {"tags": ["replayed"]},
    "a check": {"tags": ["check"]},
    "rescored": {"settings": {"rescored": "other"}},
    "perturbed": {"settings": {"perturb": "names"}},
    "an arm of improve": {"settings": {"improve": {"phase": "proof"}}},
    **{f"other {name}": {"fingerprints": {name: "other"}} for name in SAME},
}


@pytest.mark.parametrize("case", NO_EVIDENCE)
def test_a_run_that_is_no_evidence_neither_counts_nor_claims(store, case):
    for _ in range(2):
        store_run(store, kind="capability")
    odd = store_run(store, kind="capability", **NO_EVIDENCE[case])
    assert suite_history(store, odd).saturated is None  # whatever it is, it is not the third run
    third = store_run(store, kind="capability")
    assert suite_history(store, third).saturated.runs == 3  # the odd one is not a fourth


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"fingerprints": {"selection": "some"}},
        {"tags": ["check"]},
        {"planned": 9},
        {"planned": 9, "finish": False},
        {"tags": ["replayed"]},
    ],
)
def test_a_failed_trial_ends_the_streak_in_any_run_of_the_same_goldens(store, how):
    for outcomes in (PASSING, PASSING, None, PASSING, PASSING):
        run = store_run(store, outcomes) if outcomes else store_run(store, {"a": "10", "b": "11"}, **how)
    assert suite_history(store, run).saturated is None
    assert suite_history(store, store_run(store)).saturated.runs == 3


def test_a_run_is_judged_by_what_was_known_when_it_started(store):
    runs = [store_run(store, kind="capability") for _ in range(4)]
    assert [suite_history(store, run).saturated is not None for run in runs] == [False, False, True, True]


NOTES = {"regression": "", "capability": "kind: regression", "": "kind: capability"}


@pytest.mark.parametrize("kind", NOTES)
def test_what_is_said_of_saturation_depends_on_the_kind(store, kind):
    runs = [store_run(store, kind=kind) for _ in range(3)]
    (note,) = suite_history(store, runs[-1]).notes or ("",)
    assert NOTES[kind] in note and bool(note) == bool(NOTES[kind])
    assert note.startswith("warning:") == (kind == "capability")
    now = latest_history(store, "shop", kind or None, "d1")
    assert now.notes == ((note,) if note else ())
    assert latest_history(store, "shop", "capability", "edited since").notes == ()


FAILING = {"a": "11", "b": "00", "c": "00"}


def test_a_regression_suite_names_goldens_that_never_passed(store):
    runs = [store_run(store, FAILING, kind="regression", agent=f"agent-{n % 2}") for n in range(3)]
    assert suite_history(store, runs[1]).never_passed is None
    history = suite_history(store, runs[2])
    assert (history.never_passed.goldens, history.never_passed.runs, history.never_passed.agents) == (
        ("b", "c"),
        3,
        2,
    )
    assert "2 goldens" in history.notes[0] and "b, c" in history.notes[0]
    assert suite_history(store, store_run(store, FAILING, kind="capability")).never_passed is None


@pytest.mark.parametrize(
    "passing",
    [
        {"outcomes": {"a": "11", "b": "01", "c": "00"}},
        {"outcomes": {"b": "1"}, "fingerprints": {"selection": "some"}},
        {"outcomes": {"b": "1"}, "tags": ["check"]},
        {"outcomes": {"b": "1e"}, "agent": "another"},
    ],
)
def test_a_golden_that_passed_once_in_any_run_is_not_named(store, passing):
    store_run(store, kind="regression", **passing)
    runs = [store_run(store, FAILING, kind="regression") for _ in range(3)]
    assert suite_history(store, runs[-1]).never_passed.goldens == ("c",)


@pytest.mark.parametrize("case", [case for case in NO_EVIDENCE if "selection" not in case])
def test_runs_that_are_no_evidence_accuse_no_golden(store, case):
    odd = {"outcomes": FAILING, **NO_EVIDENCE[case]}
    for how in ({"outcomes": FAILING}, {"outcomes": FAILING}, odd):
        run = store_run(store, kind="regression", **how)
    assert suite_history(store, run).never_passed is None
    golden_that_errs = store_run(store, {"a": "11", "b": "00", "c": "ee"}, kind="regression")
    assert suite_history(store, golden_that_errs).never_passed is None
