"""A judge in the terminal: the rate that people would give, agreement, biases; and one case as a labeller sees it.

A labeller sees exactly what the judge is shown, without secrets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rightcall.core.redaction.clean_text import scrubber
from rightcall.core.text import percent
from rightcall.metrics.judged.bias import Bias
from rightcall.records.label import Label
from rightcall.records.record import Record
from rightcall.run.judge_report import DriftPoint, JudgeReport
from rightcall.run.judged_run import CaseQuestion
from rightcall.show.screen import Screen, print_columns
from rightcall.show.text import display_text, json_text
from rightcall.stats.agreement import Agreement
from rightcall.stats.judged_rate import JudgedRate

SIGNIFICANT = 0.05


def print_rate(out: Screen, report: JudgeReport) -> None:
    """Print the estimate and what it rests on."""
    judged = report.judged
    described = judged.judge.judge.described
    out.say("[bold]{}[/bold]  [dim]run {}, judge {}[/dim]", judged.metric, judged.run.id, described)
    if report.estimate is None:
        out.print(report.reason)
    else:
        _print_estimate(out, report.estimate.rate, chosen=report.estimate.labels.chosen is not None)
        for word, rate in (("pass", report.estimate.as_pass), ("fail", report.estimate.as_fail)):
            if rate is not None:
                bounds = f"{percent(rate.rate)} ({percent(rate.low)} to {percent(rate.high)})"
                out.say("[dim]with unsure as {}:[/dim] {}", word, bounds)
    if not report.is_calibrated:
        out.say(
            "[yellow]{} of {} labels: the judge is not calibrated and decides nothing[/yellow]",
            report.usable_labels,
            report.floor,
        )
    _print_people(out, report)
    for note in report.notes:
        out.say("[dim]note:[/dim] {}", note)


def print_status(out: Screen, report: JudgeReport) -> None:
    labelling = report.labelling
    print_rate(out, report)
    people = ", ".join(labelling.labellers)
    out.say(
        "[dim]{} cases, {} labelled{}, {} unsure, {} disputed, {} stale[/dim]\n",
        len(report.judged.cases),
        len(labelling.cases),
        f" by {people}" if people else "",
        len(labelling.with_word("unsure")),
        len(labelling.with_word("disputed")),
        len(labelling.stale),
    )


def print_bias(out: Screen, biases: Sequence[Bias], drift: Sequence[DriftPoint]) -> None:
    """Print where a judge errs; p-values are corrected over the list."""
    rows = [(bias.name, _difference(bias), _p(bias), f"{bias.labels:,}") for bias in biases]
    print_columns(out, ("bias", "difference", "p (Holm)", "labels"), rows)
    for bias in biases:
        out.say("[dim]{}: {}[/dim]", bias.name, bias.problem or bias.about, soft_wrap=True)
    print_drift(out, drift)


def print_drift(out: Screen, drift: Sequence[DriftPoint]) -> None:
    """Print the agreement of each version of the judge with people."""
    rows = [(agreement_words(point.agreement), f"{point.agreement.cases:,}", point.judge) for point in drift]
    print_columns(out, ("agreement with people", "labels", "judge"), rows, texts=("judge",))


def agreement_words(agreement: Agreement) -> str:
    """Share and agreement beyond chance with its interval, in words."""
    share = percent(agreement.share)
    if agreement.beyond_chance is None or agreement.low is None or agreement.high is None:
        return f"{share}, κ undefined"
    return f"{share}, κ {agreement.beyond_chance:.2f} ({agreement.low:.2f} to {agreement.high:.2f})"


def _print_estimate(out: Screen, rate: JudgedRate, *, chosen: bool) -> None:
    out.print(rate.sentence)
    bounds = f"at least {percent(rate.lower)}, at most {percent(rate.upper)}"
    out.say("[dim]deciding bounds, one-sided at {}:[/dim] {}", percent(rate.conf), bounds)
    rows = [(s.name, f"{s.cases:,}", f"{s.labels:,}", f"{s.passed:,.0f}") for s in rate.strata]
    print_columns(out, ("the judge says", "cases", "labels", "passed by people"), rows)
    if rate.kappa is not None:
        between = f" ({rate.kappa_low:.2f} to {rate.kappa_high:.2f})" if rate.kappa_low is not None else ""
        of_all = ", labelled cases weighted to all" if chosen else ""
        out.say("[dim]judge with people:[/dim] κ {}{}{}", f"{rate.kappa:.2f}", between, of_all)


def _print_people(out: Screen, report: JudgeReport) -> None:
    for pair in report.people:
        out.say("[dim]{}:[/dim] {}, {} cases", " and ".join(pair.people), agreement_words(pair.agreement),
                pair.agreement.cases)  # fmt: skip
    for case in report.labelling.with_word("disputed")[:10]:
        answers = ", ".join(f"{a.by} {a.label}{f' ({a.note})' if a.note else ''}"
                            for a in report.labelling.cases[case].answers)  # fmt: skip
        out.say("  [yellow]disputed[/yellow] {}: {}", case, answers)


def _difference(bias: Bias) -> str:
    if bias.difference is None:
        return "–"
    if bias.low is None or bias.high is None:
        return f"{bias.difference:+.2f}"
    return f"{bias.difference:+.2f} ({bias.low:+.2f} to {bias.high:+.2f})"


def _p(bias: Bias) -> str:
    if bias.p is None:
        return "–"
    return f"{bias.p:.3f}{' *' if bias.p < SIGNIFICANT else ''}"


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


TITLES = {
    "request": "Request",
    "context": "Context",
    "calls": "Calls",
    "answer": "Answer",
    "conversation": "Conversation",
    "before": "Said before",
    "tools": "Tools",
}


class LabelText(Record, frozen=True):
    """One text with what it is, such as a role or a tool."""

    text: str
    heading: str = ""


class LabelSection(Record, frozen=True):
    """A part of the material."""

    title: str
    texts: tuple[LabelText, ...]


def label_sections(materials: Sequence[dict[str, Any]]) -> list[LabelSection]:
    """The parts of everything that a judge is shown of a case, in its order."""
    clean = scrubber()
    sections = []
    for number, material in enumerate(materials, 1):
        turn = f", answer {number} of {len(materials)}" if len(materials) > 1 else ""
        for part, value in material.items():
            texts = tuple(
                LabelText(display_text(clean(text.text)), display_text(clean(text.heading), 300))
                for text in _texts(part, value)
            )
            sections.append(LabelSection(TITLES.get(part, part) + turn, texts or (LabelText("none"),)))
    return sections


def rule_text(rule: str) -> str:
    return display_text(scrubber()(rule))


def _texts(part: str, value: Any) -> list[LabelText]:
    if isinstance(value, str):
        return [LabelText(value or "(empty)")]
    if not isinstance(value, list):
        return [LabelText(json_text(value))]
    return [_text(part, item) for item in value]


def _text(part: str, item: Any) -> LabelText:
    if not isinstance(item, dict):
        return LabelText(item if isinstance(item, str) else json_text(item))
    if part == "calls":
        status = "" if item.get("status") in (None, "ok") else f" ({item['status']})"
        result = json_text(item.get("result"))
        return LabelText(f"{json_text(item.get('arguments'))}\n→ {result}", f"{item.get('tool')}{status}")
    if part == "tools":
        return LabelText(
            f"{item.get('description')}\n{json_text(item.get('parameters'))}", str(item.get("name"))
        )
    calls = f" calls {', '.join(item['calls'])}" if item.get("calls") else ""
    return LabelText(str(item.get("text") or ""), f"{item.get('role', '')}{calls}")
