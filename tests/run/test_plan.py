"""All problems of a setup are reported at once, before anything is sent."""

import asyncio
import json

import pytest

import rightcall as rc
from rightcall.core.errors import ConfigError, InputError
from rightcall.decide.config import Gate
from rightcall.metrics.matching.verdict import ScoringRules
from rightcall.metrics.score_case import Scorer
from rightcall.records import Golden
from rightcall.run.cost_estimate import estimate
from rightcall.run.plan import Plan, Selection, scorer_fingerprint
from rightcall.run.preparation import preflight
from rightcall.run.suite import load_suite, suite_gate
from rightcall.run.suite_plan import plan_suite
from rightcall.run.suite_schema import suite_schema
from tests.support.model_process import counts, loopback_model, write_suite


def planned(path, **options) -> Plan:
    return plan_suite(load_suite(path), path.parent, **options)


def problems_of(path) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        asyncio.run(preflight(planned(path)))
    return list(caught.value.problems)


def test_every_problem_of_a_suite_is_reported_at_once(tmp_path):
    path = write_suite(
        tmp_path,
        3,
        1,
        agent={"model": "opnai:gpt-5"},
        metrics=["tool_selecton"],
        rules={"weights": {"precison": 1}},
        limits={"tokens": 900},
        run_limits={"tokens": 100},
        mocks={"get_wether": {"result": 1}},
        gate={"min": 0.9, "forbid": ["forbiden_call"]},
    )
    with pytest.raises(ConfigError) as caught:
        planned(path)
    told = "\n".join(caught.value.problems)
    for part in (
        "tool_selection",
        "precision",
        "run_limits.tokens",
        "forbidden_call",
        "openai",
        "get_weather",
    ):
        assert part in told


def test_what_the_blocks_of_a_suite_require_decides_with_its_gate(tmp_path):
    path = write_suite(
        tmp_path,
        3,
        1,
        gate={"min": 0.8, "by": {"categories": {"golden": 0.7}}},
        statistics={"target": 0.9, "alpha": 0.1},
        judge={"labels": 40},
        audit={"above_floor": 20},
        attacks={"safety": {"max_asr": 0.1}, "worst_case": {"unguarded": 1}},
    )
    gate = suite_gate(load_suite(path))
    assert (gate.min, gate.categories, gate.target, gate.alpha) == (0.8, {"golden": 0.7}, 0.9, 0.1)
    assert (gate.judges.labels, gate.above_floor, gate.safety.max_asr, gate.worst_case.unguarded) == (
        40,
        20,
        0.1,
        1,
    )
    alone = write_suite(tmp_path, 3, 1, audit={"above_floor": 20})
    assert suite_gate(load_suite(alone)) == Gate(above_floor=20)
    with pytest.raises(ConfigError, match="unknown field 'alpha'"):
        planned(write_suite(tmp_path, 3, 1, gate={"min": 0.8, "alpha": 0.1}))
    with pytest.raises(ConfigError, match="unknown field 'min_pass_rate'; did you mean 'min'"):
        planned(write_suite(tmp_path, 3, 1, gate={"min_pass_rate": 0.8}))


def test_a_variable_of_the_environment_is_in_any_string_and_in_headers_when_they_are_sent(
    tmp_path, monkeypatch
):
    agent = {"model": "openai:${MODEL}", "system": "Serve ${SHOP}.", "headers": {"x-key": "${SHOP}"}}
    mocks = {"get_weather": {"cases": [{"args": {"city": "${SHOP}"}, "result": 1}]}}
    path = write_suite(tmp_path, 3, 1, agent=agent, mocks=mocks)
    monkeypatch.setenv("MODEL", "small")
    with pytest.raises(InputError, match=r"agent: system: the environment variable SHOP is not set"):
        load_suite(path)
    monkeypatch.setenv("SHOP", "Hue")
    suite = load_suite(path)
    assert (suite.agent.model, suite.agent.system) == ("openai:small", "Serve Hue.")
    assert suite.agent.headers == {"x-key": "${SHOP}"}
    assert suite.mocks["get_weather"]["cases"][0]["args"] == {"city": "Hue"}


