"""`rightcall mcp` driven by the real client: a whole loop, and what it refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.limbs.assistant.client import TOOLS, Assistant, make_project, with_assistant

pytestmark = pytest.mark.stories


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "project")


def test_an_assistant_lints_runs_and_compares(project):
    async def loop(ask: Assistant) -> None:
        before = await ask("run_suite", suite="suite.yaml")
        assert before["verdict"] == "FAIL" and before["passed"] == 1
        assert [one["golden_id"] for one in before["failed"]["items"]] == ["leave"]
        assert ask.progress[-1] == (2.0, 2.0)
        case = await ask("show_case", golden_id="leave", run=before["run"])
        assert case["case"]["input"] == "Erase my profile please"

        found = await ask("lint_definitions", path="suite.yaml", severity="info")
        codes = {one["code"] for one in found["findings"]["items"]}
        assert "TD402" in codes and found["path"] == "tools.json"

        tools = json.loads((project / "tools.json").read_text())
        tools[0]["description"] = "Erase the profile of a customer. Cannot be undone."
        (project / "tools.json").write_text(json.dumps(tools, indent=2))

        after = await ask("run_suite", suite="suite.yaml")
        assert after["verdict"] == "PASS"
        compared = await ask("compare_runs", baseline=before["run"], candidate=after["run"])
        assert compared["fixed"]["items"] == ["leave"] and compared["broken"]["items"] == []
        assert compared["what_changed"]["items"]["items"]
        runs = await ask("list_runs")
        assert [one["run"] for one in runs["runs"]] == [after["run"], before["run"]]
        assert (await ask("analyze_failures", run=before["run"]))["failed"] == 1

    with_assistant(project, loop, "--trust")


def test_nothing_outside_the_folder_is_read(project, tmp_path):
    outside = make_project(tmp_path / "outside")
    (project / "link.json").symlink_to(outside / "tools.json")
    (project / "linked").symlink_to(outside)
    (project / "away.yaml").write_text("dataset: ../outside/goldens.jsonl\nagent: {model: 'keyword:'}\n")
    (project / "loop").symlink_to(project / "loop")

    async def try_all(ask: Assistant) -> list[tuple[str, dict[str, Any]]]:
        tried = []
        for path in ("../outside/tools.json", str(outside / "tools.json"), "link.json", "linked/tools.json",
                     "a/../../outside/tools.json", "~/../../etc/passwd\0"):  # fmt: skip
            tried.append((path, await ask("lint_definitions", path=path)))
        tried.append(("suite", await ask("run_suite", suite="../outside/suite.yaml")))
        tried.append(("dataset of a suite", await ask("run_suite", suite="away.yaml")))
        tried.append(
            ("model", await ask("run_suite", suite="suite.yaml", model="scripted:../outside/x.jsonl"))
        )
        return tried

    tried = with_assistant(project, try_all)
    assert [what for what, said in tried if said.get("error") != "permission_denied"] == []
    assert (outside / "tools.json").read_text() == json.dumps(TOOLS, indent=2)
    assert sorted(path.name for path in outside.iterdir()) == ["goldens.jsonl", "suite.yaml", "tools.json"]


def test_no_suite_runs_unless_the_user_started_the_server_with_trust(project):
    async def try_all(ask: Assistant) -> None:
        for tool, words in (
            ("run_suite", {"model": "exec:touch done"}),
            ("run_suite", {}),
        ):
            said = await ask(tool, suite="suite.yaml", **words)
            assert said["error"] == "permission_denied" and "rightcall mcp serve --trust" in said["detail"]

    with_assistant(project, try_all)
    assert not (project / "done").exists()


def test_bad_input_is_an_answer_and_the_server_continues(project):
    (project / "broken.json").write_text("{")

    async def try_all(ask: Assistant) -> list[str]:
        said = [
            await ask("lint_definitions", path="missing.json"),
            await ask("lint_definitions", path="broken.json"),
            await ask("lint_definitions", path=7),
            await ask("lint_definitions"),
            await ask("show_run", run="zz"),
            await ask("run_suite", suite="tools.json"),
            await ask("no_such_tool"),
        ]
        assert all(one["failed"] and one["hint"] for one in said)
        assert (await ask("lint_definitions", path="tools.json"))["tools"] == 2
        return [one["error"] for one in said]

    errors = with_assistant(project, try_all)
    assert set(errors) <= {"bad_input", "invalid_args", "permission_denied", "unknown_tool"}


def test_hostile_text_is_short_and_inert(project):
    golden = {"id": "odd\u001b[2J", "input": "\u202eErase\u001b]0;x\u0007" + "x" * 200_000,
              "expected_calls": [{"tool": "close_account", "args": {"customer": "y" * 100_000}}]}  # fmt: skip
    (project / "goldens.jsonl").write_text(json.dumps(golden) + "\n")

    async def look(ask: Assistant) -> list[dict[str, Any]]:
        ran = await ask("run_suite", suite="suite.yaml")
        return [ran, await ask("show_run"), await ask("show_case", golden_id=golden["id"])]

    for said in with_assistant(project, look):
        text = json.dumps(said, ensure_ascii=False)
        assert "failed" in text and len(text) < 50_000
        assert not any(mark in text for mark in ("\u001b", "\u202e", "\\u001b", "\u0007"))


def test_reading_tools_say_so_and_its_own_listing_lints_clean(project):
    async def listing(ask: Assistant) -> list[dict[str, Any]]:
        listed = await ask.session.list_tools()
        return [one.model_dump(by_alias=True, exclude_none=True, mode="json") for one in listed.tools]

    tools = with_assistant(project, listing)
    hints = {one["name"]: one["annotations"] for one in tools}
    writing = {name for name, hint in hints.items() if not hint["readOnlyHint"]}
    assert writing == {"run_suite"}
    assert [name for name, hint in hints.items() if hint["openWorldHint"]] == ["run_suite"]

    from rightcall.lint.engine import lint
    from rightcall.lint.source.read import read_text

    report = lint(read_text(json.dumps({"tools": tools})))
    assert (report.counts()["error"], report.counts()["warning"], len(report.tools)) == (0, 0, len(tools))
    only_reading = with_assistant(project, listing, "--read-only")
    assert {one["name"] for one in only_reading} == hints.keys() - writing


def test_a_store_outside_the_project_is_refused(project, tmp_path):
    command = [sys.executable, "-m", "rightcall", "mcp", "serve", "--store", str(tmp_path / "x.db")]
    ended = subprocess.run(
        command, cwd=project, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    assert ended.returncode == 2 and "the store is outside the project folder" in ended.stderr


def test_trust_lets_a_suite_import_the_metrics_of_the_project(project):
    (project / "own.py").write_text("def short(calls):\n    return len(calls) < 2\n")
    (project / "own.yaml").write_text(
        "dataset: goldens.jsonl\ntools: tools.json\nagent: {model: 'keyword:'}\nmetrics: ['own:short']\n"
    )

    async def run(ask: Assistant) -> dict[str, Any]:
        return await ask("run_suite", suite="own.yaml")

    assert with_assistant(project, run)["error"] == "permission_denied"
    assert with_assistant(project, run, "--trust")["verdict"] == "FAIL"


def test_a_replay_uses_recorded_answers_and_names_what_is_not_recorded(project):
    command = [sys.executable, "-m", "rightcall", "run", "suite.yaml", "--record", "auto"]
    subprocess.run(command, cwd=project, check=False, capture_output=True)
    recorded = [path for path in project.rglob("*") if "leave" in path.name]
    assert recorded

    async def run(ask: Assistant) -> dict[str, Any]:
        return await ask("run_suite", suite="suite.yaml", replay=True)

    assert with_assistant(project, run, "--trust")["passed"] == 1
    recorded[0].unlink()
    said = with_assistant(project, run, "--trust")
    assert "leave, trial 0: nothing was recorded for these inputs" in json.dumps(said)
