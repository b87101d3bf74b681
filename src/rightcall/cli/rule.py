"""`rightcall rule`: explain a lint rule."""

from __future__ import annotations

import click

from rightcall.cli.command_options import DeclaredCommand
from rightcall.cli.output import console, print_json, tell
from rightcall.core.options import JsonOption
from rightcall.core.seam import name_clashes


@click.command(cls=DeclaredCommand)
@click.argument("code", required=False)
def rule(code: str | None, as_json: JsonOption = False) -> None:
    """Explain a lint rule: what it checks, why it matters, an example and sources. Without CODE, list all rules.

    CODE is a code such as TD401 or a name such as destructive-no-warning.
    """
    from rightcall.lint.explain import as_table, as_text, rule_facts
    from rightcall.lint.rule import all_rules, find_rule

    if code is None:
        if as_json:
            print_json([rule_facts(lint_rule) for lint_rule in all_rules()])
        else:
            console().print(as_table(), soft_wrap=True)
            for note in name_clashes(
                "lint_rules", [rule.name for rule in all_rules() if rule.family != "installed"]
            ):
                tell(f"note: {note}", err=True)
        return
    lint_rule = find_rule(code)
    if as_json:
        print_json(rule_facts(lint_rule))
    else:
        console().print(as_text(lint_rule), soft_wrap=True)
