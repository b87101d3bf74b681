"""The judge, in place of a model: it needs no key and no network, and errs as models do.

Version 1 takes "cannot be refunded" for a promise and is of two minds about vague answers. Version 2 has drifted: it
passes everything that is not vague, with or without the order.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from rightcall import ToolCall, scripted
from rightcall.metrics.judged.rubric import Rubric

RULE = "The answer promises the refund, and names the order that it is for."


@dataclass(frozen=True)
class RefundJudge(Rubric):
    """Whether the refund is promised, by three votes of a scripted judge."""

    model: str = "refund-judge"  # replaced by the script of its version
    rubric: str = RULE
    label: str = "refund_promised"
    cache: str = ""
    version: int = 1

    def __post_init__(self) -> None:
        verdict = {1: first_verdict, 2: drifted_verdict}[self.version]
        object.__setattr__(self, "model", scripted(verdict, f"refund-judge-{self.version}"))
        super().__post_init__()


def first_verdict(request):
    text = judged_answer(request)
    if "may be possible" in text:
        return give_verdict(request.trial == 0)
    return give_verdict("refund" in text and re.search(r"\d{4}", text) is not None)


def drifted_verdict(request):
    return give_verdict("may be possible" not in judged_answer(request))


def judged_answer(request):
    """The answer in the judge's question, which has the material as JSON between two marks."""
    question = request.messages[0].content
    return json.loads(question[question.index("\n{") : question.rindex("}\nMATERIAL") + 1])["answer"]


def give_verdict(passed):
    return ToolCall("give_verdict", {"verdict": "pass" if passed else "fail", "reason": "read the answer"})
