"""The benchmark of adapters: its pages say what was measured, and the frameworks of this environment still are equal."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from benchmarks.adapters.outages import EXPECTED as ENDS, server_out_of_order, trajectory_of
from benchmarks.adapters.repeats import agent_of, cells, evaluations
from benchmarks.adapters.results import RESULTS, adapter_of, framework_names
from benchmarks.adapters.scenarios import SCENARIOS
from benchmarks.adapters.scripted_server import ModelHolder, scripted_server
from benchmarks.adapters.trials import Trial, framework_named, impossible

from rightcall.agents.observed.catalog import adapter_info
from rightcall.core.event_loop import run_blocking

ROOT = Path(__file__).parents[3]
HERE = ("openai", "anthropic", "openai_agents", "openai_agents__responses", "pydantic_ai")
"""Those whose model clients are in this environment."""


def measured() -> dict[str, Any]:
    results: dict[str, Any] = json.loads(RESULTS.read_text("utf-8"))
    return results


def test_every_framework_was_measured_in_every_scenario_with_the_tested_version():
    results = measured()
    assert list(results["scenarios"]) == [scenario.name for scenario in SCENARIOS]
    assert list(results["frameworks"]) == framework_names()
    for name, row in results["frameworks"].items():
        assert list(row["cells"]) == list(results["scenarios"])
        assert row["version"] == adapter_info(adapter_of(name)).tested


def test_every_framework_was_measured_with_every_failure_of_the_provider():
    results = measured()["outages"]
    assert list(results) == framework_names()
    for name, row in results.items():
        assert row["ends"] == ENDS, name
        assert row["version"] == adapter_info(adapter_of(name)).tested


def test_every_framework_was_used_again_in_one_process():
    results = measured()["again"]
    assert list(results) == framework_names()
    for name, row in results.items():
        assert row["equal"] == {"evaluations": [3, 3], "cells": [3, 3], "tests": [20, 20]}, name
        assert row["version"] == adapter_info(adapter_of(name)).tested


def test_whatever_is_not_equal_is_a_limitation_that_the_adapter_states():
    for name, row in measured()["frameworks"].items():
        for scenario, cell in row["cells"].items():
            if cell.get("differs"):
                assert cell["limit"] in adapter_info(adapter_of(name)).loses, (name, scenario)


def test_the_page_of_frameworks_is_generated_from_the_catalog_and_the_measurements(tmp_path, monkeypatch):
    for name in ("frameworks.md", "evidence.md"):
        shutil.copy(ROOT / "docs" / name, tmp_path)
    spec = importlib.util.spec_from_file_location(
        "make_adapter_pages", ROOT / "docs" / "make_adapter_pages.py"
    )
    assert spec is not None and spec.loader is not None
    pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pages)
    monkeypatch.setattr(sys, "argv", ["make_adapter_pages", str(tmp_path)])
    pages.main()
    for page in tmp_path.rglob("*.md"):
        kept = ROOT / "docs" / page.relative_to(tmp_path)
        assert page.read_text("utf-8") == kept.read_text("utf-8"), page.name


@pytest.mark.stories
@pytest.mark.parametrize("name", HERE)
def test_the_record_equals_the_servers_log_or_states_why_not(name):
    framework = framework_named(name)
    holder = ModelHolder()
    with scripted_server(holder) as address, asyncio.Runner() as runner:
        for scenario in SCENARIOS:
            if not impossible(framework, scenario):
                found = runner.run(Trial(framework, scenario, holder, address).differences())
                assert bool(found) == (scenario.name in framework.limits), (scenario.name, found)


@pytest.mark.parametrize("outage", ["503", "refused", "400"])
def test_failures_of_a_server_end_an_agent_as_they_were_measured(outage):
    with server_out_of_order(outage) as address:
        trajectory = run_blocking(trajectory_of(framework_named("openai_agents"), address))
    assert trajectory.stop_reason == ENDS[outage]


@pytest.mark.stories
def test_an_agent_is_used_again_as_it_was_measured(tmp_path):
    with agent_of(framework_named("openai_agents")) as agent:
        assert evaluations(agent, tmp_path) == [True] * 3
        assert cells(agent, tmp_path) == [True] * 3
