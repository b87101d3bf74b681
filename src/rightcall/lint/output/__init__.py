"""The report in the forms people and programs read: one file per form, each a function from report to text.

text      for the terminal: place, message, the offending part, a hint; then the summary
json      the report as it is, with the summary
sarif     SARIF 2.1.0, for code scanning
github    workflow commands that annotate the lines of a pull request
matrix    the most similar pairs as a picture (a Vega-Lite specification)
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.lint.output.github import github_text as github_text
    from rightcall.lint.output.json import json_text as json_text
    from rightcall.lint.output.sarif import sarif_text as sarif_text
    from rightcall.lint.output.text import plain_text as plain_text
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "github": "github_text",
            "json": "json_text",
            "sarif": "sarif_text",
            "text": "plain_text",
        },
    )
