"""The baseline played through the detector, and when the share of false alarms is stated."""

import json
import random

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import given, settings, strategies as st

import rightcall as rc
from rightcall.cli.main import cli
from rightcall.limbs.monitor.baseline import TrafficBaseline, reference_of_hours
from rightcall.limbs.monitor.demo import START, reference_traffic
from rightcall.limbs.monitor.rehearsal import rehearse, spread_values
from rightcall.limbs.monitor.settings import FalseAlarms, MonitorSettings
from rightcall.store.address import open_store
from tests.support.examples import examples

MONDAY = 20_458 * 24
DAY = 86_400 * 10**9
CHECKS = ("tool_errors", "loop")
SETTINGS = MonitorSettings(checks=CHECKS, false_alarms=FalseAlarms(versions=1))


def baseline(days: int, rate, *, per_hour: int = 4, seed: int = 1):
    """Hours of two checks, and the baseline they give; `rate` maps a day to a rate."""
    draw = random.Random(seed)
    hours = {name: [] for name in CHECKS}
    for hour in range(days * 24):
        for own in hours.values():
            bad = sum(draw.random() < rate(hour // 24) for _ in range(per_hour))
            own.append((MONDAY + hour, per_hour, float(bad)))
    references = {name: reference_of_hours(own) for name, own in hours.items()}
    return TrafficBaseline("a", "", "", "now", references, per_day=24.0 * per_hour), hours


def test_constant_traffic_of_two_weeks_states_its_share():
    plan = rehearse(SETTINGS, *baseline(14, lambda day: 0.05))
    assert (plan.not_guaranteed, plan.raised, plan.days, plan.series) == ((), (), 14, 2)


@pytest.mark.parametrize(
    ("days", "rate", "reason"),
    [
        (3, lambda day: 0.05, "3 of the 7 days of a week"),
        (14, lambda day: 0.01 if day < 8 else 0.4, "itself would have raised an alarm (tool_errors, loop)"),
    ],
)
def test_what_cannot_be_held_is_not_stated(days, rate, reason):
    plan = rehearse(SETTINGS, *baseline(days, rate))
    assert any(reason in problem for problem in plan.not_guaranteed), plan


@settings(max_examples=examples(50))
@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.just(n), st.floats(0, n))))
def test_the_values_of_an_hour_have_its_sum(counts):
    n, bad = counts
    values = list(spread_values(n, bad))
    assert len(values) == n
    assert sum(values) == pytest.approx(bad, abs=1e-6)
    assert all(0 <= value <= 1 for value in values)


def test_a_plan_states_the_rate_that_the_baseline_supports(tmp_path):
    def said(*words: str) -> str:
        result = CliRunner().invoke(cli, [str(word) for word in words], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.output

    settings_file = tmp_path / "monitor.yaml"
    settings_file.write_text("agents: {travel: {match: {service.name: travel}}}\nchecks: [tool_errors]\n")
    traces = [
        msgspec.structs.replace(trace, time=START - 14 * DAY + i * DAY // 12)
        for i, trace in zip(range(14 * 12), reference_traffic(), strict=False)
    ]
    with open_store(tmp_path / "m.db") as store:
        rc.Monitor(settings_file, store=store).feed(traces)
    place = ("--config", settings_file, "--store", tmp_path / "m.db")
    said("monitor", "baseline", "--from", "2026-11-01", "--to", "2026-11-14", *place)
    shown = said("monitor", "baseline", "--plan", *place)
    assert "travel: false alarms at most 5% in 30d, over 2 watched series" in shown
    assert "baseline: 14 days; played through the detector it raises nothing" in shown
    (plan,) = json.loads(said("monitor", "baseline", "--plan", *place, "--json"))
    assert (plan["agent"], plan["series"], plan["not_guaranteed"]) == ("travel", 2, [])
