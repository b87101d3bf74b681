"""A check in CI: every output within its limits, nothing foreign alive in it, one comment that is replaced."""

from __future__ import annotations

import gzip
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import msgspec
import pytest
from hypothesis import example, given, strategies as st
from markdown_it import MarkdownIt

from rightcall.core.errors import ConfigError
from rightcall.decide.check_result import CheckCalls, CheckResult, GoldenChange, HardFailure
from rightcall.decide.check_rule import StratumState
from rightcall.decide.input_change import InputChange
from rightcall.lint.report import Diagnostic, LintReport
from rightcall.lint.report_formats import sarif_text
from rightcall.show.check_comment import (
    check_annotations,
    check_junit,
    check_markdown,
    check_quality,
    check_sarif,
)
from rightcall.show.github import PullRequest, add_to_summary
from tests.support.published_schemas import problems, sarif_schema

EVIL = "`</details>` @everyone [x](http://evil) ::error::x\n::set-output name=a::b | <img src=x>"


def a_result(broken: int = 3, **words) -> CheckResult:
    goldens = tuple(
        GoldenChange(
            f"g{i} {EVIL}",
            "111",
            "0",
            "affected",
            "wrong_tool",
            ("a()",),
            (f"b({EVIL})",),
            "goldens.jsonl",
            i + 1,
        )
        for i in range(broken)
    )
    lint = tuple(
        Diagnostic("TD202", "too-short", "warning", f"tool{i}", EVIL, file="tools.json", line=i + 1)
        for i in range(broken)
    )
    state = StratumState("affected", 20, 0.2, 18, 3, -0.4, 120.0, 0.01)
    given = {
        "changes": (InputChange("tool_changed", EVIL, "description"),),
        "hard": (HardFailure("g", "forbidden_call", EVIL, 2, 4, "goldens.jsonl", 7),),
        "strata": (state,),
        "calls": CheckCalls(18, 180, 600),
    }
    given |= {"reason": EVIL} | words
    return CheckResult("shop", "WORSE", broken=goldens, lint=lint, exit_code=1, **given)


def test_the_comment_stays_within_its_limit_and_closes_what_it_opens():
    text = check_markdown(a_result(3_000))
    assert len(text) <= 60_000
    assert text.count("<details>") == text.count("</details>") - text.count("`</details>`")
    assert text.startswith("<!-- rightcall:check:shop -->\n")


def test_foreign_text_can_link_mention_and_end_nothing():
    text = check_markdown(a_result())
    outside = "".join(part for i, part in enumerate(text.replace("``", "`").split("`")) if i % 2 == 0)
    assert "<img" not in outside
    assert "\n::" not in text


def test_annotations_stay_below_ten_of_a_kind_and_name_file_and_line():
    lines = list(check_annotations(a_result(3_000)))
    errors = [line for line in lines if line.startswith("::error ")]
    warnings = [line for line in lines if line.startswith("::warning ")]
    assert (len(errors), len(warnings), len(lines)) == (10, 10, 20)
    assert errors[0].startswith("::error file=goldens.jsonl,line=7,title=hard-failure g::")
    assert all("\n" not in line for line in lines)


def test_code_quality_is_what_gitlab_reads():
    entries = json.loads(check_quality(a_result()))
    assert len({entry["fingerprint"] for entry in entries}) == len(entries) == 7
    assert {entry["severity"] for entry in entries} == {"critical", "major", "minor"}
    assert entries[0]["location"] == {"path": "goldens.jsonl", "lines": {"begin": 7}}


def test_sarif_has_what_code_scanning_needs_and_stays_small():
    log = json.loads(check_sarif(a_result(10_000)))
    (run,) = log["runs"]
    assert len(run["results"]) == 5_000
    first = run["results"][0]
    assert run["tool"]["driver"]["rules"][first["ruleIndex"]]["id"] == first["ruleId"]
    assert first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "goldens.jsonl"
    assert log["version"] == "2.1.0"


@pytest.mark.parametrize("broken", [0, 3, 100])
def test_sarif_is_valid_by_the_schema_that_oasis_publishes(broken):
    assert problems(json.loads(check_sarif(a_result(broken), "1.0.0")), sarif_schema()) == []


def test_the_schema_of_sarif_finds_what_is_wrong():
    log = json.loads(check_sarif(a_result()))
    del log["runs"][0]["tool"]["driver"]["name"]
    assert problems(log, sarif_schema())


def test_three_thousand_broken_goldens_stay_below_every_limit_of_github_and_gitlab(tmp_path):
    result = a_result(3_000)
    sarif = check_sarif(result)
    summary = tmp_path / "summary.md"
    add_to_summary({"GITHUB_STEP_SUMMARY": str(summary)}, check_markdown(result))
    assert len(gzip.compress(sarif)) < 10_000_000
    (run,) = json.loads(sarif)["runs"]
    assert len(run["results"]) <= 25_000 and len(run["tool"]["driver"]["rules"]) <= 25_000
    assert summary.stat().st_size <= 1024 * 1024
    assert len(check_markdown(result)) <= 65_536 and len(check_markdown(result).encode()) <= 262_144
    assert len(list(check_annotations(result))) <= 30
    assert len(check_junit(result)) < 30_000_000
    assert len(check_quality(result)) < 30_000_000


def test_a_name_of_four_bytes_a_character_does_not_make_a_comment_too_large():
    text = check_markdown(a_result(20, reason="𝕏" * 100_000))
    assert len(text.encode("utf-16-le")) // 2 <= 65_536 and len(text.encode()) <= 262_144


