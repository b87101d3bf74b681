"""One mutant as `--show` prints it: what was changed, how it scores, and expected next to actual calls."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from rightcall.core.errors import InputError
from rightcall.model.golden import AnyGolden
from rightcall.model.record import Record
from rightcall.model.run import CaseResult
from rightcall.model.tool import Tool
from rightcall.run.rehearsal.trial import Judgement
from rightcall.show.case_screen import print_case
from rightcall.show.screen import Screen
from rightcall.show.view.case import case_view
from rightcall.show.view.grouped_trials import golden_row
from rightcall.wings.audit.audit import Auditor
from rightcall.wings.audit.mutant import Mutant
from rightcall.wings.audit.result import sentence_of
from rightcall.wings.audit.sections import HARM_TITLES

VERDICTS: dict[Judgement, str] = {
    "passed": "survives: the suite would not notice",
    "failed": "caught",
    "not_judged": "not judged",
}


class ShownMutant(Record, frozen=True):
    """A mutant with its golden and its score."""

    mutant: Mutant
    where: str
    golden: AnyGolden
    judgement: Judgement
    why: str = ""
    result: CaseResult | None = None


async def show_mutant(auditor: Auditor, where: str, golden: AnyGolden, mutant_id: str) -> ShownMutant | None:
    """The mutant of this id, or of an id that begins so, if the golden has it."""
    scene, _ = await auditor.scene_of(golden)
    if scene is None:
        return None
    for mutant in auditor.mutants(scene):
        if mutant.id.startswith(mutant_id):
            played, judgement, why = await auditor.judge(scene, mutant)
            try:
                result = await auditor.trial.result(golden, played.trajectory)
            except InputError:
                result = None
            return ShownMutant(played, where, golden, judgement, why, result)
    return None


def print_mutant(out: Screen, shown: ShownMutant, tools: Mapping[str, Tool]) -> None:
    """Print what was changed, the verdict, the calls and the score."""
    mutant = shown.mutant
    out.say(
        "[bold]{}[/bold]  {}  [dim]{}[/dim]", mutant.id, sentence_of([mutant]), shown.where, soft_wrap=True
    )
    facts = [f"operator {mutant.operator}", HARM_TITLES[mutant.harm]]
    facts.append("provably wrong" if mutant.certainty == "sure" else "may be harmless")
    if not mutant.valid:
        facts.append("a tool would refuse it")
    out.print(" · ".join(facts), style="dim", soft_wrap=True)
    out.print(VERDICTS[shown.judgement] + (f": {shown.why}" if shown.why else ""), soft_wrap=True)
    golden, results = shown.golden, [shown.result] if shown.result is not None else []
    result = shown.result or CaseResult(golden.id, 0, False, 0.0, {}, error="not judged")
    if result.trajectory is None:
        result = msgspec.structs.replace(result, trajectory=mutant.trajectory)
    print_case(out, case_view(golden, result, tools), trials=golden_row(golden.id, results))
