"""Agents call another tool whose text is easily confused with the expected one's, and the request fits both."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.improve.golden_edit import accept_alternative
from rightcall.improve.golden_facts import request_of
from rightcall.improve.suspect import Reason, SuspectGolden
from rightcall.lint.confusability.word_use import request_words

ALIKE, SAME_COVER = 0.7, 0.05


def reasons(suspect: SuspectGolden) -> Iterator[Reason]:
    agreement, tools = suspect.votes.agreement, suspect.difference.other_tool
    if agreement is None or tools is None:
        return
    (wanted, called), wording = tools, suspect.toolset.wording
    request = request_words(request_of(suspect.golden))
    apart = abs(wording.cover(request, wanted) - wording.cover(request, called))
    if suspect.toolset.confusability(wanted, called) >= ALIKE and apart <= SAME_COVER:
        sentence = f"the request fits {called} as well as {wanted}, and their texts are easily confused"
        yield Reason("look", sentence, agreement, accept_alternative(suspect.golden, agreement.calls))
