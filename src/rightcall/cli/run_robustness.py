"""`rightcall run --perturb` and `--faults`: what harmless changes and failing tools do to a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rightcall.cli.interrupt import run_interruptible
from rightcall.cli.output import console, print_json, tell
from rightcall.store.address import open_store

if TYPE_CHECKING:
    from rightcall.cli.run_execution import Execution
    from rightcall.models.endpoint import ModelEndpoint
    from rightcall.run.live_run import RunOutcome
    from rightcall.run.options import RunOptions
    from rightcall.run.plan import Plan


def run_perturbations(plans: list[Plan], texts: Path, options: RunOptions) -> None:
    """Run each plan clean and perturbed, and show what the perturbations did; `texts` is a file of paraphrases."""
    from rightcall.improve.robustness import run_perturbed
    from rightcall.show.comparison import print_comparison

    kinds = [kind.strip() for listed in options.perturb for kind in listed.split(",") if kind.strip()]
    for plan in plans:
        paraphrases = {}
        if "paraphrase" in kinds:
            paraphrases = paraphrases_of(plan, texts, plan.models.default("generator"))
        with open_store(options.store) as store:
            work = run_perturbed(
                plan, store, kinds, paraphrases=paraphrases, announce=lambda line: tell(line, err=True)
            )
            comparisons = run_interruptible(work)
        if options.as_json:
            print_json({"agent": plan.agent.name, "perturbations": comparisons})
        else:
            tell(plan.agent.name)
            for kind, compared in comparisons.items():
                print_comparison(console(), compared, ("the clean run", kind))


def paraphrases_of(plan: Plan, path: Path, model: ModelEndpoint | None) -> dict[str, tuple[str, ...]]:
    """Paraphrases from the file next to the suite; with a model, also of the goldens that have none there."""
    from rightcall.improve.paraphrases import (
        paraphrase_goldens,
        read_paraphrases,
        write_paraphrases,
    )
    from rightcall.model.golden import Golden

    goldens = [golden for golden in plan.goldens() if isinstance(golden, Golden)]
    written = read_paraphrases(path, goldens)
    if model is None:
        return written
    paraphrases = run_interruptible(paraphrase_goldens(model, goldens, written, seed=plan.seed))
    write_paraphrases(path, goldens, paraphrases)
    count = sum(len(texts) for texts in paraphrases.values())
    lost = sum(not texts for texts in paraphrases.values())
    none = f"; {lost} goldens have none that keeps every value" if lost else ""
    tell(f"{path}: {count:,} paraphrases{none}", err=True)
    return paraphrases


def run_broken(plans: list[Plan], agains: list[str], how: Execution, resume: str | None = None) -> int:
    """Run each plan without and with its faults, print what the faults changed, and return the exit code.

    `resume` names either of the two runs.
    """
    from rightcall.api.suite_run import run_with_control
    from rightcall.show.improvement import print_fault_report

    worst = 0
    for plan, again in zip(plans, agains, strict=True):

        def run_one(plan: Plan, resume: str | None, again: str = again) -> RunOutcome:
            return how.run(plan, again, resume=resume)

        broken, report = run_with_control(plan, run_one, how.options.store, resume)
        resume = None
        if how.options.as_json:
            print_json(report)
        else:
            print_fault_report(console(), report)
        worst = max(worst, broken.verdict.exit_code, 1 if report.double_effects else 0)
    return worst
