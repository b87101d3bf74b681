"""A check for CI servers: annotations of GitHub, code quality of GitLab, SARIF, JUnit; each within its limits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

import msgspec

from rightcall.core.digest import hex_digest
from rightcall.decide.check_result import CheckResult, GoldenChange, HardFailure
from rightcall.lint.report import Diagnostic
from rightcall.show.github import annotation
from rightcall.show.lines import json_document
from rightcall.show.text import one_line, xml_text
from rightcall.show.view.failures import TITLES, danger_text

MOST_ANNOTATIONS = 9
"""Of each kind: GitHub shows 10 a step, and the tenth says how many more there are."""
MOST_RESULTS = 5_000
"""SARIF results that code scanning shows."""
BROKEN, DAMAGE = "golden-broken", "hard-failure"
_RULES = {
    BROKEN: "A golden that mostly passed in the baseline mostly fails now",
    DAMAGE: "Damage that the baseline never showed: a forbidden call, a double effect, a wrong state",
}
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_SEVERITIES = {"error": "major", "warning": "minor", "info": "info"}


class Remark(msgspec.Struct, frozen=True):
    """One thing to show at a place."""

    rule: str
    level: str
    message: str
    file: str
    line: int
    name: str


def remarks(result: CheckResult) -> list[Remark]:
    """Damage first, then broken goldens, then lint of the changed tools; equal ones once."""
    shown = [*map(_damage, result.hard), *map(_broken_golden, result.broken), *map(_lint, result.lint)]
    return list(dict.fromkeys(shown))


def check_annotations(result: CheckResult) -> Iterator[str]:
    """Workflow commands at the golden's and the tool's line."""
    for level in ("error", "warning"):
        some = [remark for remark in remarks(result) if remark.level == level]
        more = len(some) - MOST_ANNOTATIONS + (result.broken_more if level == "error" else 0)
        for remark in some[:MOST_ANNOTATIONS]:
            title = f"{remark.rule} {remark.name}"
            yield annotation(level, title, remark.message, file=remark.file, line=remark.line)
        if more > 0:
            yield annotation(level, f"{more:,} more", "check.md and check.json list them")


def code_quality(result: CheckResult) -> bytes:
    """GitLab's code quality report: one entry per fingerprint, relative paths."""
    entries = [
        {
            "description": remark.message,
            "check_name": remark.rule,
            "fingerprint": _fingerprint(remark),
            "severity": "critical" if remark.rule == DAMAGE else _SEVERITIES[remark.level],
            "location": {"path": _relative(remark.file), "lines": {"begin": max(1, remark.line)}},
        }
        for remark in remarks(result)
    ]
    return json_document(entries)


def check_sarif(result: CheckResult, version: str = "") -> bytes:
    """SARIF 2.1.0 with one run."""
    reported_remarks = remarks(result)[:MOST_RESULTS]
    rules = sorted({remark.rule for remark in reported_remarks})
    driver: dict[str, Any] = {
        "name": "rightcall check",
        "rules": [
            {"id": rule, "shortDescription": {"text": _RULES.get(rule, f"rightcall rule {rule}")}}
            for rule in rules
        ],
    }
    if version:
        driver["semanticVersion"] = version
    results = [
        {
            "ruleId": remark.rule,
            "ruleIndex": rules.index(remark.rule),
            "level": _LEVELS[remark.level],
            "message": {"text": remark.message},
            "partialFingerprints": {"rightcall/v1": _fingerprint(remark)},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": quote(_relative(remark.file))},
                        "region": {"startLine": max(1, remark.line)},
                    }
                }
            ],
        }
        for remark in reported_remarks
    ]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    log = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    return json_document(log)


def check_junit(result: CheckResult) -> bytes:
    """JUnit for a check that ran nothing, so that CI has a report: one test, the verdict."""
    sentence = xml_text(one_line(result.sentence, 2000))
    suite = xml_text(one_line(result.suite, 200))
    failed, error = result.verdict == "REGRESSED", result.verdict == "ERROR"
    inside = ""
    if failed or error:
        word = "failure" if failed else "error"
        inside = f'<{word} message="{sentence}" type="{result.verdict}"/>'
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n'
        f'<testsuite name="{suite}" tests="1" failures="{int(failed)}" errors="{int(error)}" skipped="0" time="0">\n'
        f'<testcase name="check" classname="{suite}" time="0">{inside}<system-out>{sentence}</system-out></testcase>\n'
        "</testsuite>\n</testsuites>\n"
    ).encode()


def _damage(hard: HardFailure) -> Remark:
    danger = danger_text([TITLES[hard.code].lower()])
    text = f"{danger}: {hard.golden} in {hard.often}, never in the baseline: {hard.detail}"
    return Remark(DAMAGE, "error", one_line(text, 1000), hard.file, hard.line, hard.golden)


def _broken_golden(golden: GoldenChange) -> Remark:
    text = f"{golden.golden} passed {golden.before} in the baseline, {golden.after} now: {golden.reason}"
    return Remark(BROKEN, "error", one_line(text, 1000), golden.file, golden.line, golden.golden)


def _lint(diagnostic: Diagnostic) -> Remark:
    hint = f"; {diagnostic.hint}" if diagnostic.hint else ""
    text = one_line(f"{diagnostic.tool}: {diagnostic.message}{hint}", 1000)
    place = (diagnostic.file, diagnostic.line, diagnostic.tool)
    return Remark(diagnostic.code, diagnostic.severity, text, *place)


def _fingerprint(remark: Remark) -> str:
    return hex_digest(f"{remark.rule}\0{remark.file}\0{remark.name}\0{remark.message}", 32)


def _relative(file: str) -> str:
    path = PurePosixPath(file or "suite.yaml")
    return path.name if path.is_absolute() or ".." in path.parts else str(path)
