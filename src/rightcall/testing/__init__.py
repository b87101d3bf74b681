"""Goldens as tests: what `rightcall_pytest` and `assert_test` stand on.

    marks       the goldens of `@pytest.mark.goldens(…)`, each with a readable id
    checking    Checker: what the `check` fixture does
    together    goldens of one test function, run together once they share an agent
    keeping     results into the store, one run for a test function, whoever writes it
    telling     a failing case in words: the reason and a difference of calls
    asserting   assert_test
    evaluation_dataset   EvaluationDataset for users: files, versions in the store, a loop of one's own
    summary     what a test session adds up to: intervals, the gate, what to type next

Nothing here is imported before a test uses it.
"""
