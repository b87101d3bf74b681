"""An audit as SARIF 2.1.0, for code scanning: what passes and what is doubted, at the line of the golden."""

from __future__ import annotations

from typing import Any

from rightcall.improve.doubt import DOUBT_TITLES, Doubt
from rightcall.lint.report_formats import file_uri, safe_text, sarif_log
from rightcall.wings.audit.audit_text import HARM_TITLES, LOUD, proposal_lines
from rightcall.wings.audit.result import AuditResult, Survivor

PAGE = "docs/audit.md"
LEVELS = {"certain": "error", "likely": "warning"}


def audit_sarif(result: AuditResult, version: str = "") -> str:
    """Survivors and doubts as results; each kind of bug, and each reason to doubt, is a rule."""
    found = {f"audit/{survivor.operator}" for survivor in result.survivors}
    found |= {f"doubt/{doubt.code}" for doubt in result.doubts}
    codes = sorted(found)
    results = [_survivor(survivor, codes) for survivor in result.survivors]
    results += [_doubt(doubt, codes) for doubt in result.doubts]
    return sarif_log([_rule(code) for code in codes], results, version)


def _rule(code: str) -> dict[str, Any]:
    family, _, name = code.partition("/")
    if family == "doubt":
        text = f"The golden may be wrong: {dict(DOUBT_TITLES)[name]}."  # type: ignore[index]
    else:
        text = f"A bug of the kind {name.replace('_', ' ')} passes the golden."
    return {"id": code, "name": name, "shortDescription": {"text": text}, "helpUri": PAGE}


def _survivor(survivor: Survivor, codes: list[str]) -> dict[str, Any]:
    change = "; ".join(proposal_lines(survivor))
    text = f"{survivor.golden_id}: {survivor.sentence} ({HARM_TITLES[survivor.harm]}). {change}"
    level = "warning" if survivor.harm in LOUD else "note"
    return _result(f"audit/{survivor.operator}", codes, level, text, survivor.where, survivor.id)


def _doubt(doubt: Doubt, codes: list[str]) -> dict[str, Any]:
    text = f"{doubt.golden_id}: {doubt.sentence}"
    mark = doubt.mark or f"{doubt.golden_id}:{doubt.code}"
    return _result(f"doubt/{doubt.code}", codes, LEVELS[doubt.band], text, doubt.where, mark)


def _result(rule: str, codes: list[str], level: str, text: str, where: str, mark: str) -> dict[str, Any]:
    file, _, line = where.rpartition(":")
    number = int(line) if line.isdigit() else 0
    place = {
        "artifactLocation": {"uri": file_uri(file) if number and file else "goldens"},
        "region": {"startLine": max(1, number)},
    }
    return {
        "ruleId": rule,
        "ruleIndex": codes.index(rule),
        "level": level,
        "message": {"text": safe_text(text)},
        "partialFingerprints": {"rightcall/v1": mark},
        "locations": [{"physicalLocation": place}],
    }
