"""`rightcall attacks guard`: the derived policy, written out."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from rightcall.cli.command_options import takes_option
from rightcall.cli.options import output_option
from rightcall.cli.output import print_next, tell
from rightcall.core.options import TrustOption


@click.command()
@click.argument("source")
@click.option(
    "--guard",
    "policy_name",
    default="auto",
    show_default=True,
    help="Policy to write out: auto, strict or a file",
)
@output_option("Output file [default: stdout]")
@takes_option(TrustOption, "trust")
def guard(source: str, policy_name: str, output: Path | None, trust: bool) -> None:
    """Write out the guard policy of the tools of SOURCE, a suite or a source of tools: every rule with its role.

    The file can be edited and named as `guard:` in a suite. As it is written, it gives the verdicts of its base.
    """
    from rightcall.core.errors import ConfigError
    from rightcall.files.atomic import write_file
    from rightcall.tools.definitions.source import confirmed_tools
    from rightcall.tools.guard.monitor import Guard
    from rightcall.tools.guard.policy import guard_policy
    from rightcall.tools.guard.policy_text import policy_yaml, write_rules_out
    from rightcall.wings.attacks.subject import attack_subject

    subject = attack_subject(source, trust=trust)
    policy = guard_policy(policy_name)
    if policy is None:
        raise ConfigError("--guard none has no rules to write out; use auto, strict or a file")
    bound = Guard(policy, subject.tools, confirmed=confirmed_tools(subject.entries), where=policy_name)
    text = policy_yaml(write_rules_out(policy, bound.roles))
    if output is None:
        tell(text.rstrip("\n"))
        return
    write_file(output, text.encode())
    tell(f"wrote {len(write_rules_out(policy, bound.roles).rules)} rules to {output}")
    print_next(f"rightcall attacks worst-case {shlex.quote(source)} --guard {shlex.quote(str(output))}")
