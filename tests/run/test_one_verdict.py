"""One case has one verdict, whichever door it comes through, and nothing that broke is ever green."""

from __future__ import annotations

import io
import random

import pytest
from msgspec.structs import replace

from rightcall.api.evaluation import evaluate, score_cases
from rightcall.api.recorded_scores import score
from rightcall.api.testing.assertion import assert_test
from rightcall.core.errors import ConfigError
from rightcall.datasets.goldens import save_goldens
from rightcall.datasets.trajectories import save_trajectories
from rightcall.metrics.case_result import result_of, score_trajectory
from rightcall.records import (
    ExpectedCall,
    Failure,
    Golden,
    RecordedTrajectory,
    Score,
    TestCase,
    ToolCall,
    Trajectory,
)
from rightcall.show.html import write_html
from rightcall.show.markdown import write_markdown
from rightcall.show.terminal import summary_table
from rightcall.show.view.case import reason_of
from rightcall.show.view.summary import summary_view
from tests.support.doors import DOORS, WITHOUT_METRICS
from tests.support.scored_cases import ALL, BY_THEIR_GOLDEN


@pytest.mark.stories
@pytest.mark.parametrize("door", DOORS)
def test_every_door_says_the_same(door, tmp_path):
    rows = BY_THEIR_GOLDEN if door in WITHOUT_METRICS else ALL
    expected = {row.golden.id: (row.outcome, row.score, tuple(sorted(row.codes))) for row in rows}
    assert DOORS[door](tmp_path, rows) == expected


@pytest.mark.parametrize("seed", range(2))
def test_score_trajectory_says_what_score_says(seed, tmp_path):
    """Two hundred random cases: calls, states, times, answers and ways to end."""
    rng = random.Random(seed)
    cases = [random_case(rng, f"g{number}") for number in range(100)]
    files = tmp_path / "goldens.jsonl", tmp_path / "done.jsonl"
    save_goldens([golden for golden, _ in cases], files[0])
    save_trajectories([RecordedTrajectory(golden.id, done) for golden, done in cases], files[1])
    scored = {result.golden_id: verdict_of(result, result.codes) for result in score(*files)}
    alone = {golden.id: score_trajectory(golden, done) for golden, done in cases}
    assert scored == {key: verdict_of(verdict, verdict.failures) for key, verdict in alone.items()}
    assert all(not verdict.passed for verdict in alone.values() if verdict.error)
    broke = {g.id for g, done in cases if done.error and done.stop_reason not in ("truncated", "refused")}
    assert not any(alone[key].passed for key in broke)


def verdict_of(scored, failures):
    return scored.passed, bool(scored.error), round(scored.score, 9), sorted(f.code for f in failures)


def random_case(rng, name):
    def several(most, of):
        return tuple(of() for _ in range(rng.randrange(most)))

    def arguments():
        return {key: rng.choice([1, "1", None, [1]]) for key in rng.sample("xy", rng.randrange(3))}

    golden = Golden(
        "?", id=name, category=rng.choice(["golden", "secondary", "negative"]),
        expected_calls=several(3, lambda: ExpectedCall(rng.choice("abc"), rng.choice([None, arguments()]))),
        order=rng.choice(["any", "strict"]), extra_calls=rng.choice(["forbid", "allow"]),
        forbidden_calls=several(2, lambda: rng.choice("abcd")),
        max_latency_ms=rng.choice([None, None, 100]), max_calls=rng.choice([None, None, 1]),
        output_contains=several(2, lambda: rng.choice(["yes", "no"])),
        expected_state=rng.choice([None, None, None, {"n": 1}]),
    )  # fmt: skip
    if golden.category == "negative":
        golden = replace(golden, expected_calls=())
    stop = rng.choice(["done", "done", "done", "infra_error", "agent_error", "limit", "refused", "truncated"])
    done = Trajectory(
        calls=several(4, lambda: ToolCall(rng.choice("abcd"), rng.choice([arguments(), None]))),
        output=rng.choice(["", "yes", "no yes"]), latency_ms=rng.choice([None, 50.0, 500.0]),
        stop_reason=stop, error=rng.choice(["", "why"]) if stop == "done" else "why", state=rng.choice([None, {"n": 1}, {"n": 2}]),
    )  # fmt: skip
    return golden, done


