"""Causes determined by the failure code."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Cause, Hypothesis, codes_on

KNOWN: tuple[tuple[Cause, tuple[str, ...], str, str, tuple[str, ...]], ...] = (
    ("out_of_order", ("order_violation",), "calls come in the wrong order",
     "Say in the later tool which call must come before it.", ()),
    ("repeats", ("duplicate_call", "retry"), "the same call is made again",
     "Say what a result means and not to repeat the call; return a clear confirmation.", ("TD403", "TD904")),
    ("refusal", ("refused",), "the model refuses",
     "Look at the requests; a system prompt that says what the agent may do often helps.", ()),
    ("gives_up_or_loops",
     ("loop_limit", "agent_error", "bad_json", "over_calling", "lost_handoff", "handoff_loop", "too_deep"),
     "the agent stops or loops",
     "Look at the last messages of the cases; return errors that say what to do.", ("TD904",)),
    ("slow_or_costly", ("over_latency",), "cases exceed their time budget",
     "Shorten results and definitions, or give the model fewer steps.", ("TD904",)),
    ("acts_without_asking", ("unconfirmed", "missing_confirmation"), "the agent acts without asking",
     "Let the tool need an approval, or say in its description to ask the user first.", ("TD402",)),
    ("nobody_approves", ("waiting_for_approval", "needless_confirmation"), "the agent waits for an approval",
     "Say in the suite what the approver answers (`approvals`), or let the tool need no approval.", ()),
    ("caller_not_permitted", ("permission_denied", "unauthorized_call"), "a caller lacks the role of a tool",
     "Check the tool's `roles` where it runs, and the golden's `as`.", ()),
)  # fmt: skip


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    for cause, codes, what, advice, related in KNOWN:
        symptoms = [
            n for n, seen in enumerate(evidence.seen) if seen.symptom.code in codes and _first(evidence, n)
        ]
        tools = sorted({evidence.seen[n].symptom.tool for n in symptoms} - {""})
        if symptoms:
            yield Hypothesis(
                cause,
                symptoms,
                None,
                0.8,
                f"{what} in {evidence.trials_of(symptoms)} trials",
                advice,
                tuple(tools[:1]) if len(tools) == 1 else (),
                (),
                (),
                (),
                codes_on(evidence, related, *((tool, "") for tool in tools)),
                about="set",
            )


def _first(evidence: Evidence, number: int) -> bool:
    return evidence.seen[number].symptom.group in ("other", "stopped")
