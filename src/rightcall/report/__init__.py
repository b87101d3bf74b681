"""What people and machines see of results.

view/       every number that is shown, worked out once, from a stored run
text        text of models and datasets, safe to look at
terminal    tables and progress
rows        one JSON object a line
"""
