"""What people and machines see of results.

    view/       every number that is shown, worked out once, from a stored run
    text        foreign text, safe to look at; numbers: how numbers are written
    lines       the one door to terminal and log; screen: the same with colours and tables
    terminal    tables; progress: how far a run is; rows: one JSON object a line
    formats     html, markdown, junit, json: each a file of that name
    charts      Vega-Lite specs, drawn as SVG; embedded: cases inside report.html
    github      step summary and annotations

To add a format: a file with `write_<format>(store, run, out) -> RunView`, and its name in `formats.py`.
"""
