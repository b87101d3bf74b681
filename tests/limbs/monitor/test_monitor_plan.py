"""`rightcall monitor baseline`, its `--plan`, and `status`: what they say about the false-alarm rate."""

import json

import msgspec
import pytest
from click.testing import CliRunner

import rightcall as rc
from rightcall.cli.main import cli
from rightcall.limbs.monitor.demo import START, reference_traffic
from rightcall.store.address import open_store

DAY = 86_400 * 10**9


def said(*words: str) -> str:
    result = CliRunner().invoke(cli, [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two weeks with a trace every two hours, of one check, and its settings."""
    place = tmp_path_factory.mktemp("plan")
    (place / "monitor.yaml").write_text(
        "agents: {travel: {match: {service.name: travel}}}\nchecks: [tool_errors]\ntimezone: Asia/Tokyo\n"
    )
    traces = [
        msgspec.structs.replace(trace, time=START - 14 * DAY + i * DAY // 12)
        for i, trace in zip(range(14 * 12), reference_traffic(), strict=False)
    ]
    with open_store(place / "m.db") as store:
        rc.Monitor(place / "monitor.yaml", store=store).feed(traces)
    days = ("--from", "2026-11-01", "--to", "2026-11-14")
    said("monitor", "baseline", *days, "--config", place / "monitor.yaml", "--store", place / "m.db")
    return place


def test_a_plan_states_the_rate_that_the_baseline_supports(folder):
    shown = said(
        "monitor", "baseline", "--plan", "--config", folder / "monitor.yaml", "--store", folder / "m.db"
    )
    assert "travel: false alarms at most 5% in 30d, over 2 watched series" in shown
    assert "Asia/Tokyo" in shown
    assert "played through the detector it raises nothing" in shown
    assert "0% of 100 would alarm" in shown


def test_a_plan_as_json_has_the_same(folder):
    (plan,) = json.loads(
        said(
            "monitor",
            "baseline",
            "--plan",
            "--config",
            folder / "monitor.yaml",
            "--store",
            folder / "m.db",
            "--json",
        )
    )
    assert (plan["agent"], plan["series"], plan["timezone"]) == ("travel", 2, "Asia/Tokyo")
    assert plan["rehearsal"]["not_guaranteed"] == []
    assert plan["rehearsal"]["alarms"] == 0


def test_without_a_cap_on_bursts_nothing_is_stated(folder, tmp_path):
    (tmp_path / "m.yaml").write_text(
        "agents: {travel: {}}\nchecks: [tool_errors]\nfalse_alarms: {burst: 0s}\n"
    )
    shown = said("monitor", "baseline", "--plan", "--config", tmp_path / "m.yaml", "--store", folder / "m.db")
    assert "not guaranteed to be at most 5% in 30d" in shown
    assert "burst is 0" in shown
    status = json.loads(said("monitor", "status", "--store", folder / "m.db", "--json"))
    assert "burst is 0" in status["baselines"]["travel"]["not_guaranteed"][0]


def test_an_unknown_time_zone_is_refused(folder, tmp_path):
    (tmp_path / "m.yaml").write_text("timezone: Mars/Olympus\n")
    result = CliRunner().invoke(
        cli,
        [
            "monitor",
            "baseline",
            "--plan",
            "--config",
            str(tmp_path / "m.yaml"),
            "--store",
            str(folder / "m.db"),
        ],
    )
    assert "timezone 'Mars/Olympus' is unknown here" in str(result.exception or result.output)
