"""A check for CI servers: annotations of GitHub, code quality of GitLab, SARIF, JUnit; each within its limits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from rightcall.decide.check_result import CheckResult, GoldenChange, HardFailure
from rightcall.files.ci_report import Remark, annotation, code_quality, sarif
from rightcall.lint.report_formats import remark_of
from rightcall.show.junit import JUnitCase, junit_document
from rightcall.show.text import one_line
from rightcall.show.view.failures import TITLES, danger_text

MOST_ANNOTATIONS = 9
"""Of each kind: GitHub shows 10 a step, and the tenth says how many more there are."""
MOST_RESULTS = 5_000
"""SARIF results that code scanning shows."""
BROKEN = "golden-broken"
DAMAGE = "hard-failure"
_RULES = {
    BROKEN: "A golden that mostly passed in the baseline mostly fails now",
    DAMAGE: "Damage that the baseline never showed: a forbidden call, a double effect, a wrong state",
}


def remarks(result: CheckResult) -> list[Remark]:
    """Damage first, then broken goldens, then lint of the changed tools; equal ones once."""
    every_remark = [
        *map(_damage, result.hard),
        *map(_break_remark, result.broken),
        *map(remark_of, result.lint),
    ]
    return list(dict.fromkeys(every_remark))


def check_annotations(result: CheckResult) -> Iterator[str]:
    """Workflow commands at the golden's and the tool's line."""
    levels: tuple[Literal["error", "warning"], ...] = ("error", "warning")
    for level in levels:
        some = [remark for remark in remarks(result) if remark.level == level]
        more = len(some) - MOST_ANNOTATIONS + (result.broken_more if level == "error" else 0)
        yield from map(annotation, some[:MOST_ANNOTATIONS])
        if more > 0:
            yield annotation(Remark(f"{more:,} more", level, "check.md and check.json list them"))


def check_quality(result: CheckResult) -> bytes:
    """GitLab's code quality report."""
    return code_quality(remarks(result), dangerous=DAMAGE)


def check_sarif(result: CheckResult, version: str = "") -> bytes:
    """SARIF with the first of many remarks."""
    first_remarks = remarks(result)[:MOST_RESULTS]
    texts = {
        remark.rule: _RULES.get(remark.rule, f"rule {remark.rule} of rightcall lint")
        for remark in first_remarks
    }
    rules = {rule: {"shortDescription": {"text": text}} for rule, text in texts.items()}
    return sarif(first_remarks, rules, version, tool="rightcall check")


def check_junit(result: CheckResult) -> bytes:
    """JUnit for a check that ran nothing, so that CI has a report: one test, the verdict."""
    good = ("SAME", "PASS", "NO LOSS SEEN")
    element = "" if result.verdict in good else "failure" if result.verdict == "WORSE" else "error"
    return junit_document(result.suite, [JUnitCase("check", result.suite, element, result.sentence)])


def _damage(hard: HardFailure) -> Remark:
    danger = danger_text([TITLES[hard.code].lower()])
    text = f"{danger}: {hard.golden} in {hard.often}, never in the baseline: {hard.detail}"
    return _golden_remark(DAMAGE, text, hard)


def _break_remark(golden: GoldenChange) -> Remark:
    text = f"{golden.golden} passed {golden.before} in the baseline, {golden.after} now: {golden.reason}"
    return _golden_remark(BROKEN, text, golden)


def _golden_remark(rule: str, text: str, golden: HardFailure | GoldenChange) -> Remark:
    return Remark(
        rule,
        "error",
        one_line(text, 1000),
        golden.file,
        line=golden.line,
        name=golden.golden,
        origin="suite.yaml",
    )
