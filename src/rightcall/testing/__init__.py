"""Goldens as tests: the implementation of `rightcall_pytest` and `assert_test`.

    marks       the goldens of `@pytest.mark.goldens(…)`, each with a readable id
    check_fixture   Checker: what the `check` fixture does
    golden_batch    goldens of one test function, run together once they share an agent
    session_store   stores results, one run per test function, from any process
    assertion   assert_test; the text for a failing case: the reason and a difference of calls
    evaluation_dataset   EvaluationDataset for users: files, versions in the store, a custom loop
    summary     summary of a test session: intervals, the gate, next commands

Nothing here is imported before a test uses it.
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.testing.check_fixture import Checker as Checker, Defaults as Defaults
    from rightcall.testing.golden_batch import Checked as Checked, GoldenBatch as GoldenBatch
    from rightcall.testing.marks import marked_goldens as marked_goldens, readable_ids as readable_ids
    from rightcall.testing.session_store import SessionStore as SessionStore
    from rightcall.testing.summary import (
        gate_verdict as gate_verdict,
        summary_lines as summary_lines,
        tested as tested,
    )
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "check_fixture": "Checker Defaults",
            "golden_batch": "Checked GoldenBatch",
            "marks": "marked_goldens readable_ids",
            "session_store": "SessionStore",
            "summary": "gate_verdict summary_lines tested",
        },
    )
