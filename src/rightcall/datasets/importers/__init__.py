"""Public benchmarks as goldens.

    bfcl          import_bfcl: the Berkeley Function Calling Leaderboard, single turn, Python, and its matcher

To add one: a file with a function from the benchmark's files to goldens whose `passed` is the benchmark's own
verdict, and a test that compares with the benchmark's own checker.

    skill_queries  queries that should or should not load a skill, in the two forms of files beside public skills
"""
