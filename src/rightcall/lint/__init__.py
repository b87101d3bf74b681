"""The linter: finds tool definitions that models misuse.

    engine          run the rules over sets of tools, locate what they found: `lint`
    rules/          one folder per family, one file per rule; to add one, add a file
    rule            what a rule is; all rules, `find_rule`
    source/         reading definitions with the place of every value
    features/       facts about a tool and a set, computed once
    confusability/  how similar two tools are, and why
    conversion      tools converted for a provider, with what it will reject
    baseline        known findings, and approved definitions (the lockfile)
    fixer, ignores, output/

Nothing here fetches references or runs what it reads.
"""

from typing import TYPE_CHECKING

from rightcall.window import answers_calls, window

if TYPE_CHECKING:
    from rightcall.lint.baseline import (
        baseline_of as baseline_of,
        lock_of as lock_of,
        read_baseline as read_baseline,
        read_lock as read_lock,
        without_known as without_known,
        write_baseline as write_baseline,
        write_lock as write_lock,
    )
    from rightcall.lint.config import (
        LintConfig as LintConfig,
        LintSettings as LintSettings,
        config_from as config_from,
        find_settings as find_settings,
    )
    from rightcall.lint.confusability.word_use import (
        Wording as Wording,
        excluded as excluded,
        included as included,
        is_generic_name as is_generic_name,
        reads_as_english as reads_as_english,
        request_words as request_words,
    )
    from rightcall.lint.conversion import convert_all as convert_all
    from rightcall.lint.diagnostic import Diagnostic as Diagnostic, Severity as Severity
    from rightcall.lint.engine import lint as lint
    from rightcall.lint.evidence import (
        Broken as Broken,
        Confusion as Confusion,
        LintEvidence as LintEvidence,
        Misfilled as Misfilled,
        RuleEffect as RuleEffect,
    )
    from rightcall.lint.explain import as_table as as_table, as_text as as_text, rule_facts as rule_facts
    from rightcall.lint.features.text import estimate_tokens as estimate_tokens, sentences as sentences
    from rightcall.lint.fixer import (
        fix as fix,
        redefined as redefined,
        rewritten as rewritten,
        write as write,
    )
    from rightcall.lint.report import LintReport as LintReport
    from rightcall.lint.rule import all_rules as all_rules, find_rule as find_rule
    from rightcall.lint.source.read import (
        read_paths as read_paths,
        read_text as read_text,
        tool_set as tool_set,
    )
    from rightcall.lint.source.tools import ToolSet as ToolSet
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "baseline": "baseline_of lock_of read_baseline read_lock without_known write_baseline write_lock",
            "config": "LintConfig LintSettings config_from find_settings",
            "confusability.word_use": "Wording excluded included is_generic_name reads_as_english request_words",
            "conversion": "convert_all",
            "diagnostic": "Diagnostic Severity",
            "engine": "lint",
            "evidence": "Broken Confusion LintEvidence Misfilled RuleEffect",
            "explain": "as_table as_text rule_facts",
            "features.text": "estimate_tokens sentences",
            "fixer": "fix redefined rewritten write",
            "report": "LintReport",
            "rule": "all_rules find_rule",
            "source.read": "read_paths read_text tool_set",
            "source.tools": "ToolSet",
        },
    )
    answers_calls(__name__, "lint")  # rc.lint(…)
