"""Find what makes models choose and fill tools wrongly, in the definitions, before they do.

    engine          run the rules over sets of tools: `lint`
    checks, locate  its steps
    rules/          one folder a family, one file a rule; to add one, add a file
    catalog         all rules, `find_rule`
    source/         reading definitions with the place of every value
    features/       facts about a tool and a set, computed once
    confusability/  how alike two tools are, and why
    facts/          word lists, sources
    conversion      tools converted for a provider, with what it will refuse
    fix, baseline, lockfile, ignores, output/

Nothing here fetches a reference or runs what it reads.
"""

from rightcall.lint.config import LintConfig
from rightcall.lint.diagnostic import Diagnostic, Severity
from rightcall.lint.engine import lint
from rightcall.lint.evidence import Confusion, Evidence, Misfilled, RuleEffect
from rightcall.lint.report import LintReport
from rightcall.lint.source.read import read_paths, read_text, tool_set
from rightcall.lint.source.tools import ToolSet

__all__ = [
    "Confusion",
    "Diagnostic",
    "Evidence",
    "LintConfig",
    "LintReport",
    "Misfilled",
    "RuleEffect",
    "Severity",
    "ToolSet",
    "lint",
    "read_paths",
    "read_text",
    "tool_set",
]