def test_a_missing_key_and_goldens_that_do_not_fit_the_tools_are_reported_together(tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    path = write_suite(tmp_path, 2, 1, agent={"model": "openai:gpt-5"})
    (tmp_path / "tools.json").write_text(
        json.dumps([{"name": "get_weather", "input_schema": {"type": "object"}}])
    )
    told = "\n".join(problems_of(path))
    assert "OPENAI_API_KEY" in told and "no such tool 'send_email'" in told


def test_an_unreachable_host_is_reported_before_the_first_request(tmp_path):
    assert "127.0.0.1:1" in "\n".join(problems_of(write_suite(tmp_path, 2, 1)))


def test_nothing_is_sent_when_the_setup_is_broken(tmp_path, rightcall):
    with loopback_model() as port:
        path = write_suite(tmp_path, 5, port, metrics=["nonsense"])
        done = rightcall("run", path)
        assert counts(port)["asked"] == {}
    assert done.code == 2 and "nonsense" in done.err and "Traceback" not in done.err


def test_a_dry_run_sends_nothing_and_says_how_much_it_would_be(tmp_path):
    with loopback_model() as port:
        path = write_suite(tmp_path, 10, port, trials=3)
        found = asyncio.run(estimate(planned(path)))
        assert counts(port)["asked"] == {}
    assert (found.goldens, found.requests) == (10, 30)
    assert found.input_tokens > 1000 and found.cost_usd is None
    assert found.first_request["tools"] == ["get_weather", "send_email"]


@pytest.mark.parametrize(
    ("only", "limit", "expected"),
    [
        (("case-1",), None, 1),
        (("case-1*",), None, 11),
        (("golden",), None, 20),
        (("nobody",), None, 0),
        ((), 4, 4),
    ],
)
def test_only_and_limit_choose_goldens(tmp_path, only, limit, expected):
    path = write_suite(tmp_path, 20, 1)
    plan = planned(path, selection=Selection(only, limit))
    assert len(list(plan.goldens())) == expected


def test_the_order_is_drawn_from_the_seed(tmp_path):
    path = write_suite(tmp_path, 50, 1, seed=3)
    first, again = [[g.id for g in planned(path).goldens()] for _ in range(2)]
    other = [g.id for g in planned(write_suite(tmp_path, 50, 1, seed=4)).goldens()]
    assert first == again != other and sorted(first) == sorted(other)


def test_a_misspelt_field_of_a_suite_is_suggested(tmp_path):
    path = write_suite(tmp_path, 1, 1, trails=3)
    with pytest.raises(InputError, match="unknown field 'trails'; did you mean 'trials'"):
        load_suite(path)


def test_the_schema_for_editors_accepts_the_bundled_suite():
    import jsonschema_rs
    import yaml

    from rightcall.cli.demo_suites import FOLDER

    suite = yaml.safe_load((FOLDER / "suite.yaml").read_text())
    validator = jsonschema_rs.validator_for(suite_schema())
    assert validator.is_valid(suite)
    assert not validator.is_valid({**suite, "trails": 3})


def test_a_suite_says_strict_for_its_agent(tmp_path):
    (tmp_path / "goldens.jsonl").write_text('{"id": "g", "input": "?"}\n')
    (tmp_path / "suite.yaml").write_text(
        "dataset: goldens.jsonl\nagent: {model: 'keyword:', mode: loop, strict: true}\n"
    )
    assert plan_suite(load_suite(tmp_path / "suite.yaml"), tmp_path).agent.strict


@pytest.mark.parametrize("golden", [Golden("half \ud800", id="a"), Golden("x", id="a", tags=("\udfff",))])
def test_a_golden_with_half_a_character_is_named_instead_of_a_traceback(golden):
    with pytest.raises(InputError, match="golden 'a': unpaired surrogate in a string"):
        rc.evaluate(lambda _: [], [Golden("fine", id="fine"), golden])


@pytest.mark.parametrize(
    "rules",
    [
        {"weights": "seed"},
        {"pass_rule": "score"},
        {"pass_score": 0.9},
        {"secondary_threshold": 0.7},
        {"half_credit": True},
    ],
)
def test_every_rule_of_scoring_is_part_of_the_fingerprint(rules):
    assert scorer_fingerprint(Scorer([], rules=ScoringRules(**rules))) != scorer_fingerprint(Scorer([]))
