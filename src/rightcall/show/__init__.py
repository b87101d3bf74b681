"""How results are shown to people and machines.

    view/       every displayed number, computed once from a stored run
    text        foreign text, safe to look at, and how numbers are written
    lines       all output to terminals and logs; screen: with colours, and tables for any width
    run_screen  what is printed of a run: verdict, failures, price, next steps; a gate
    whole_run   a stored run and its tables; which case passed which metric
    terminal    tables; progress: the progress bar; rows: JSON Lines
    case_screen one case in the terminal; case_elements: on pages
    formats     html, markdown, junit, json: each a file of that name
    analysis    why a run fails, and where trials leave the expected path
    charts      histogram, trend and line as SVG nodes
    notebook    tables and progress in notebooks, columns for data frames
    check_screen, check_comment   a check in the terminal, as Markdown, and for CI servers
    templates/, assets/   the parts and styles of a page about a run, for reports and for the dashboard
    github      step summary, annotations, the comment on a pull request

To add a format: a file with `write_<format>(store, run, out) -> RunView`, and its suffixes in `formats.py`.

    comparison    two runs compared in the terminal: their numbers, and what changed between them
    improvement   what `improve` tried, and what faults did, in the terminal
    judge_report  a judge in the terminal: the rate that people would give, agreement, biases
    safety        safety of a run in the terminal: the sections of `view/safety.py` as they come
"""