def test_the_table_has_every_way_to_end():
    assert len(ALL) == 39 and {row.outcome for row in ALL} == {"passed", "failed", "error"}


def test_a_time_budget_without_a_measured_time_is_an_error():
    golden = Golden("?", expected_calls=(ExpectedCall("a"),), max_latency_ms=100)
    done = Trajectory(calls=(ToolCall("a"),))
    for scored in (result_of(golden, 0, done, {}), score_trajectory(golden, done)):
        assert not scored.passed and "max_latency_ms, but the latency was not recorded" in scored.error


@pytest.mark.parametrize(
    "golden",
    [Golden("?", category="golden"), Golden("?", category="negative"), Golden("?", forbidden_calls=("b",)),
     Golden("?", expected_calls=(ExpectedCall("a"),)), Golden("?", expected_calls=(ExpectedCall("a", {}),))],
)  # fmt: skip
def test_an_error_without_a_stop_reason_is_an_error_of_the_agent(golden):
    calls = tuple(ToolCall("a", {}) for _ in golden.expected_calls)
    assert score_trajectory(golden, Trajectory(calls=calls)).passed
    broken = score_trajectory(golden, Trajectory(calls=calls, error="connection reset"))
    assert not broken.passed and "agent_error" in {failure.code for failure in broken.failures}


def test_a_function_of_a_golden_that_fails_makes_an_error_of_the_verdict():
    golden = Golden("?", expected_calls=(ExpectedCall("a", {"x": lambda value: 1 / 0}),))
    verdict = score_trajectory(golden, Trajectory(calls=(ToolCall("a", {"x": 1}),)))
    assert not verdict.passed and "ZeroDivisionError" in verdict.error


def rude(case):
    return Score(0.0, False, "too rude", (Failure("refused"),))


RIGHT = TestCase(Golden("Hello", id="hello", no_calls=True), Trajectory(output="Go away."))


def test_the_reason_and_the_codes_of_a_named_metric_are_those_of_the_case(tmp_path):
    run = score_cases([RIGHT], [rude], store=tmp_path / "s.db")
    (result,) = run.results
    assert (result.passed, [f.code for f in result.codes]) == (False, ["refused"])
    assert reason_of(result) == "rude: too rude"


def test_what_is_observed_is_measured_and_decides_nothing(tmp_path):
    run = score_cases([RIGHT], measure=[rude], store=tmp_path / "s.db")
    (result,) = run.results
    assert run.passed and result.codes == () and not result.metrics["rude"].passed


def test_every_metric_that_was_asked_for_has_a_column(tmp_path):
    run = score_cases([RIGHT], [rude], measure=["call_f1"], store=tmp_path / "s.db")
    view = summary_view(run.summary)
    assert view.columns == ("rude", "call_f1")
    titles = [column.header for column in summary_table(view, 120).columns]
    assert {"rude", "call_f1"} <= set(titles)
    for write in (write_markdown, write_html):
        out = io.BytesIO()
        write(run.store, run.id, out)
        assert "rude" in out.getvalue().decode()


def test_a_judge_without_a_key_is_reported_before_anything_is_asked(monkeypatch, tmp_path):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    judge = "rubric(model='openai:gpt-5-mini', rubric='Polite.')"
    with pytest.raises(ConfigError, match="metric rubric: openai:gpt-5-mini needs a key"):
        evaluate(lambda golden: pytest.fail("was asked"), [RIGHT.golden], metrics=[judge])
    with pytest.raises(ConfigError, match="needs a key"):
        assert_test(RIGHT, [judge])
