"""A check as Markdown (the comment of a pull request, the summary of a CI step), and in the formats of CI servers.

Foreign text is put in code spans. The text never exceeds the maximum length of a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from rightcall.core.text import first_names, hundredths, margin_text, pluralize, points
from rightcall.decide.check_result import CheckResult, GoldenChange, HardFailure
from rightcall.decide.check_rule import StratumState
from rightcall.files.ci_report import Remark, annotation, code_quality, sarif
from rightcall.lint.report import Diagnostic
from rightcall.lint.report_formats import remark_of
from rightcall.show.junit import JUnitCase, junit_document
from rightcall.show.markdown import code, markdown_table, plain_sentence
from rightcall.show.text import one_line
from rightcall.show.view.failures import TITLES, danger_text

LONGEST = 60_000
"""Characters: GitHub refuses comments above 65,536."""
SIGNS = {"SAME": "✅", "PASS": "✅", "NO LOSS SEEN": "🟡", "WORSE": "❌", "INCONCLUSIVE": "⚠️", "ERROR": "⚠️"}
MOST_CHANGES = 30
MOST_LINT = 20
MOST_NAMES = 30
STRATUM_TITLES = ("goldens", "claim about", "tried", "difference", "margin", "")


def check_marker(suite: str) -> str:
    """The first line of the comment, by which it is found again."""
    name = re.sub("-(?=-)", "- ", one_line(suite, 80))  # two hyphens could end the comment
    return f"<!-- rightcall:check:{name} -->"


def check_markdown(result: CheckResult) -> str:
    parts = [
        check_marker(result.suite),
        f"### {SIGNS[result.verdict]} {plain_sentence(result.sentence)}",
        *(f"⚠️ {code(warning, 400)}\n" for warning in result.warnings),
        f"_{plain_sentence(_price(result))}_\n",
        *_damage(result),
        *_strata(result.strata),
        *_goldens("Broken", result.broken, result.broken_more),
        *_goldens("Fixed", result.fixed, result.fixed_more),
        *_list_section(
            "What changed", [plain_sentence(change.words) for change in result.changes], MOST_CHANGES
        ),
        *_list_section("Lint of the changed tools", list(map(_lint_line, result.lint)), MOST_LINT),
        *_rest(result),
    ]
    text = "\n".join(parts) + "\n"
    if len(text) <= LONGEST:
        return text
    cut = text[: LONGEST - 200].rpartition("\n")[0]
    if cut.count("<details>") > cut.count("</details>"):
        cut += "\n</details>"
    return f"{cut}\n\n… cut here; `check.json` has everything.\n"


def _price(result: CheckResult) -> str:
    price = "0 requests" if result.verdict == "SAME" else result.calls.price
    return f"{price}; {result.error_rate}" if result.verdict == "WORSE" and not result.hard else price


def _strata(strata: Sequence[StratumState]) -> Iterator[str]:
    if strata:
        yield from markdown_table(STRATUM_TITLES, map(stratum_cells, strata))


def stratum_cells(state: StratumState) -> tuple[str, ...]:
    """What a stratum showed, in the order of `STRATUM_TITLES`."""
    if state.settled_after is not None:
        how = f"settled after {state.settled_after}"
    elif state.p is not None:
        how = f"p {state.p:.2g}" + ("" if state.low is None else f", at least {points(state.low, 0)}")
    else:
        how = f"evidence of a drop {state.e_worse:.2g} to 1"
    difference = "–" if state.difference is None else points(state.difference)
    return state.name, f"{state.goldens:,}", f"{state.run:,}", difference, margin_text(state.margin), how


def _damage(result: CheckResult) -> Iterator[str]:
    for hard in result.hard:
        place = f" ({_code(f'{hard.file}:{hard.line}')})" if hard.file else ""
        danger = danger_text([TITLES[hard.code].lower()])
        yield f"- 🛑 **{danger}** {_code(hard.golden)}{place} in {hard.often}: {_code(hard.detail)}"
    if result.hard:
        yield ""


def _goldens(title: str, goldens: Sequence[GoldenChange], more: int) -> Iterator[str]:
    if not goldens:
        return
    yield f"**{title}** ({len(goldens) + more})\n"
    yield from markdown_table(("golden", "before", "now", "expected", "called"), map(_golden_cells, goldens))
    if more:
        yield f"… and {more:,} more\n"


def _golden_cells(golden: GoldenChange) -> tuple[str, ...]:
    place = f"<br>{_code(f'{golden.file}:{golden.line}')}" if golden.file else ""
    expected = "<br>".join(map(_code, golden.expected)) or "–"
    called = "<br>".join(map(_code, golden.called)) or (_code(golden.reason) if golden.reason else "–")
    return f"{_code(golden.golden)}{place}", golden.before, golden.after, expected, called


def _list_section(title: str, lines: Sequence[str], most: int) -> Iterator[str]:
    if lines:
        yield f"**{title}**\n"
        yield from (f"- {line}" for line in lines[:most])
        if len(lines) > most:
            yield f"- … and {len(lines) - most:,} more"
        yield ""


def _lint_line(diagnostic: Diagnostic) -> str:
    place = f" {_code(f'{diagnostic.file}:{diagnostic.line}')}" if diagnostic.file else ""
    about = f"{_code(diagnostic.code)} {_code(diagnostic.tool)}{place}"
    return f"{diagnostic.severity} {about}: {plain_sentence(diagnostic.message)}"


def _rest(result: CheckResult) -> Iterator[str]:
    yield "<details><summary>How this was decided</summary>\n"
    yield from (f"- {fact}" for fact in decision_facts(result))
    yield "\n</details>"


def decision_facts(result: CheckResult) -> Iterator[str]:
    """How a check was decided: what was tried and compared, the baseline, the alarm, the risks."""
    yield f"{result.calls.spent:,} trials of {result.calls.planned:,} planned; a full run takes {result.calls.full:,}"
    yield f"{result.untouched:,} goldens make the same request as before and were not tried"
    if result.compared.words:
        names = (*result.compared.files, *(f"${name}" for name in result.compared.variables))
        shown = first_names([_code(name) for name in names], MOST_NAMES)
        yield f"{result.compared.words}{f': {shown}' if shown else ''}"
    if result.unknown:
        yield f"every golden is in reach: {plain_sentence(result.unknown)}"
    if result.new.goldens:
        passed = (
            f"{result.new.passed} of {result.new.trials} trials passed" if result.new.trials else "not tried"
        )
        yield f"{result.new.goldens:,} goldens are new or edited: {passed}, no baseline to compare with"
    if result.everything:
        yield f"everything was tried: {plain_sentence(result.everything)}"
    if result.estimate is not None:
        error = "" if result.estimate_error is None else f" ± {hundredths(result.estimate_error, '.1f')}"
        yield f"estimated over all goldens: {hundredths(result.estimate, '+.1f')}{error} points (shown, not deciding)"
    if result.cost_usd is not None:
        yield f"cost: ${result.cost_usd:.4f}"
    base = result.baseline
    if base is not None:
        source = f" of {_code(base.branch)}" if base.branch else ""
        commit = f" at {_code(base.commit[:10])}" if base.commit else ""
        size = f"{pluralize(base.trials, 'trial')} in {pluralize(base.runs, 'run')}"
        yield f"baseline{source}{commit}: {size}, {base.age_days:.0f} days old"
    yield from _confirmation(result)
    yield (
        f"risks: {result.error_rate}; PASS at the margin comes in at most {hundredths(result.beta)}% of checks; "
        "between no change and the margin either verdict is possible"
    )
    yield from map(plain_sentence, result.notes)
    if result.hint:
        yield f"next: {plain_sentence(result.hint)}"


def _confirmation(result: CheckResult) -> Iterator[str]:
    """The alarm, which the sentence tells too, golden by golden."""
    confirm = result.confirm
    if confirm is None or not confirm.alarm or confirm.mode != "base":
        return
    tried = first_names([_code(name) for name in confirm.goldens], MOST_NAMES)
    commit = f" at {_code(confirm.base.commit[:10])}" if confirm.base and confirm.base.commit else ""
    yield (
        f"alarm: {confirm.pairs} pairs of fresh trials of the base{commit} and of this version; the evidence is "
        f"{confirm.evidence:.2g} to 1, {1 / confirm.level:.3g} to 1 confirms it: {tried}"
    )


def _code(text: str) -> str:
    """Foreign text in a code span: it cannot be markup, a link or a mention."""
    return code(text, 240)


MOST_ANNOTATIONS = 9
"""Of each kind: GitHub shows 10 a step, and the tenth says how many more there are."""
MOST_RESULTS = 5_000
"""SARIF results that code scanning shows."""
BROKEN = "golden-broken"
DAMAGE = "hard-failure"
_RULES = {
    BROKEN: "A golden that mostly passed in the baseline mostly fails now",
    DAMAGE: "Damage that the baseline never showed: a forbidden call, a double effect, a wrong state",
}


def remarks(result: CheckResult) -> list[Remark]:
    """Damage first, then broken goldens, then lint of the changed tools; equal ones once."""
    every_remark = [
        *map(_damage_remarks, result.hard),
        *map(_break_remark, result.broken),
        *map(remark_of, result.lint),
    ]
    return list(dict.fromkeys(every_remark))


def check_annotations(result: CheckResult) -> Iterator[str]:
    """Workflow commands at the golden's and the tool's line."""
    levels: tuple[Literal["error", "warning"], ...] = ("error", "warning")
    for level in levels:
        some = [remark for remark in remarks(result) if remark.level == level]
        more = len(some) - MOST_ANNOTATIONS + (result.broken_more if level == "error" else 0)
        yield from map(annotation, some[:MOST_ANNOTATIONS])
        if more > 0:
            yield annotation(Remark(f"{more:,} more", level, "check.md and check.json list them"))


def check_quality(result: CheckResult) -> bytes:
    """GitLab's code quality report."""
    return code_quality(remarks(result), dangerous=DAMAGE)


