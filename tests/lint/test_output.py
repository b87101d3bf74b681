"""The report as people and programs read it."""

from __future__ import annotations

import json

from rightcall.lint.engine import lint
from rightcall.lint.report_formats import github_text, json_text as as_json, plain_text, sarif_text
from rightcall.lint.source.read import read_text
from tests.lint.clean import CLEAN, lint_tools
from tests.lint.test_incident import BEFORE
from tests.lint.test_precision import bills
from tests.support.published_schemas import problems, sarif_schema

REPORT = lint(read_text(json.dumps(BEFORE, indent=1), name="crm/tools.json"))


def test_text_shows_place_message_part_and_hint() -> None:
    shown = plain_text(REPORT)
    assert "crm/tools.json:4:3: error TD401 destructive-no-warning [delete_user]" in shown
    assert '    | "description": "Delete a user from the system."' in shown
    assert "    = say what is lost and whether it can be recovered" in shown


def test_text_ends_with_a_summary() -> None:
    lines = plain_text(REPORT).splitlines()
    assert "2 tools, about 79 tokens: 3 errors, 4 warnings, 2 infos" in lines
    assert "similar: delete_user and delete_account (0.82)" in lines
    assert "2 not shown (--show info)" in lines
    assert lines[-1] == "explain one: rightcall list rules TD401"


def test_text_of_a_clean_file_is_one_line() -> None:
    assert plain_text(lint_tools(CLEAN[:1])).splitlines() == [
        "1 tool, about 115 tokens: 0 errors, 0 warnings, 0 infos"
    ]


def test_control_characters_never_reach_the_terminal() -> None:
    shown = plain_text(lint_tools([{"name": "\x1b[31mred", "description": "\x1b]0;title\x07"}]), least="info")
    assert "\x1b" not in shown and "\\x1b[31mred" in shown


def test_json_holds_findings_tools_and_pairs() -> None:
    found = json.loads(as_json(REPORT))
    assert found["format"] == "rightcall/lint/1"
    assert found["summary"]["error"] == 3 and found["summary"]["by_rule"]["TD401"] == 2
    assert [tool["tokens"] for tool in found["tools"]] == [39, 40]
    assert found["pairs"][0]["first"] == "delete_user"


def test_sarif_is_valid_by_the_schema_that_oasis_publishes() -> None:
    assert problems(json.loads(sarif_text(REPORT, "1.2.3")), sarif_schema()) == []


def test_sarif_names_rules_places_and_fingerprints() -> None:
    (run,) = json.loads(sarif_text(REPORT, "1.2.3"))["runs"]
    rules = run["tool"]["driver"]["rules"]
    result = run["results"][0]
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    region = result["locations"][0]["physicalLocation"]
    assert region["artifactLocation"]["uri"] == "crm/tools.json" and region["region"]["startLine"] > 1
    assert len(result["partialFingerprints"]["rightcall/v1"]) == 16
    assert {each["level"] for each in run["results"]} == {"error", "warning", "note"}


def test_github_commands_are_escaped() -> None:
    hostile = [{"name": "a,b:c%\n::error::x", "description": "", "input_schema": {"type": "object"}}]
    lines = github_text(lint(read_text(json.dumps(hostile), name="t,1.json"))).splitlines()
    assert all(
        line.startswith(("::error file=t%2C1.json,line=1,", "::warning file=", "::notice file="))
        for line in lines
    )
    assert all(line.count("::") == 2 + 2 * line.count("::error::x") for line in lines)
    assert len(lines) == len(lint(read_text(json.dumps(hostile))).diagnostics)


def test_one_is_not_many() -> None:
    report = lint_tools(
        [
            {"name": "get_weather", "description": "Forecast."},
            {
                "name": "list_weather",
                "description": "b",
                "input_schema": {"properties": {"q": {"type": "array"}}},
            },
        ]
    )
    shown = plain_text(report, least="info")
    assert "1 word is too few" in shown
    assert "1 words" not in shown and "1 have" not in shown


def test_what_would_hurt_comes_first_and_many_warnings_of_a_rule_are_one_entry() -> None:
    names = [f"field_{letter}" for letter in "abcdefgh"]
    tools = [
        {
            "name": "read_notes",
            "description": "Reads the notes of a person, newest first.",
            "input_schema": {"type": "object", "properties": {name: {"type": "string"} for name in names}},
        },
        {"name": "delete_notes", "description": "Deletes notes.", "input_schema": {"type": "object"}},
    ]
    report = lint_tools(tools)
    shown = plain_text(report)
    assert "error TD401" in shown.splitlines()[0]
    assert "warning TD301 param-no-description: 8 times in 1 tool [read_notes]" in shown
    assert "    'field_a' has no description\n" in shown and "    7 more: --select TD301\n" in shown
    alone = plain_text(lint_tools(tools[:1]))  # other rules have findings that are not shown
    assert "TD301 param-no-description: 8 times" in alone and "1 info" in alone
    assert sum(each.code == "TD301" for each in report.diagnostics) == 8


def test_a_report_about_one_rule_lists_every_finding() -> None:
    properties = {f"field_{letter}": {"type": "string"} for letter in "abcdefgh"}
    tool = {"name": "read_notes", "description": "", "input_schema": {"properties": properties}}
    report = lint_tools([tool], select=("TD301",))
    assert plain_text(report).count("TD301 param-no-description [") == 8


def test_errors_that_say_the_same_are_said_once_with_every_place() -> None:
    tools = [
        {
            "name": f"delete_{thing}",
            "description": f"Deletes one {thing} of a shop.",
            "input_schema": {"type": "object"},
        }
        for thing in ("basket", "voucher", "carrier")
    ]
    shown = plain_text(lint_tools(tools, select=("TD401", "TD402")))
    assert shown.count("error TD401") == 3
    assert shown.count("does not say whether it can be undone") == 1
    assert shown.count("= say what is lost") == 1


def test_a_finding_about_the_set_names_no_tool() -> None:
    tools = [
        {"name": f"get_{letter}", "description": "", "input_schema": {}}
        for letter in "abcdefghijklmnopqrstuvw"
    ]
    (line,) = [line for line in plain_text(lint_tools(tools)).splitlines() if "TD601" in line]
    assert line.endswith("too-many-tools")


def test_long_messages_are_wrapped_at_the_width_of_the_terminal_and_stay_indented() -> None:
    report = lint_tools([{"name": "delete_basket", "description": "Deletes one basket of a shop."}])
    narrow = plain_text(report, width=60)
    messages = [line for line in narrow.splitlines() if line.startswith("    ") and "|" not in line]
    assert all(len(line) <= 60 for line in messages) and len(messages) > 3
    assert " ".join(narrow.split()) == " ".join(plain_text(report).split())


def test_a_confusable_pair_is_one_entry_that_names_the_other_rules() -> None:
    tools = [bills("invoices"), bills("notices")]
    report = lint_tools(tools)
    assert {"TD502", "TD505"} <= {each.code for each in report.diagnostics if each.severity == "warning"}
    shown = plain_text(report)
    assert "warning TD505" not in shown and "TD505)" in shown
    assert "TD505 no-contrast [" in plain_text(lint_tools(tools, select=("TD505",)))
