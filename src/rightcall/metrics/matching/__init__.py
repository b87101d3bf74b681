"""The alignment of expected and actual calls, and the results derived from it.

matchers/      value or MISSING → score in [0, 1]
compile        a golden's argument → matcher
expectation    expected calls prepared for comparison, and what the final answer should contain
fast_path      cases that need no alignment
assignment     best one-to-one assignment
alignment      the alignment itself, under order constraints
explain        alignment → failures with evidence
reasons        failures → text
case_numbers   aligned calls → precision, recall, order and the other numbers of a case
verdict        numbers, pass mark, rules
case_score     all of it: golden + trajectory + tools → verdict
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.metrics.matching.alignment import (
        MOST_ORDERED as MOST_ORDERED,
        CallComparison as CallComparison,
        assign_by_groups as assign_by_groups,
    )
    from rightcall.metrics.matching.base import Scope as Scope, shown as shown
    from rightcall.metrics.matching.binding import mentions_ref as mentions_ref
    from rightcall.metrics.matching.case_score import (
        counted_places as counted_places,
        score_calls as score_calls,
    )
    from rightcall.metrics.matching.compile import (
        KINDS as KINDS,
        compile_matcher as compile_matcher,
        matcher_key as matcher_key,
    )
    from rightcall.metrics.matching.effort import (
        TooManyCalls as TooManyCalls,
        bounded_effort as bounded_effort,
    )
    from rightcall.metrics.matching.expectation import (
        fits as fits,
        make_slots as make_slots,
        pattern_text as pattern_text,
        predecessors as predecessors,
        unsound as unsound,
    )
    from rightcall.metrics.matching.reasons import (
        call_text as call_text,
        reason as reason,
        sentence as sentence,
    )
    from rightcall.metrics.matching.verdict import (
        DEFAULT_WEIGHTS as DEFAULT_WEIGHTS,
        WEIGHTINGS as WEIGHTINGS,
        WEIGHTS as WEIGHTS,
    )
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "alignment": "CallComparison MOST_ORDERED assign_by_groups",
            "base": "Scope shown",
            "binding": "mentions_ref",
            "case_score": "counted_places score_calls",
            "compile": "KINDS compile_matcher matcher_key",
            "effort": "TooManyCalls bounded_effort",
            "expectation": "fits make_slots pattern_text predecessors unsound",
            "reasons": "call_text reason sentence",
            "verdict": "DEFAULT_WEIGHTS WEIGHTINGS WEIGHTS",
        },
    )
