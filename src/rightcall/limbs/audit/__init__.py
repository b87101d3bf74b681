"""Would the suite notice? Bugs planted in right behaviour and scored by the user's own goldens. No model is asked.

scene        what operators see of a golden: its tools, its words, what is right; a mutant, and how much harm it does
mutants/     the operators, by what they change
proposals    the smallest change of a golden that catches a survivor
audit        all of it for a dataset; suite_audit: for a suite, as `rc.audit`
command      `rightcall audit`: in the terminal; sections: what was found, which audit_view draws too

To add an operator: a function `(scene, good)` in `mutants/`, in `OPERATORS` of its file.

    audit_view       an audit as a page
    expectations     expectations as proposals edit them
    mutation         the mutants of a golden
    result           what an audit found
"""
