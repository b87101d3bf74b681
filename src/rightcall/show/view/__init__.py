"""Every displayed number, computed once for terminal, JSON, Markdown, JUnit and HTML.

    run        RunView of a stored run, streamed: run_view, or RunReading to see each case too
    summary    by category and over all; rate: a share with its n
    tools      per tool and per agent, and the cells of the confusion matrix, laid out
    spread     quantiles and histogram of latency, cost, score; pass^k and simulated users
    failures   grouped by code, with examples; the name of a case
    failure_kinds  equal failures together, with one golden of each in full
    safety     attacks and their outcome; safety_sections: worst case, search, OWASP's risks; attack_hits: each hit
    columns    the columns of every table: titles, values, and which outputs show them
    grouped_trials  the trials of a golden in one row, danger first; the golden in other runs, its request, the
               command that reruns it
    messages   the transcript of a case, in the turns of a conversation
    case       one case: scores, rules, its time; calls: arguments side by side
    call_pairs which actual call answers which expected one

To show another column: a line in `columns`.
To show something new: a struct and its computation in the file of its subject, and a field in `RunView` or `CaseView`.

    floor  what trivial agents pass, in words
"""
