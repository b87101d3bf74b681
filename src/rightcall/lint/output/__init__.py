"""The report in the forms people and programs read: one file per form, each a function from report to text.

text      for the terminal: place, message, the offending part, a hint; then the summary
json      the report as it is, with the summary
sarif     SARIF 2.1.0, for code scanning
github    workflow commands that annotate the lines of a pull request
matrix    the most similar pairs as a picture (a Vega-Lite specification)
"""
