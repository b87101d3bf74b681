"""`rightcall attacks`: what an attacker could reach through the tools."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click
import msgspec

from rightcall.cli.command_options import OUTPUT, DeclaredCommand, GroupedCommand, takes_option, takes_options
from rightcall.cli.output import console, print_json, print_json_line, print_next, step_counter, tell
from rightcall.core.errors import ConfigError
from rightcall.core.options import JsonOption, Option, TrustOption
from rightcall.core.text import first_names, pluralize
from rightcall.files.atomic import write_file
from rightcall.limbs.attacks.worst_case.options import WorstCaseOptions
from rightcall.records.tool_roles import Flows, ToolRoles

if TYPE_CHECKING:
    from rightcall.records.worst_case import WorstCaseResult
    from rightcall.show.screen import Screen


@click.group()
def attacks() -> None:
    """Show what an attacker could reach through your tools, and what stops them."""


@attacks.command(cls=DeclaredCommand)
@click.argument("source")
@takes_option(TrustOption, "trust")
def guard(
    source: str,
    trust: bool,
    policy_name: Annotated[
        str, Option("Policy to write out: auto, strict or a file", flags=("--guard",))
    ] = "auto",
    output: Annotated[
        Path | None, Option("Output file [default: stdout]", flags=OUTPUT, writes="document")
    ] = None,
) -> None:
    """Write out the guard policy of the tools of SOURCE, a suite or a source of tools: every rule with its role.

    Edit the file and name it as `guard:` in a suite. Unedited, it decides like the policy it was made from.
    """
    from rightcall.limbs.attacks.subject import attack_subject
    from rightcall.tools.definitions.source import confirmed_tools
    from rightcall.tools.guard.base_rules import policy_yaml, write_rules_out
    from rightcall.tools.guard.monitor import Guard
    from rightcall.tools.guard.policy import guard_policy

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


@attacks.command("list", cls=DeclaredCommand)
@click.argument("source", required=False)
@takes_option(TrustOption, "trust")
def list_attacks(source: str | None, trust: bool, as_json: JsonOption = False) -> None:
    """List what an attack is made of; with SOURCE, the roles of its tools, each with the reason.

    SOURCE is a suite, a file of definitions, `module:attribute` or `mcp:COMMAND`. Sources bring text into the agent:
    external ones text that third parties write, private ones what only the user may see. Sinks have effects. A flow
    leads from an external source through a private one to a sink that sends data out.
    """
    if source is None:
        _list_parts(as_json=as_json)
        return
    from rightcall.limbs.attacks.command import print_roles, roles_document
    from rightcall.limbs.attacks.subject import attack_subject
    from rightcall.schema.roles.derivation import flows_of

    roles = attack_subject(source, trust=trust).roles
    flows = flows_of(roles)
    if as_json:
        print_json(roles_document(roles, flows))
    else:
        print_roles(console(), roles, flows)


def _list_parts(*, as_json: bool) -> None:
    """Carriers, goals, templates, places and wraps."""
    from rightcall.limbs.attacks.attack_plan import AUTO_CARRIERS, DEFAULTS, text_templates
    from rightcall.records.safety import CARRIERS, FAMILIES, GOALS, PLACEMENTS, WRAPS

    templates = {
        name: {"carriers": list(template.carriers), "default": name in DEFAULTS, "text": template.text}
        for name, template in text_templates().items()
    }
    carriers = {name: {"default": name in AUTO_CARRIERS} for name in CARRIERS}
    if as_json:
        parts = {"families": FAMILIES, "carriers": carriers, "goals": GOALS, "templates": templates}
        print_json({**parts, "places": PLACEMENTS, "wraps": WRAPS})
        return
    out = console()
    marks = {name: "" if facts["default"] else " (on request)" for name, facts in carriers.items()}
    for title, names in (
        ("carriers", [f"{name}{marks[name]}" for name in carriers]),
        ("goals", GOALS),
        ("places", PLACEMENTS),
        ("wraps", WRAPS),
        ("families", FAMILIES),
    ):
        out.say("[bold]{}[/bold]  {}", f"{title:<9}", ", ".join(names), soft_wrap=True)
    out.say("[bold]templates[/bold]")
    for name, facts in templates.items():
        out.say("  [bold]{}[/bold]  {}", f"{name:<13}", facts["text"], soft_wrap=True)


@attacks.command(cls=DeclaredCommand)
@click.argument("suite", type=click.Path(path_type=Path))
@takes_option(TrustOption, "trust")
def make(
    suite: Path,
    trust: bool,
    output: Annotated[Path, Option("File of goldens to write", flags=OUTPUT, writes="document")],
    plan: Annotated[
        str | None, Option("Plan of attacks [default: the suite's, or auto]", metavar="auto|FILE")
    ] = None,
) -> None:
    """Write the attacks on the tools of SUITE as goldens, to read, edit and keep; run or score them like any others.

    An attempt is a golden of the suite with a text planted in what the agent reads, and the calls that must not follow.
    Its benign twins are written too.
    """
    from rightcall.datasets.goldens import save_goldens
    from rightcall.limbs.attacks.attack_plan import read_attack_plan
    from rightcall.limbs.attacks.attacked_plan import attack_goldens
    from rightcall.limbs.attacks.subject import attack_subject
    from rightcall.limbs.attacks.suite_key import attack_settings

    subject = attack_subject(suite, trust=trust)
    if subject.plan is None:
        raise click.UsageError(f"{suite} is not a suite: attacks need goldens; give a suite.yaml")
    if plan is None:
        own = attack_settings(subject.suite).plan if subject.suite is not None else None
        asked = read_attack_plan(None if own == "none" else own, suite.parent)
    else:
        asked = read_attack_plan(plan if plan == "auto" else Path(plan).resolve())
    goldens = [golden for _, golden in subject.plan.numbered_goldens()]
    attack_set = attack_goldens(subject.plan.agent, goldens, asked)
    save_goldens(attack_set.goldens, output)
    twins = pluralize(len(attack_set.twins), "benign twin")
    tell(
        f"{output}: {pluralize(len(attack_set.attempts), 'attempt')} of {attack_set.possible:,} possible, {twins}"
    )
    tell("to run them as they are written there, make the file the dataset of a suite")
    for what, reason in attack_set.refused.items():
        tell(f"cannot be tested: {what}: {reason}", err=True)
    for what, reason in attack_set.left_out.items():
        tell(f"not made: {what}, because {reason}", err=True)
    attacked = subject.suite is not None and attack_settings(subject.suite).plan not in (None, "none")
    option = f" --attacks {plan or 'auto'}" if plan or not attacked else ""
    print_next(f"rightcall run {suite}{option}")


@attacks.command("worst-case", cls=GroupedCommand)
@click.argument("source")
@takes_options(WorstCaseOptions)
def worst_case(source: str, options: WorstCaseOptions) -> None:
    """Replay the goldens of SOURCE, a suite or a dataset, as a hijacked agent would: no model is asked.

    For each golden, its expected calls run on the worlds and mocks of the suite, with the attacker's text in everything
    external that they read. After each of them the attacker's calls are tried. Shows which of the attacker's
    calls the guard stops, and which of the user's own it stops too.

    Exit codes: 0 every attacker call was stopped, 1 one was not, or too many of the user's were, 2 bad input,
    3 something could not be tried.
    """
    from rightcall.core.event_loop import run_blocking
    from rightcall.limbs.attacks.worst_case.run import run_worst_case

    with step_counter("replaying", "golden") as watch:
        result = run_blocking(run_worst_case(source, options, watch))
    if options.as_json:
        for row in result.rows:
            if row.who == "attacker" or row.sink or row.stopped:
                print_json_line(row)
        print_json_line({"worst_case": result.summary})
    else:
        _show(result, source, options)
    if result.passes(1.0 if options.max_false_stops is None else options.max_false_stops):
        return
    raise click.exceptions.Exit(3 if result.summary.inconclusive and not result.summary.unguarded else 1)


def _show(result: WorstCaseResult, source: str, options: WorstCaseOptions) -> None:
    from rightcall.show.safety import MOST_ROWS, print_section
    from rightcall.show.view.safety_sections import worst_case_sections

    for section in worst_case_sections(result.summary):
        print_section(console(), section, None if options.every else MOST_ROWS)
    if options.output is not None:
        tell(f"wrote {len(result.summary.unguarded)} counterexamples to {options.output}")
    elif result.summary.unguarded:
        print_next(
            f"rightcall attacks worst-case {shlex.quote(source)} --guard auto",
            f"rightcall attacks guard {shlex.quote(source)} -o guard.yaml",
        )


MOST_NAMES = 6


def roles_document(roles: Mapping[str, ToolRoles], flows: Flows) -> dict[str, Any]:
    """All of it as one JSON document."""
    return {
        "tools": [_with_every_role(tool) for tool in roles.values()],
        "flows": {**msgspec.to_builtins(flows), "open": flows.open, "missing": flows.missing},
    }


def _with_every_role(tool: ToolRoles) -> dict[str, Any]:
    """The roles with those that the tool does not have, so that a reader needs no defaults."""
    record: dict[str, Any] = {name: getattr(tool, name) for name in ToolRoles.__struct_fields__}
    return {**record, "reasons": msgspec.to_builtins(tool.reasons)}


def print_roles(out: Screen, roles: Mapping[str, ToolRoles], flows: Flows) -> None:
    """The roles of each tool on one line, the reasons below it, and the flows in one sentence."""
    width = max(map(len, roles), default=0)
    for tool in roles.values():
        out.say("[bold]{}[/bold]  {}", f"{tool.tool:<{width}}", role_words(tool) or "no role", soft_wrap=True)
        because = " · ".join(f"{reason.role}: {reason.why} ({reason.by})" for reason in tool.reasons)
        if because:
            out.say("[dim]{}  {}[/dim]", " " * width, because, soft_wrap=True)
    out.print()
    out.print(flow_sentence(flows), soft_wrap=True)


def role_words(tool: ToolRoles) -> str:
    """`external, private source; send, money sink, guarded`; `source` for one that is neither."""
    kinds = [kind for kind, holds in (("external", tool.external), ("private", tool.private)) if holds]
    source = " ".join(filter(None, (", ".join(kinds), "source" if tool.source else "")))
    sink = f"{', '.join(tool.sinks)} sink" if tool.sinks else ""
    return "; ".join(filter(None, (source, f"{sink}, guarded" if tool.guarded else sink)))


def flow_sentence(flows: Flows) -> str:
    """Which tools make data leave, or why none does."""
    if not flows.open:
        return f"Nothing to exfiltrate: no {flows.missing} among these tools."
    return (
        f"Text of an attacker in {_names(flows.external)} can make the agent read {_names(flows.private)}"
        f" and pass it on with {_names(flows.sinks)}:"
        f" {pluralize(len(flows.external) * len(flows.private) * len(flows.sinks), 'flow')}."
    )


def _names(tools: Any) -> str:
    return first_names(list(tools), MOST_NAMES)