def test_a_check_without_trials_has_a_junit_report_too():
    from xml.etree import ElementTree

    root = ElementTree.fromstring(check_junit(a_result()))
    assert root.find("testsuite").get("failures") == "1"


def test_a_check_that_settled_nothing_is_no_green_test():
    from xml.etree import ElementTree

    undecided = msgspec.structs.replace(a_result(), verdict="INCONCLUSIVE")
    root = ElementTree.fromstring(check_junit(undecided))
    assert root.find("testsuite").get("errors") == "1" and root.find(".//error") is not None


def test_a_finding_of_lint_is_the_same_remark_in_lint_and_in_check():
    report = LintReport(a_result().lint)
    in_lint, in_check = (
        json.loads(log)["runs"][0]["results"] for log in (sarif_text(report), check_sarif(a_result()))
    )
    by_check = {result["message"]["text"]: result for result in in_check}
    for result in in_lint:
        assert by_check[result["message"]["text"]] | {"ruleIndex": 0} == result


def test_the_summary_of_a_step_is_appended(tmp_path):
    path = tmp_path / "summary.md"
    path.write_text("before\n")
    add_to_summary({"GITHUB_STEP_SUMMARY": str(path)}, check_markdown(a_result()))
    assert path.read_text().startswith("before\n<!-- rightcall:check:shop -->")


def test_the_result_survives_its_own_format():
    result = a_result()
    assert msgspec.json.decode(msgspec.json.encode(result), type=CheckResult) == result


@pytest.fixture
def api():
    """GitHub's comments on loopback."""
    comments: list[dict] = [{"id": n, "body": "hello"} for n in range(100)]

    class Handler(BaseHTTPRequestHandler):
        def answer(self, value, status=200):
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def do_GET(self):
            page = int(self.path.partition("&page=")[2])
            self.answer(comments[(page - 1) * 100 : page * 100])

        def body(self):
            return json.loads(self.rfile.read(int(self.headers["content-length"])))["body"]

        def do_POST(self):
            comments.append({"id": 1000 + len(comments), "body": self.body()})
            self.answer({"html_url": "made"}, 201)

        def do_PATCH(self):
            number = int(self.path.rpartition("/")[2])
            next(c for c in comments if c["id"] == number)["body"] = self.body()
            self.answer({"html_url": "replaced"})

        def log_message(self, *args):
            return

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", comments
    server.shutdown()
    server.server_close()


def test_a_comment_is_made_once_and_then_replaced(api):
    url, comments = api
    environment = {
        "GITHUB_TOKEN": "t", "GITHUB_REPOSITORY": "o/r", "GITHUB_API_URL": url, "GITHUB_REF": "refs/pull/7/merge",
    }  # fmt: skip
    for word, address in (("one", "made"), ("two", "replaced"), ("three", "replaced")):
        assert (
            PullRequest.from_environment(environment).put_comment(f"<!-- rightcall:check:shop -->\n{word}")
            == address
        )
    assert [c["body"].splitlines()[-1] for c in comments if "rightcall" in c["body"]] == ["three"]


@pytest.mark.parametrize(
    ("environment", "problem"),
    [
        ({}, "GITHUB_TOKEN"),
        ({"GITHUB_TOKEN": "t", "GITHUB_REPOSITORY": "../x"}, "OWNER/NAME"),
        ({"GITHUB_TOKEN": "t", "GITHUB_REPOSITORY": "o/r"}, "no pull request"),
    ],
)
def test_what_a_comment_lacks_is_named(environment, problem):
    with pytest.raises(ConfigError, match=problem):
        PullRequest.from_environment(environment)


PIECES = st.sampled_from(
    ["`", "``", "|", "\\", "-", ">", "!", "@team", "&#64;team", "[x](http://e)", "![x](y)", "<b>", "a"]
)


@given(text=st.lists(PIECES, max_size=12).map("".join))
@example(text="```@team[x](http://e)```")  # a run of three is not two and one
@example(text="\\|@team|![x](y)")
@example(text="x---><b>--!>")
def test_whatever_a_name_is_made_of_it_stays_in_its_place(text):
    result = msgspec.structs.replace(a_result(1, reason=text), suite=f"shop{text}")
    golden = msgspec.structs.replace(result.broken[0], golden=f"g{text}", called=(f"b({text})",))
    page = check_markdown(msgspec.structs.replace(result, broken=(golden,)))
    html = MarkdownIt("commonmark").enable("table").render(page)
    bare = re.sub(r"<code>.*?</code>|<!--.*?-->", "", html, flags=re.DOTALL)
    assert not re.search(r"<(a|img|b)\b|@team|http://e", bare)
    assert all(row.count("<td>") in (0, 5, 6) for row in html.split("<tr>"))


def test_a_comment_of_a_stranger_with_our_first_line_is_left_alone(api):
    """Its author could edit the verdict afterwards."""
    url, comments = api
    comments[7] |= {"body": "<!-- m -->\nPASS", "author_association": "NONE", "user": {"type": "User"}}
    PullRequest(url, "o/r", 5, "t").put_comment("<!-- m -->\nFAIL")
    assert comments[7]["body"] == "<!-- m -->\nPASS" and comments[-1]["body"] == "<!-- m -->\nFAIL"
    comments[-1] |= {"author_association": "NONE", "user": {"type": "Bot"}}
    PullRequest(url, "o/r", 5, "t").put_comment("<!-- m -->\nagain")
    assert comments[-1]["body"] == "<!-- m -->\nagain"
