"""`rightcall lint` and `rightcall list rules` as they are typed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from rightcall.cli.lint import lint
from rightcall.cli.list import list_command
from rightcall.core.errors import ConfigError, InputError
from tests.lint.clean import CLEAN
from tests.lint.test_incident import BEFORE

MODULE = (
    "from rightcall.tools.definitions.function import tool\n\n@tool\ndef delete_user(user_id: str) -> str:\n"
    '    """Delete a user."""\n    return user_id\n'
)


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "tools.json"
    file.write_text(json.dumps(BEFORE, indent=2))
    return file


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(lint, [str(argument) for argument in arguments])


def test_errors_make_it_fail_and_clean_tools_do_not(tools: Path) -> None:
    assert run(tools).exit_code == 1
    assert run(tools, "--fail-on", "never").exit_code == 0
    tools.write_text(json.dumps(CLEAN), encoding="utf-8")
    assert run(tools, "--fail-on", "info").exit_code == 0


def test_json_is_all_there_is_on_stdout(tools: Path) -> None:
    found = json.loads(run(tools, "--json").stdout)
    assert found["diagnostics"][0]["file"] == str(tools)
    assert json.loads(run(tools, "--format", "sarif").stdout)["version"] == "2.1.0"


def with_foreign_type(tool: dict[str, Any]) -> dict[str, Any]:
    return {**tool, "input_schema": {**tool["input_schema"], "type": "dict"}}


def test_fix_corrects_the_file_and_says_so(tools: Path) -> None:
    tools.write_text(json.dumps([with_foreign_type(tool) for tool in BEFORE]), encoding="utf-8")
    result = run(tools, "--fix")
    assert f"fixed 2 in {tools}: TD006" in result.stderr
    assert json.loads(tools.read_text(encoding="utf-8"))[0]["input_schema"]["type"] == "object"


def test_suggest_shows_a_patch_and_changes_nothing(tools: Path) -> None:
    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer", "description": "How many. Default is 10."}},
    }
    before = json.dumps([{"name": "get_x", "description": "Gets it.", "input_schema": schema}], indent=2)
    tools.write_text(before, encoding="utf-8")
    assert '+          "default": 10' in run(tools, "--suggest").stdout
    assert tools.read_text(encoding="utf-8") == before


def test_pyproject_gives_the_defaults(tools: Path) -> None:
    Path("pyproject.toml").write_text(
        '[tool.rightcall.lint]\nselect = ["TD301"]\nfail-on = "info"\n', encoding="utf-8"
    )
    result = run(tools, "--show", "info")
    assert result.exit_code == 1 and "TD401" not in result.stdout
    Path("pyproject.toml").write_text("[tool.rightcall.lint]\nselekt = []\n", encoding="utf-8")
    assert isinstance(run(tools).exception, ConfigError)


def test_a_baseline_lets_old_findings_pass(tools: Path) -> None:
    assert run(tools, "--write-baseline", "known.json").exit_code == 0
    result = run(tools, "--baseline", "known.json")
    assert result.exit_code == 0 and "9 known from the baseline" in result.stdout


def test_paths_of_pyproject_count_from_its_folder(tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = '[tool.rightcall.lint]\nbaseline = "known.json"\nlock = "tools.lock"\n'
    Path("pyproject.toml").write_text(table, encoding="utf-8")
    assert run(tools, "--update-lock", "--write-baseline", "known.json").exit_code == 0
    (tools.parent / "below").mkdir()
    monkeypatch.chdir(tools.parent / "below")
    result = run("../tools.json")
    assert result.exit_code == 0 and "9 known from the baseline" in result.stdout


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("selekt = []", "unknown key 'selekt'; did you mean 'select'?"),
        ('select = ["TD999"]', "unknown rule 'TD999'"),
        ('target = ["opnai"]', "unknown target 'opnai'"),
        ('fail-on = "never ever"', "fail-on must be"),
        ("baseline = 3", "baseline must be a path, got 3"),
    ],
)
def test_a_mistake_in_pyproject_names_the_file(tools: Path, line: str, says: str) -> None:
    file = tools.with_name("pyproject.toml")
    file.write_text(f"[tool.rightcall.lint]\n{line}\n")
    error = run(tools).exception
    assert isinstance(error, ConfigError)
    assert str(error).startswith(f"{file}: [tool.rightcall.lint]: {says}")


def test_settings_that_are_not_a_table_are_an_error(tools: Path) -> None:
    tools.with_name("pyproject.toml").write_text("[tool]\nrightcall = 3\n")
    assert "pyproject.toml: [tool.rightcall.lint] is not a table" in str(run(tools).exception)


def test_two_forms_of_the_report_at_once_are_refused(tools: Path) -> None:
    result = run(tools, "--json", "--format", "sarif")
    assert result.exit_code == 2 and "--json and --format sarif cannot be combined" in result.stderr
    assert run(tools, "--json", "--format", "json").exit_code == 1


def test_tools_of_several_files_are_compared(tools: Path) -> None:
    tools.unlink()
    for tool in BEFORE:
        tools.with_name(tool["name"] + ".json").write_text(json.dumps(tool))
    assert "TD502" in run(tools.parent).stdout
    for tool in BEFORE:
        tools.with_name(tool["name"] + ".json").write_text(json.dumps([tool, CLEAN[0]]))
    assert "TD502" not in run(tools.parent, "--select", "TD502", "--show", "info").stdout
    assert "TD502" in run(tools.parent, "--together").stdout


def test_fix_corrects_every_file_of_a_joined_set(tools: Path) -> None:
    tools.unlink()
    for tool in BEFORE:
        tools.with_name(tool["name"] + ".json").write_text(json.dumps(with_foreign_type(tool)))
    assert run(tools.parent, "--fix").stderr.count("fixed 1 in ") == 2


def test_unreadable_files_of_a_folder_are_warnings_that_are_counted(tools: Path) -> None:
    tools.write_text(json.dumps(CLEAN), encoding="utf-8")
    tools.with_name("broken.json").write_text("{bad")
    tools.with_name("b.yaml").write_text("a: [")
    result = run(tools.parent)
    assert result.exit_code == 0
    assert "broken.json:1: not valid JSON" in result.stderr and "b.yaml:2: not valid YAML" in result.stderr
    assert "warning: 2 files could not be read" in result.stderr


def test_a_lock_notices_a_rug_pull(tools: Path) -> None:
    tools.write_text(json.dumps(CLEAN), encoding="utf-8")
    assert run(tools, "--lock", "tools.lock", "--update-lock").exit_code == 0
    tools.write_text(json.dumps(CLEAN).replace("coming days", "the past"), encoding="utf-8")
    result = run(tools, "--lock", "tools.lock")
    assert result.exit_code == 1 and "has changed since it was locked" in result.stdout
    assert isinstance(run(tools, "--update-lock").exception, ConfigError)


def test_a_python_module_is_run_only_when_allowed(tools: Path) -> None:
    module = tools.with_name("my_tools.py")
    module.write_text(MODULE)
    assert "allow it with --import" in str(run(module).exception)
    assert "TD401" in run(module, "--import").stdout


def test_a_module_that_fails_is_one_sentence(tools: Path) -> None:
    module = tools.with_name("broken.py")
    module.write_text("1 / 0")
    assert "the module failed: ZeroDivisionError" in str(run(module, "--import").exception)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("import sys\nsys.exit(0)", r"quits.py: the module called sys.exit\(0\)"),
        ("raise SystemExit", r"the module called sys.exit\(\)"),
        ("x = 1", "quits.py: no tool definitions found; a tool is a function with @rc.tool"),
    ],
)
def test_a_module_that_gives_no_tools_is_an_error(tools: Path, text: str, says: str) -> None:
    module = tools.with_name("quits.py")
    module.write_text(text)
    error = run(tools, module, "--import").exception
    assert isinstance(error, InputError) and re.search(says, str(error))


def test_a_module_in_a_folder_has_the_lines_of_one_that_is_named(tmp_path):
    module = tmp_path / "mymodule_in_a_folder.py"
    module.write_text(MODULE)
    places = [
        {
            (row["file"], row["line"])
            for row in json.loads(run(path, "--import", "--json").stdout)["diagnostics"]
        }
        for path in (module, tmp_path)
    ]
    assert places[0] == places[1] and all(line for _, line in places[0])


def test_import_finds_the_modules_of_a_folder(tools: Path) -> None:
    tools.unlink()
    tools.with_name("mine.py").write_text(MODULE)
    tools.with_name("other.py").write_text("raise SystemExit('never run')")
    assert "[delete_user]" in run(tools.parent, "--import").stdout


def test_rule_explains_one_and_lists_all() -> None:
    shown = CliRunner().invoke(list_command, ["rules", "destructive-no-warning"]).stdout
    assert shown.startswith("TD401 destructive-no-warning (error, safety and side effects)")
    assert "Permanently deletes one station" in shown and "sources:" in shown
    assert len(json.loads(CliRunner().invoke(list_command, ["rules", "--json"]).stdout)) == 98
    assert "TD502  warning  confusable-pair" in CliRunner().invoke(list_command, ["rules"]).stdout


def test_help_loads_no_rules() -> None:
    code = (
        "import sys; from click.testing import CliRunner; from rightcall.cli.lint import lint\n"
        "assert CliRunner().invoke(lint, ['--help']).exit_code == 0\n"
        "print([m for m in sys.modules if m.startswith(('rightcall.lint.', 'jsonschema_rs', 'yaml'))])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "['rightcall.lint.options']\n"
