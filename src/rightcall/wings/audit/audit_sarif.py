"""An audit as SARIF 2.1.0, for code scanning: what passes and what is doubted, at the line of the golden."""

from __future__ import annotations

from typing import Any, Literal

from rightcall.files.ci_report import Remark, sarif
from rightcall.improve.doubt import DOUBT_TITLES, Doubt
from rightcall.wings.audit.audit_text import HARM_TITLES, LOUD, proposal_lines
from rightcall.wings.audit.result import AuditResult, Survivor

PAGE = "docs/audit.md"
Level = Literal["error", "warning", "info"]
LEVELS: dict[str, Level] = {"certain": "error", "likely": "warning"}


def audit_sarif(result: AuditResult, version: str = "") -> bytes:
    """Survivors and doubts as results; each kind of bug, and each reason to doubt, is a rule."""
    remarks = [*map(_survivor, result.survivors), *map(_doubt, result.doubts)]
    return sarif(remarks, {remark.rule: _rule(remark.rule) for remark in remarks}, version)


def _rule(code: str) -> dict[str, Any]:
    family, _, name = code.partition("/")
    if family == "doubt":
        text = f"The golden may be wrong: {dict(DOUBT_TITLES)[name]}."  # type: ignore[index]
    else:
        text = f"A bug of the kind {name.replace('_', ' ')} passes the golden."
    return {"name": name, "shortDescription": {"text": text}, "helpUri": PAGE}


def _survivor(survivor: Survivor) -> Remark:
    change = "; ".join(proposal_lines(survivor))
    text = f"{survivor.golden_id}: {survivor.sentence} ({HARM_TITLES[survivor.harm]}). {change}"
    level: Level = "warning" if survivor.harm in LOUD else "info"
    return _remark(f"audit/{survivor.operator}", level, text, survivor.where, survivor.id)


def _doubt(doubt: Doubt) -> Remark:
    mark = doubt.mark or f"{doubt.golden_id}:{doubt.code}"
    text = f"{doubt.golden_id}: {doubt.sentence}"
    return _remark(f"doubt/{doubt.code}", LEVELS[doubt.band], text, doubt.where, mark)


def _remark(rule: str, level: Level, text: str, where: str, mark: str) -> Remark:
    file, _, line = where.rpartition(":")
    number = int(line) if line.isdigit() else 0
    return Remark(rule, level, text, file if number else "", number, fingerprint=mark, origin="goldens")
