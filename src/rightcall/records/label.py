"""What people say about judged cases: labels, and the verdicts of a judge that was asked again."""

from __future__ import annotations

import unicodedata
from typing import Literal

from rightcall.core.digest import hex_digest
from rightcall.records.record import Record

FORMAT = "rightcall/label/1"
JUDGEMENT_FORMAT = "rightcall/judgement/1"

LabelWord = Literal["pass", "fail", "unsure"]
BY_HAND = "none"
"""The plan of a label whose case somebody picked: it says something about the case, and nothing about a rate."""
SETTLED = "settled"
"""The plan of the label that ends a dispute."""


class CasePlace(Record, frozen=True):
    """Where a case was seen: the golden, its trial, and the run."""

    golden: str
    trial: int = 0
    run: str = ""

    @property
    def id(self) -> str:
        return case_id(self.golden, self.trial)


class Label(Record, frozen=True, omit_defaults=False):
    """One answer of one person about one case, a line of `labels/METRIC.jsonl`.

    It is about `material`, the hash of exactly what a judge of the metric is shown, and `rule`, the hash of the rubric.
    `saw_judge` says that the labeller saw the judge's verdict first. `plan` says how the case was chosen, and `stratum`
    from which of the judge's answers.
    """

    case: CasePlace
    material: str
    metric: str
    rule: str
    label: LabelWord
    by: str
    at: str
    note: str = ""
    seconds: float | None = None
    saw_judge: bool = False
    plan: str = BY_HAND
    stratum: str = ""
    format: str = FORMAT


class JudgementRecord(Record, frozen=True):
    """What a judge says about one labelled case, asked again; `share` is None when it gave no verdict.

    `judge` is the hash of everything its verdict depends on, `described` names it for people.
    """

    case: CasePlace
    material: str
    metric: str
    rule: str
    judge: str
    described: str
    at: str
    share: float | None = None
    passed: bool = False
    problem: str = ""
    format: str = JUDGEMENT_FORMAT


def case_id(golden: str, trial: int) -> str:
    """A case in one word: the golden, with the trial unless it is the first; no two cases share one."""
    return f"{golden}#{trial}" if trial or "#" in golden else golden


def rule_hash(text: str) -> str:
    """The identity of a rubric: other line breaks, spaces or forms of the same characters do not change it."""
    return hex_digest(" ".join(unicodedata.normalize("NFC", text).split()))
