"""One case to label on a terminal: the rule, what the judge is shown, the keys."""

from __future__ import annotations

from rightcall.model.label import Label
from rightcall.run.judged_run import CaseQuestion
from rightcall.show.screen import Screen
from rightcall.show.view.label_case import label_sections, rule_text

KEYS = "p pass · f fail · u unsure · n note · b back · s skip · q quit"


def print_label_case(
    out: Screen,
    question: CaseQuestion,
    *,
    done: int,
    total: int,
    own: Label | None = None,
    note: str = "",
    show_judge: bool = False,
) -> None:
    """Show one case on its own screen."""
    out.clear()
    out.say(
        "[bold]{} of {}[/bold], rate so far is not shown  [dim]{}[/dim]", done, total, question.case.place.id
    )
    out.say("\n[bold cyan]Rule[/bold cyan]")
    out.print(rule_text(question.rule))
    for section in label_sections(question.materials):
        out.say("\n[bold]{}[/bold]", section.title)
        for text in section.texts:
            if text.heading:
                out.say("[dim]{}[/dim]", text.heading)
            out.print(text.text)
    if show_judge:
        score = question.score
        word = "no verdict" if score.error else "pass" if score.passed else "fail"
        out.say("\n[yellow]the judge says {}[/yellow] {}", word, score.error or score.reason)
    if own is not None:
        out.say("\n[dim]you answered {}[/dim] {}", own.label, own.note)
    if note:
        out.say("[dim]note, stored with your answer:[/dim] {}", note)
    out.print("")
