"""Goldens as tests: the implementation of `rightcall_pytest` and `assert_test`.

    marks       the goldens of `@pytest.mark.goldens(…)`, each with a readable id
    check_fixture   Checker: what the `check` fixture does
    golden_batch    goldens of one test function, run together once they share an agent
    session_store   stores results, one run per test function, from any process
    assertion   assert_test; the text for a failing case: the reason and a difference of calls
    summary     summary of a test session: intervals, the gate, next commands

Nothing here is imported before a test uses it.
"""
