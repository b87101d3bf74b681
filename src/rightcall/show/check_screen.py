"""A check on the terminal: the verdict, what changed, what broke, the price, what to do next. 80 columns wide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from rightcall.core.text import names_and_more, pluralize, visible
from rightcall.decide.check_result import CheckResult, GoldenChange
from rightcall.show.check_comment import decision_facts, stratum_cells
from rightcall.show.view.failures import TITLES, danger_text

WIDTH = 80
MOST_CHANGES = 5
MOST_BROKEN = 3
MOST_NAMES = 6
MOST_NOTES = 3
COLUMN = 10
"""Where lists begin, after their names."""


def check_screen(result: CheckResult) -> list[str]:
    """The lines; the first one begins with the verdict."""
    indent = len(result.word) + 2
    lines = [*_hung(f"{result.word}  ", _headline(result), indent)]
    for line in (*_dangers(result), *_second_lines(result)):
        lines += _hung(" " * indent, line, indent)
    blocks = (_changes(result), _goldens(result), _price(result))
    for block in map(list, blocks):
        lines += ["", *block] if block else []
    return [visible(line) for line in lines]


def check_why(result: CheckResult) -> list[str]:
    """How the verdict came about, at length: what each stratum showed, the alarm, the risks."""
    lines = check_screen(result)
    for state in result.strata:
        name, goldens, tried, difference, margin, how = stratum_cells(state)
        text = f"{goldens} goldens, {tried} tried: difference {difference}, margin {margin}; {how}"
        lines += ["", *_column(name, [text])]
    lines.append("")
    for fact in decision_facts(result):
        lines += _hung("", fact.replace("`", ""), 2)
    return [visible(line) for line in lines]


def _headline(result: CheckResult) -> str:
    return f"{result.reason}; 0 requests" if result.verdict == "SAME" else result.reason


def _dangers(result: CheckResult) -> Iterator[str]:
    for hard in result.hard:
        danger = danger_text([TITLES[hard.code].lower()])
        yield " ".join(filter(None, [f"{danger}: {hard.golden}", hard.detail, f"in {hard.often}"]))


def _second_lines(result: CheckResult) -> Iterator[str]:
    """What was compared, and what could not be."""
    if result.verdict == "SAME" and result.compared.words:
        yield result.compared.words
    if result.unknown and result.calls.spent:
        yield f"{result.unknown}, so {_how_much(result)} was run"


def _how_much(result: CheckResult) -> str:
    return "everything" if result.everything else "a sample"


def _changes(result: CheckResult) -> Iterator[str]:
    changes = [] if result.verdict == "SAME" else [change.words for change in result.changes]
    more = len(changes) - MOST_CHANGES
    shown = changes[:MOST_CHANGES] + ([f"and {more} more"] if more > 0 else [])
    yield from _column("changed", shown)


def _goldens(result: CheckResult) -> Iterator[str]:
    yield from _column("broken", list(_broken(result.broken, result.broken_more)))
    fixed = [golden.golden for golden in result.fixed]
    yield from _column("fixed", [names_and_more(fixed, MOST_NAMES)] if fixed else [])
    new = result.new
    if new.goldens:
        yield from _column(
            "new", [f"{pluralize(new.goldens, 'golden')}, {new.passed} of {new.trials} trials passed"]
        )
    yield from _column(
        "lint", [f"{found.severity} {found.code} {found.tool}: {found.message}" for found in result.lint[:3]]
    )
    yield from _column("not run", list(_not_run(result)))


def _broken(goldens: Sequence[GoldenChange], more: int) -> Iterator[str]:
    for golden in goldens[:MOST_BROKEN]:
        yield f"{golden.golden}   main {_passes(golden.before)}   here {_passes(golden.after)}"
        if golden.expected and golden.called:
            yield f"  expected {', '.join(golden.expected)}"
            yield f"  called   {', '.join(golden.called)}"
        elif golden.reason:
            yield f"  {golden.reason}"
    others = [golden.golden for golden in goldens[MOST_BROKEN:]]
    if others or more:
        yield f"also {names_and_more([*others, *[''] * more], MOST_NAMES)}"


def _passes(marks: str) -> str:
    trials = marks.replace(" ", "")
    return f"{trials.count('1')} of {len(trials)}"


def _not_run(result: CheckResult) -> Iterator[str]:
    """What was not looked at."""
    if result.verdict != "SAME" and result.untouched:
        yield f"{pluralize(result.untouched, 'golden')} that make the same request as on main"
    if result.quarantined:
        yield f"in quarantine: {names_and_more(result.quarantined, MOST_NAMES)}"
    if result.left and result.verdict == "WORSE":
        yield f"{pluralize(result.left, 'golden')}: the verdict was clear without them"
    elif result.left and result.calls.spent:
        yield f"{pluralize(result.left, 'golden')}, for which the others speak"


def _price(result: CheckResult) -> Iterator[str]:
    if result.verdict == "SAME":
        return
    text = result.calls.price
    if result.verdict == "WORSE" and not result.hard:
        text += f"; {result.error_rate}"
    yield from wrap(text, WIDTH)
    for note in result.notes[:MOST_NOTES] if result.verdict in ("INCONCLUSIVE", "ERROR") else ():
        yield from wrap(note, WIDTH)
    if result.hint:
        yield from wrap(f"{result.hint[0].upper()}{result.hint[1:]}.", WIDTH)


def _column(name: str, entries: Sequence[str]) -> Iterator[str]:
    for number, entry in enumerate(entries):
        yield from _hung(f"{name if not number else '':<{COLUMN}}", entry, COLUMN)


def _hung(first: str, text: str, indent: int) -> list[str]:
    inner = indent + len(text) - len(text.lstrip())
    return wrap(
        f"{first}{text}",
        WIDTH,
        subsequent_indent=" " * inner,
        drop_whitespace=True,
        break_on_hyphens=False,
        replace_whitespace=True,
    ) or [""]
