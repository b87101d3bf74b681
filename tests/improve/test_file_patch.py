"""The patch of `improve`: of the user's own files, with everything else in them as it was."""

from __future__ import annotations

import json
import subprocess

import pytest

from rightcall.improve.improvement import file_patch
from rightcall.run.suite import load_suite

TOOLS = """[
  {"name": "pay", "description": "Pay a bill.",   "input_schema": {"type": "object",
     "properties": {"amount": {"type": "integer", "description": "How much"}}}}
]
"""
YAML = """- name: pay
  description: Pay a bill.   # said by users
  input_schema: {type: object, properties: {amount: {type: integer, description: How much}}}
"""
EDIT = {
    "tool": "pay",
    "path": ["input_schema", "properties", "amount", "description"],
    "from": "How much",
    "to": "How much, in cents",
}


def suite_in(folder, tools: str, text: str):
    (folder / tools).write_text(text)
    (folder / "goldens.jsonl").write_text('{"input": "Pay 5", "id": "g"}\n')
    (folder / "suite.yaml").write_text(
        f"name: s\ntools: {tools}\ndataset: goldens.jsonl\nagent: {{model: 'keyword:', system: Be brief.}}\n"
    )
    return load_suite(folder / "suite.yaml")


@pytest.mark.parametrize(("name", "text"), [("tools.json", TOOLS), ("tools.yaml", YAML)])
def test_the_patch_applies_to_the_file_and_changes_one_line(name, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    patch = file_patch(suite_in(tmp_path, name, text), tmp_path / "suite.yaml", [EDIT])
    (tmp_path / "p.patch").write_text(patch)
    subprocess.run(["git", "apply", "p.patch"], check=True)
    after = (tmp_path / name).read_text()
    assert after.replace('"', "") == text.replace("How much", "How much, in cents").replace('"', "")
    assert len(set(after.splitlines()) - set(text.splitlines())) == 1


def test_a_changed_system_prompt_is_a_patch_of_the_suite(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    suite = suite_in(tmp_path, "tools.json", TOOLS)
    edit = {"tool": "", "path": ["system"], "from": "Be brief.", "to": "Be brief. Call no tool if none fits."}
    (tmp_path / "p.patch").write_text(file_patch(suite, tmp_path / "suite.yaml", [edit]))
    subprocess.run(["git", "apply", "p.patch"], check=True)
    assert load_suite(tmp_path / "suite.yaml").agent.system == "Be brief. Call no tool if none fits."


def test_hostile_texts_stay_text_in_a_patch_and_in_the_terminal(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hostile = '\x1b[2J</pre>"\n+++ b/etc/passwd\n' + "x" * 1000
    patch = file_patch(
        suite_in(tmp_path, "tools.json", TOOLS), tmp_path / "suite.yaml", [EDIT | {"to": hostile}]
    )
    assert "\x1b" not in patch
    assert [line for line in patch.splitlines() if line.startswith("+++")] == ["+++ b/tools.json"]
    (tmp_path / "p.patch").write_text(patch)
    subprocess.run(["git", "apply", "p.patch"], check=True)
    made = json.loads((tmp_path / "tools.json").read_text())
    assert made[0]["input_schema"]["properties"]["amount"]["description"] == hostile


def test_tools_that_are_code_have_no_file_to_patch(tmp_path):
    suite = suite_in(tmp_path, "tools.json", TOOLS)
    (tmp_path / "tools.json").unlink()
    assert file_patch(suite, tmp_path / "suite.yaml", [EDIT]) is None
