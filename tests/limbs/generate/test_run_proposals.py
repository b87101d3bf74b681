"""Expected calls proposed from a run: what most trials did, and nothing that a person has not accepted decides."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import rightcall as rc
from rightcall.core.errors import RightCallError
from rightcall.datasets.goldens import load_goldens, save_goldens
from rightcall.datasets.review import needs_review
from rightcall.datasets.trajectories import save_trajectories
from rightcall.limbs.generate.run_proposals import ExpectedDrafts
from rightcall.metrics.score_case import Scorer
from rightcall.records import RecordedTrajectory
from tests.cli.conftest import rightcall  # noqa: F401  a fixture

LOOK = rc.ToolCall("look", {"q": "x"})
FIND = rc.ToolCall("find", {"id": 7})
SECRET = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3


def did(*calls: rc.ToolCall, **fields: Any) -> rc.Trajectory:
    return rc.Trajectory(calls=calls, output="Done", **fields)


def run_of(folder: Path, **trials: Sequence[rc.Trajectory]) -> rc.RunResult:
    """A stored run in which the trials of each golden behaved as given."""
    left = defaultdict(list, {name: list(done) for name, done in trials.items()})
    goldens = [rc.Golden(f"Do {name}", id=name) for name in trials]
    count = max(map(len, trials.values()))
    return rc.evaluate(
        lambda golden: left[golden.id].pop(0), goldens, trials=count, concurrency=1, store=folder / "s.db"
    )


def drafts_of(folder: Path, **trials: Sequence[rc.Trajectory]) -> ExpectedDrafts:
    return run_of(folder, **trials).expected_drafts()


def satisfies(trajectory: rc.Trajectory, golden: Any) -> bool:
    return Scorer().stated(golden, 0, trajectory, {}).passed


def calls_of(golden: Any) -> list[tuple[Any, Any, str]]:
    return [(call.tool, call.args, call.extra_args) for call in golden.expected_calls]


def test_more_than_half_of_the_trials_propose(tmp_path):
    found = drafts_of(
        tmp_path,
        most=[did(LOOK), did(LOOK), did(FIND)],
        half=[did(LOOK), did(FIND), did(LOOK, FIND)],
        silent=[did(), did(), did()],
    )
    drafts = {golden.id: golden for golden in found.goldens}
    assert calls_of(drafts["most"]) == [("look", {"q": "x"}, "forbid")] and set(drafts) == {"most", "silent"}
    assert drafts["silent"].no_calls and not drafts["silent"].expected_calls
    proposal = drafts["most"].metadata["proposal"]
    assert (proposal["run"], proposal["trials"], proposal["agreeing"]) == (found.run, 3, 2)
    assert proposal["others"] == ['find({"id": 7}) (1 trial)']
    assert {one.golden_id: dict(one.behaviours) for one in found.split}["half"] == {
        'look({"q": "x"})': 1,
        'find({"id": 7})': 1,
        'look({"q": "x"}), find({"id": 7})': 1,
    }


def test_disputed_arguments_are_left_open(tmp_path):
    trials = [did(rc.ToolCall("look", {"q": "x", "page": page})) for page in (1, 2, 3)]
    (draft,) = drafts_of(tmp_path, a=trials).goldens
    assert calls_of(draft) == [("look", {"q": "x"}, "ignore")]
    assert draft.metadata["proposal"]["left_open"] == ["look.page"]
    assert all(satisfies(one, draft) for one in trials)


def test_a_value_that_is_an_object_is_expected_literally(tmp_path):
    trial = did(rc.ToolCall("look", {"where": {"regex": ".*"}}))
    (draft,) = drafts_of(tmp_path, a=[trial]).goldens
    assert calls_of(draft) == [("look", {"where": {"exact": {"regex": ".*"}}}, "forbid")]


def test_secrets_are_in_no_draft(tmp_path):
    trials = [
        did(rc.ToolCall("look", {"q": "x", "auth": {"h": [SECRET]}, "password": "hunter2!"})),
        did(rc.ToolCall("find", {"k": SECRET})),
    ]
    found = drafts_of(tmp_path, a=[trials[0], trials[0], trials[1]])
    assert calls_of(found.goldens[0]) == [("look", {"q": "x"}, "ignore")]
    assert found.goldens[0].metadata["proposal"]["left_open"] == ["look.auth", "look.password"]
    assert SECRET not in repr(found) and found.split
    save_goldens(found.goldens, tmp_path / "e.jsonl")
    assert SECRET not in (tmp_path / "e.jsonl").read_text()


def test_trials_that_show_nothing_do_not_count(tmp_path):
    repeated = did(rc.ToolCall("look", {"q": "?"}, status="error", output="bad q"), LOOK)
    down = rc.Trajectory(stop_reason="infra_error", error="down")
    cut = did(FIND, stop_reason="limit")
    found = drafts_of(tmp_path, a=[repeated, down, cut], b=[down, down, down])
    assert [calls_of(golden) for golden in found.goldens] == [[("look", {"q": "x"}, "forbid")]]
    assert found.goldens[0].metadata["proposal"]["trials"] == 1 and found.without_answer == ("b",)


def test_goldens_that_state_a_check_are_left_alone(tmp_path):
    goldens = [rc.Golden("Do", id="a", no_calls=True), rc.Golden("Do it", id="b")]
    found = rc.evaluate(lambda golden: did(LOOK), goldens, store=tmp_path / "s.db").expected_drafts()
    assert found.checked == 1 and [golden.id for golden in found.goldens] == ["b"]


behaviours = st.lists(st.sampled_from([did(), did(LOOK), did(FIND), did(LOOK, FIND)]), min_size=1, max_size=5)


@pytest.mark.stories
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(behaviours)
def test_a_proposal_is_satisfied_by_more_than_half_of_its_trials(tmp_path, trials):
    found = drafts_of(tmp_path, a=trials)  # every example is another run in one store
    passed = [satisfies(one, golden) for golden in found.goldens for one in trials]
    assert not found.goldens or 2 * sum(passed) > len(trials)
    assert bool(found.goldens) == any(2 * trials.count(one) > len(trials) for one in trials)


def _accepted(golden: Any) -> Any:
    from rightcall.datasets.review import reviewed

    return reviewed(golden, "accepted")


@pytest.fixture
def drafted(tmp_path: Path, rightcall) -> Path:  # noqa: F811
    """A folder with a suite and recorded behaviour about drafts that nobody has accepted."""
    (tmp_path / "prompts.txt").write_text("Do a\nDo b\n")
    suite = {"name": "s", "agent": {"model": "tests.limbs.generate.test_run_proposals:agent"}}
    (tmp_path / "first.json").write_text(json.dumps({**suite, "dataset": "prompts.txt"}))
    (tmp_path / "suite.json").write_text(json.dumps({**suite, "dataset": "expected.jsonl"}))
    assert rightcall("run", "first.json", "--trials", "3").code == 3
    made = rightcall("generate", "expected", "last")
    assert made.code == 0 and "rightcall generate review expected.jsonl" in made.out
    done = [RecordedTrajectory(golden.id, did(LOOK)) for golden in load_goldens(tmp_path / "expected.jsonl")]
    save_trajectories(done, tmp_path / "t.jsonl")
    return tmp_path


def agent(golden: rc.Golden) -> rc.Trajectory:
    return did(LOOK)


COMMANDS = [
    ("run", "suite.json"),
    ("score", "expected.jsonl", "t.jsonl"),
    ("run", "suite.json", "--dry-run"),
]


def test_drafts_decide_nothing_until_they_are_accepted(drafted, rightcall):  # noqa: F811
    refused = [rightcall(*words) for words in COMMANDS]
    assert [(done.code, "unreviewed" in done.out + done.err) for done in refused] == [(2, True)] * len(
        COMMANDS
    )
    drafts = (drafted / "expected.jsonl").read_text("utf-8")
    assert rightcall("generate", "review", "expected.jsonl", "--accept", "all").code == 0
    assert [rightcall(*words).code for words in COMMANDS[:2]] == [0, 0]
    (drafted / "expected.jsonl").write_text(drafts, "utf-8")
    checked = rightcall("check", "suite.json", "--baseline", "last")
    assert checked.code == 2 and "unreviewed" in checked.err


def test_drafts_decide_nothing_in_python(drafted):
    (draft, *_) = load_goldens(drafted / "expected.jsonl")
    assert needs_review(draft)
    case = rc.TestCase(draft, did(LOOK))
    store = drafted / ".rightcall" / "rightcall.db"
    doors = [
        lambda: rc.evaluate(agent, [draft], store=store),
        lambda: rc.score_cases([case], store=store),
        lambda: rc.assert_test(case),
        lambda: rc.assert_test(golden=draft, agent=agent),
        lambda: rc.rescore("last", goldens=[draft], store=store),
        lambda: list(rc.score(drafted / "expected.jsonl", drafted / "t.jsonl")),
    ]
    for door in doors:
        with pytest.raises(RightCallError, match="unreviewed"):
            door()
    accepted = _accepted(draft)
    assert rc.assert_test(rc.TestCase(accepted, did(LOOK))).passed
    assert rc.rescore("last", goldens=[accepted], store=store).summary.overall.cases == 3


def test_the_command_adds_to_a_draft_of_the_store_and_refuses_to_replace_files(drafted, rightcall):  # noqa: F811
    assert rightcall("generate", "expected", "last").code == 2
    told = json.loads(rightcall("generate", "expected", "last", "-o", "again.jsonl", "--json").out)
    assert told["proposed"] == 2 and told["written_to"] == "again.jsonl"
    kept = rightcall("generate", "expected", "last", "-o", "prompts")
    assert kept.code == 0 and "rightcall generate review prompts" in kept.out
    pulled = rightcall("dataset", "pull", "prompts", "-o", "p.jsonl")
    assert pulled.code != 0, "a draft is not pulled until it is final"


def test_a_run_without_a_majority_proposes_nothing(tmp_path, rightcall):  # noqa: F811
    run = run_of(tmp_path, a=[did(LOOK), did(FIND)])
    done = rightcall("generate", "expected", run.id, "--store", tmp_path / "s.db")
    assert done.code == 3 and not (tmp_path / "expected.jsonl").exists()
    assert "no calls were made by most trials" in done.out + done.err
