"""The linter: finds tool definitions that models misuse.

    engine          run the rules over sets of tools, locate what they found: `lint`
    rules/          files by family and subject, one function per rule; to add one, add a function
    rule            what a rule is; all rules, `find_rule`
    source/         reading definitions with the place of every value
    features/       facts about a tool and a set, computed once
    confusability/  how similar two tools are, and why
    known_findings  findings that a definition disables or a baseline knows
    lockfile        approved definitions: `tools.lock`
    fixer           fixes applied to the text of the files
    report          what was found; `report_formats` for the terminal and for programs

Nothing here fetches references or runs what it reads.

    config   the configuration of the linter: rules, targets and severities
    explain  explains rules: in the terminal and as JSON
    options  the options of `rightcall lint` and `rightcall.lint`, each declared once
"""
