"""What people and machines see of results.

view        every number that is shown, worked out once
terminal    tables and progress
rows        one JSON object a line
"""
