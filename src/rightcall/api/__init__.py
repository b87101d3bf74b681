"""The facade: what a program calls and what every command calls. It connects the rooms.

evaluation    evaluate, score_cases, rescore, analyze; run_result: what they return
recorded_scores  score: recorded behaviour against goldens, from files
tool_lint     lint: tool definitions from files, modules, servers or Python
decisions     gate, compare, sample_size; check: is a change safe to ship?
suite_run     run_suite
*_options     the parameters of evaluate and score, each declared once
goldens       load_dataset, check_dataset

    evaluate_options  the parameters of `evaluate` and `score_cases`, each declared once
    guards            `rc.guard`: a guard for tools, from their roles or from a policy
    improvement       changes to an agent's definitions, with proof that one helps
    lint_sources      the inputs of `rightcall lint`: tools from files, suites, modules and servers
    run_display       whether and where a run shows its progress
"""