def check_sarif(result: CheckResult, version: str = "") -> bytes:
    """SARIF with the first of many remarks."""
    first_remarks = remarks(result)[:MOST_RESULTS]
    texts = {
        remark.rule: _RULES.get(remark.rule, f"rule {remark.rule} of rightcall lint")
        for remark in first_remarks
    }
    rules = {rule: {"shortDescription": {"text": text}} for rule, text in texts.items()}
    return sarif(first_remarks, rules, version, tool="rightcall check")


def check_junit(result: CheckResult) -> bytes:
    """JUnit for a check that ran nothing, so that CI has a report: one test, the verdict."""
    good = ("SAME", "PASS", "NO LOSS SEEN")
    element = "" if result.verdict in good else "failure" if result.verdict == "WORSE" else "error"
    return junit_document(result.suite, [JUnitCase("check", result.suite, element, result.sentence)])


def _damage_remarks(hard: HardFailure) -> Remark:
    danger = danger_text([TITLES[hard.code].lower()])
    text = f"{danger}: {hard.golden} in {hard.often}, never in the baseline: {hard.detail}"
    return _golden_remark(DAMAGE, text, hard)


def _break_remark(golden: GoldenChange) -> Remark:
    text = f"{golden.golden} passed {golden.before} in the baseline, {golden.after} now: {golden.reason}"
    return _golden_remark(BROKEN, text, golden)


def _golden_remark(rule: str, text: str, golden: HardFailure | GoldenChange) -> Remark:
    return Remark(
        rule,
        "error",
        one_line(text, 1000),
        golden.file,
        line=golden.line,
        name=golden.golden,
        origin="suite.yaml",
    )
