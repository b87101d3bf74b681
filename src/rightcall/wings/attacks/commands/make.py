"""`rightcall attacks make`: the attempts as goldens."""

from __future__ import annotations

from pathlib import Path

import click

from rightcall.cli.command_options import takes_option
from rightcall.cli.output import print_next, tell
from rightcall.core.options import TrustOption
from rightcall.core.text import pluralize


@click.command()
@click.argument("suite", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, help="File of goldens to write"
)
@click.option("--plan", metavar="auto|FILE", help="Plan of attacks [default: the suite's, or auto]")
@takes_option(TrustOption, "trust")
def make(suite: Path, output: Path, plan: str | None, trust: bool) -> None:
    """Write the attacks on the tools of SUITE as goldens, to read, keep and edit; then run or score them as any others.

    An attempt is a golden of the suite with a text planted in what the agent reads, and the calls that must not follow.
    Its benign twins are written too.
    """
    from rightcall.datasets.goldens import save_goldens
    from rightcall.wings.attacks.attack_plan import read_attack_plan
    from rightcall.wings.attacks.attacked_plan import attack_goldens
    from rightcall.wings.attacks.subject import attack_subject

    subject = attack_subject(suite, trust=trust)
    if subject.plan is None:
        raise click.UsageError(f"{suite} is not a suite: attacks need goldens; give a suite.yaml")
    if plan is None:
        own = subject.suite.attacks if subject.suite is not None else None
        attacks = read_attack_plan(None if own == "none" else own, suite.parent)
    else:
        attacks = read_attack_plan(plan if plan == "auto" else Path(plan).resolve())
    goldens = [golden for _, golden in subject.plan.numbered_goldens()]
    attack_set = attack_goldens(subject.plan.agent, goldens, attacks)
    save_goldens(attack_set.goldens, output)
    twins = pluralize(len(attack_set.twins), "benign twin")
    tell(
        f"{output}: {pluralize(len(attack_set.attempts), 'attempt')} of {attack_set.possible:,} possible, {twins}"
    )
    for what, reason in attack_set.refused.items():
        tell(f"cannot be tested: {what}: {reason}", err=True)
    attacked = subject.suite is not None and subject.suite.attacks not in (None, "none")
    option = f" --attacks {plan or 'auto'}" if plan or not attacked else ""
    print_next(f"rightcall run {suite}{option}")
