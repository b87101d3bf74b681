"""`rightcall attacks show`: the roles of the tools, and the flows between them."""

from __future__ import annotations

import click

from rightcall.cli.command_options import takes_option
from rightcall.cli.options import json_option
from rightcall.cli.output import console, print_json
from rightcall.core.options import TrustOption


@click.command()
@click.argument("source")
@takes_option(TrustOption, "trust")
@json_option
def show(source: str, trust: bool, as_json: bool) -> None:
    """Show the roles of the tools of SOURCE, a suite or a source of tools, each with the reason.

    Sources bring text into the agent: external ones text that third parties write, private ones what only the user may
    see. Sinks have effects. A flow leads from an external source over a private one to a sink by which data leaves.

    SOURCE is a suite, a file of definitions, `module:attribute` or `mcp:COMMAND`.
    """
    from rightcall.schema.roles.flows import flows_of
    from rightcall.wings.attacks.role_text import print_roles, roles_document
    from rightcall.wings.attacks.subject import attack_subject

    roles = attack_subject(source, trust=trust).roles
    flows = flows_of(roles)
    if as_json:
        print_json(roles_document(roles, flows))
    else:
        print_roles(console(), roles, flows)
