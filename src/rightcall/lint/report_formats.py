"""The report for the terminal, where control characters are shown, and for programs: JSON, SARIF, GitHub."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

import msgspec

from rightcall.core.groups import group_by
from rightcall.core.text import names_and_more, pluralize
from rightcall.files.ci_report import SARIF_LEVELS, Remark, annotation, safe_text, sarif
from rightcall.lint.report import Diagnostic, LintReport
from rightcall.lint.rule import FAMILIES, SEVERITIES, Severity, find_rule

Paint = Callable[[str, str], str]
"""Colours a text: `paint("error", text)`. Styles are the severities, `dim` and `bold`."""


def plain_text(
    report: LintReport,
    *,
    least: Severity = "warning",
    paint: Paint = lambda style, words: words,
    width: int | None = None,
) -> str:
    """Findings from the least severity upward, what would hurt most first, then the summary.

    Messages are wrapped at `width`, if there is one, and keep their indentation. More than a few warnings of one
    rule are one entry with a count, unless the report is about that rule alone.
    """
    floor = SEVERITIES.index(least)
    shown = [_cut_excerpt(d, width) for d in report.diagnostics if SEVERITIES.index(d.severity) <= floor]
    by_harm = sorted(_once_a_pair(shown), key=_harm)
    has_others = len({diagnostic.code for diagnostic in report.diagnostics}) > 1
    parts: list[str] = []
    for group in group_by(by_harm, lambda diagnostic: (diagnostic.severity, diagnostic.code)).values():
        is_long = group[0].severity != "error" and len(group) > MOST_ALIKE and has_others
        parts += _count(group, paint) if is_long else _entries(group, paint, short=has_others)
    lines = [*parts, *_summary(report, len(report.diagnostics) - len(shown), paint)]
    return "\n".join(chain.from_iterable(_wrap_line(line, width) for line in lines)) + "\n"


def _once_a_pair(shown: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    """The findings, those about a pair that is reported as confusable named in that report instead of repeated."""
    pairs = {d.tool: {d.tool, *d.others} for d in shown if d.code == CONFUSABLE and d.severity != "info"}
    folded = [
        d
        for d in shown
        if d.code in _OF_A_PAIR
        and d.severity != "info"
        and any({d.tool, *d.others} <= pair for pair in pairs.values())
    ]
    for diagnostic in shown:
        if diagnostic in folded:
            continue
        tools = pairs.get(diagnostic.tool, set()) if diagnostic.code == CONFUSABLE else set()
        also = sorted({d.code for d in folded if {d.tool, *d.others} <= tools})
        note = f" (also {', '.join(also)})" if also else ""
        yield msgspec.structs.replace(diagnostic, message=diagnostic.message + note) if note else diagnostic


CONFUSABLE = "TD502"
_OF_A_PAIR = frozenset(("TD205", "TD505"))
"""Rules that say of a confusable pair what to write, which its own hint says too."""


def _cut_excerpt(diagnostic: Diagnostic, width: int | None) -> Diagnostic:
    """The finding with as much of its source line as fits into the width."""
    most = max(width or 0, NARROWEST) - len(_INDENT) - len("| ")
    if width is None or len(diagnostic.excerpt) <= most:
        return diagnostic
    return msgspec.structs.replace(diagnostic, excerpt=diagnostic.excerpt[: most - 1].rstrip("…") + "…")


def _wrap_line(line: str, width: int | None) -> list[str]:
    """The line, or its parts under each other when it is longer than the terminal; places and sources stay whole."""
    if (
        width is None
        or len(line) <= width
        or not line.startswith(_INDENT)
        or line.lstrip("\x1b[2m ").startswith("|")
    ):
        return [line]
    return textwrap.wrap(
        line,
        max(width, NARROWEST),
        subsequent_indent=_INDENT + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


_INDENT = "    "
NARROWEST = 40


MOST_ALIKE = 3
"""Findings of one rule that are shown one by one in a report about several rules."""

_BY_HARM = ("TD8", "TD4", "TD5", "TD0", "TD9", "TD3", "TD2", "TD1")
"""Families of rules, from those whose findings hurt most: an attack, an effect, the wrong tool, a broken schema."""


def _harm(diagnostic: Diagnostic) -> tuple[int, int]:
    family = diagnostic.code[:3]
    return SEVERITIES.index(diagnostic.severity), (*_BY_HARM, family).index(family)


MOST_PLACES = 10
"""Places of one error that are listed in a report about several rules."""


def _entries(group: Sequence[Diagnostic], paint: Paint, *, short: bool) -> Iterator[str]:
    """The findings of a rule one by one; those that say the same are one entry with a line for each place."""
    for same in group_by(group, lambda diagnostic: (diagnostic.message, diagnostic.hint)).values():
        shown = same[:MOST_PLACES] if short else same
        for diagnostic in shown:
            yield from _lines(
                diagnostic, paint, with_message=diagnostic is shown[0], with_hint=diagnostic is same[-1]
            )
        if len(shown) < len(same):
            yield f"    {len(same) - len(shown)} more: --select {same[0].code}"
            yield from _hint_line(same[0])


def _count(group: Sequence[Diagnostic], paint: Paint) -> Iterator[str]:
    """One entry for many findings of a rule: how many, in which tools, the first of them."""
    first = group[0]
    tools = list(dict.fromkeys(printable(each.tool) for each in group))
    head = f"{paint(first.severity, first.severity)} {first.code} {first.rule}"
    yield f"{head}: {len(group)} times in {pluralize(len(tools), 'tool')} [{names_and_more(tools, 3)}]"
    yield f"    {printable(first.message)}"
    yield from _hint_line(first)
    yield f"    {len(group) - 1} more: --select {first.code}"


def place(diagnostic: Diagnostic) -> str:
    """`tools.json:14:9`, or the file or server and the pointer when the line is not known."""
    if diagnostic.file and diagnostic.line:
        return printable(f"{diagnostic.file}:{diagnostic.line}:{diagnostic.column}")
    source = diagnostic.file or diagnostic.origin
    return printable(" ".join(filter(None, (source, diagnostic.pointer))) or "tool")


def printable(words: str) -> str:
    """The text with everything that is not printable written as an escape."""
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in words
    )


def _lines(diagnostic: Diagnostic, paint: Paint, *, with_message: bool, with_hint: bool) -> Iterator[str]:
    head = f"{paint('bold', place(diagnostic))}: {paint(diagnostic.severity, diagnostic.severity)} {diagnostic.code}"
    about_set = diagnostic.code in _ABOUT_THE_SET
    yield f"{head} {diagnostic.rule}" + ("" if about_set else f" [{printable(diagnostic.tool)}]")
    if with_message:
        yield f"    {printable(diagnostic.message)}"
    if diagnostic.excerpt and not about_set:
        yield paint("dim", f"    | {printable(diagnostic.excerpt)}")
    if with_hint:
        yield from _hint_line(diagnostic)


def _hint_line(diagnostic: Diagnostic) -> Iterator[str]:
    if diagnostic.hint:
        yield f"    = {printable(diagnostic.hint)}"


_ABOUT_THE_SET = frozenset(("TD601", "TD603"))
"""Rules about all tools together: the first of them has no part in it."""


def _summary(report: LintReport, hidden: int, paint: Paint) -> Iterator[str]:
    if report.diagnostics:
        yield ""
    counts = report.counts()
    totals = ", ".join(pluralize(count, name) for name, count in counts.items())
    kinds = Counter(tool.kind for tool in report.tools) or {"tool": 0}
    tools = " and ".join(pluralize(kinds[kind], kind) for kind in ("tool", "skill") if kind in kinds)
    yield paint("bold", f"{tools}, about {report.tokens:,} tokens: {totals}")
    heavy = sorted(report.tools, key=lambda tool: -tool.tokens)[:3]
    if len(report.tools) > 1:
        yield "heaviest: " + ", ".join(f"{printable(tool.name)} {tool.tokens:,}" for tool in heavy)
    for pair in [pair for pair in report.pairs if pair.score >= 0.8][:3]:
        yield f"similar: {printable(pair.first)} and {printable(pair.second)} ({pair.score:.2f})"
    fixes = Counter(diagnostic.fix for diagnostic in report.diagnostics)
    notes = (
        (fixes["safe"], "can be fixed with --fix"),
        (fixes["suggested"], f"{'has' if fixes['suggested'] == 1 else 'have'} a suggestion (--suggest)"),
        (hidden, "not shown (--show info)"),
        (report.known, "known from the baseline"),
        (report.ignored, "ignored"),
    )
    if any(count for count, _ in notes):
        yield "; ".join(f"{count} {note}" for count, note in notes if count)
    worst = min(report.diagnostics, key=_harm, default=None)
    if worst:
        yield paint("dim", f"explain one: rightcall list rules {worst.code}")


def json_text(report: LintReport) -> str:
    """One object; `format` says its version."""
    value = document(report)
    try:
        data = msgspec.json.encode(value)
    except UnicodeEncodeError:  # an unpaired surrogate, which JSON cannot represent
        data = msgspec.json.encode(safe_text(msgspec.to_builtins(value)))
    return msgspec.json.format(data, indent=2).decode() + "\n"


def document(report: LintReport) -> dict[str, Any]:
    """The same as values that msgspec encodes."""
    return {
        "format": "rightcall/lint/1",
        "summary": {
            **report.counts(),
            "tools": len(report.tools),
            "tokens": report.tokens,
            "known": report.known,
            "ignored": report.ignored,
            "by_rule": report.by_rule(),
        },
        "diagnostics": report.diagnostics,
        "tools": report.tools,
        "pairs": report.pairs,
    }


_PAGES = "docs/lint/rules"


def sarif_text(report: LintReport, version: str = "") -> str:
    """SARIF with the rules that found something."""
    rules = {diagnostic.code: _rule(diagnostic.code) for diagnostic in report.diagnostics}
    return sarif(list(map(remark_of, report.diagnostics)), rules, version).decode()


def github_text(report: LintReport) -> str:
    """One workflow command per line."""
    return "".join(f"{annotation(remark_of(diagnostic))}\n" for diagnostic in report.diagnostics)


def remark_of(diagnostic: Diagnostic) -> Remark:
    """A diagnostic as CI servers show it, whichever command writes it."""
    server = re.sub(r"[^A-Za-z0-9._-]+", "-", diagnostic.origin.removeprefix("mcp:")).strip("-.")
    source = f"{diagnostic.origin}: " if diagnostic.origin else ""
    hint = f"; {diagnostic.hint}" if diagnostic.hint else ""
    return Remark(
        rule=diagnostic.code,
        level=diagnostic.severity,
        message=f"{source}{diagnostic.tool}: {diagnostic.message}{hint}",
        file=diagnostic.file,
        line=diagnostic.line,
        column=diagnostic.column,
        name=diagnostic.rule,
        fingerprint=diagnostic.fingerprint,
        pointer=diagnostic.pointer,
        origin=f"mcp/{server or 'server'}" if diagnostic.origin else "tools",
    )


def _rule(code: str) -> dict[str, Any]:
    rule = find_rule(code)
    explanation = " ".join(rule.explanation.split())
    return {
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": explanation},
        "help": {"text": f"{explanation} `rightcall list rules {rule.code}` says more."},
        "helpUri": f"{_PAGES}/{rule.name}.md",
        "defaultConfiguration": {"level": SARIF_LEVELS[rule.severity]},
        "properties": {"tags": [FAMILIES[rule.family]]},
    }
