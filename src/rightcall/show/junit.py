"""JUnit XML, for every CI server that shows tests: each golden is a test case.

Written so that the strict schema of Ant's JUnit task and the lenient ones of Jenkins and Surefire both accept it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, groupby
from typing import IO, TYPE_CHECKING, NamedTuple

from rightcall.core.text import percent
from rightcall.records.failure import FATAL
from rightcall.records.tool import Tool
from rightcall.show.rows import Spool
from rightcall.show.text import display_text, one_line, visible, xml_text
from rightcall.show.view.attack_hits import HitReader, hit_lines
from rightcall.show.view.case import case_view
from rightcall.show.view.failures import case_name
from rightcall.show.view.grouped_trials import GoldenRow, golden_row
from rightcall.show.view.run import Case, RunReading, RunView

if TYPE_CHECKING:
    from rightcall.store.sql.store import Store

LONGEST = 4000
MOST_FAILURES = 20


def write_junit(store: Store, run: str, out: IO[bytes]) -> RunView:
    """Write the report of a run; returns the view it shows."""
    reading = RunReading(store, run)
    tools = reading.tools
    hits = HitReader(reading.tools, reading.system)
    outcomes = Counter[str]()
    seconds = 0.0
    with Spool() as dangerous, Spool() as others:
        for golden_id, trials in groupby(reading.cases(), key=lambda case: case[1].golden_id):
            golden = list(trials)
            outcomes[_outcome(golden)] += 1
            seconds += _seconds(golden)
            row = golden_row(golden_id, (result for _, result in golden), tools)
            for line in _testcase(reading.stored.run.name, golden, row, tools, hits=hits):
                (dangerous if row.danger else others).write(line)
        view = reading.view()
        verdict_lines = list(_verdict_case(view, outcomes))
        out.write("\n".join(_head(view, outcomes, seconds)).encode())
        for line in chain(verdict_lines, dangerous.lines(), others.lines()):
            out.write(line.encode() + b"\n")
    warnings = xml_text("\n".join(view.summary.warnings))
    out.write(f"<system-out>{warnings}</system-out><system-err/>\n</testsuite>\n</testsuites>\n".encode())
    return view


class JUnitCase(NamedTuple):
    """A test case that says one thing: `element` is `failure`, `error`, `skipped`, or empty for a pass."""

    name: str
    classname: str
    element: str = ""
    message: str = ""
    text: str = ""


def junit_document(name: str, cases: Sequence[JUnitCase]) -> bytes:
    """A whole report of test cases that are at hand."""
    kinds = Counter(case.element for case in cases)
    counts = {"failures": kinds["failure"], "errors": kinds["error"], "skipped": kinds["skipped"], "time": 0}
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>"]
    lines.append(f"<testsuite {_attributes(name=name, package='rightcall', tests=len(cases), **counts)}>")
    for case in cases:
        lines.append(f"<testcase {_attributes(name=case.name, classname=case.classname, time=0)}>")
        text = "\n".join(xml_text(visible(line)) for line in case.text.split("\n"))
        if case.element == "skipped":
            lines.append(f"<skipped {_attributes(message=case.message)}/>")
        elif case.element:
            head = _attributes(message=case.message, type=case.element)
            lines.append(f"<{case.element} {head}>{text}</{case.element}>")
        elif text or case.message:
            lines.append(f"<system-out>{text or xml_text(one_line(case.message, LONGEST))}</system-out>")
        lines.append("</testcase>")
    return "\n".join([*lines, "</testsuite>", "</testsuites>", ""]).encode("utf-8", "replace")


def _verdict_case(view: RunView, outcomes: Counter[str]) -> Iterator[str]:
    """A test case for the run itself, where no golden shows that it did not pass: servers count test cases alone."""
    is_red = outcomes["failed"] or outcomes["error"]
    if not view.finished:
        message = f"the run is not finished: {view.summary.total.cases:,} of {view.planned:,} cases"
    elif view.verdict in ("PASS", "") or is_red:
        return
    else:
        message = f"{view.verdict}: {view.sentence}"
    outcome, element = ("failed", "failure") if view.verdict == "FAIL" else ("error", "error")
    outcomes[outcome] += 1
    name = _attributes(
        name="verdict of the run", classname=f"{view.run.name or 'rightcall'}.run", time="0.000"
    )
    yield f"<testcase {name}><{element} {_attributes(message=message, type='verdict')}/></testcase>"


def _head(view: RunView, outcomes: Counter[str], seconds: float) -> Iterator[str]:
    name = view.run.name or "rightcall"
    total = view.summary.total
    counts = {
        "tests": sum(outcomes.values()),
        "failures": outcomes["failed"],
        "errors": outcomes["error"],
        "skipped": outcomes["unchecked"],
        "time": f"{seconds:.3f}",
        "timestamp": view.run.started_at[:19],
        "hostname": "localhost",
    }
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield "<testsuites>"
    yield f"<testsuite {_attributes(name=name, package='rightcall', id=0, **counts)}>"
    yield "<properties>"
    facts = {
        "run": view.run.id,
        "agent": view.run.agent,
        "verdict": view.verdict or "unfinished",
        "trials": view.run.trials,
        "seed": view.run.seed,
        "pass_rate": percent(total.pass_rate, 1),
        **({"pass_rate_range": total.range} if total.range else {}),
        **({"safety": view.safety.sentence} if view.safety is not None else {}),
        **{f"mean.{label}": f"{value:.4f}" for label, value in total.dimensions.items()},
        **{f"version.{name}": version for name, version in view.run.versions.items()},
        **{f"fingerprint.{name}": print_ for name, print_ in view.run.fingerprints.items()},
    }
    for key, value in facts.items():
        yield f"<property {_attributes(name=key, value=value)}/>"
    yield "</properties>\n"


def _testcase(
    suite: str, trials: list[Case], row: GoldenRow, tools: Mapping[str, Tool], hits: HitReader
) -> Iterator[str]:
    """One golden with all its trials; it passes when every trial does, and is skipped when none was checked."""
    result = trials[0][1]
    attributes = _attributes(
        name=case_name(result.golden_id, trials[0][0]),
        classname=f"{suite or 'rightcall'}.{result.category}",
        time=f"{_seconds(trials):.3f}",
    )
    outcome = _outcome(trials)
    if outcome == "passed":
        yield f"<testcase {attributes}/>"
        return
    if outcome == "unchecked":
        yield f"<testcase {attributes}>"
        yield f"<skipped {_attributes(message=f'unchecked: {row.reason}')}/>"
        yield "</testcase>"
        return
    bad = [(golden, result) for golden, result in trials if result.outcome == outcome]
    element = "failure" if outcome == "failed" else "error"
    first = next((code for code in row.codes if code in FATAL), next(iter(row.codes), element))
    kind = first if outcome == "failed" else element
    message = f"{row.danger_text}: {row.why}" if row.danger else row.why
    yield f"<testcase {attributes}>"
    yield f"<{element} {_attributes(message=message, type=kind)}>"
    yield from xml_text(_detail(bad, tools, hits)).split("\n")
    yield f"</{element}>"
    yield "</testcase>"


def _detail(bad: Sequence[Case], tools: Mapping[str, Tool], hits: HitReader) -> str:
    lines: list[str] = []
    for golden, result in bad:
        view = case_view(golden, result, tools)
        lines = lines or [f"input: {one_line(view.input, 1000)}"]
        lines.append(f"trial {view.trial}: {', '.join(view.facts)}")
        lines += [f"  {failure.code}: {failure.sentence}" for failure in view.failures[:MOST_FAILURES]]
        if golden is not None and (hit := hits.hit_of(golden, result)) is not None:
            lines += [f"  {label}: {one_line(text, LONGEST)}" for label, text in hit_lines(hit)]
        if result.error:  # whole, where a view has one line
            lines.append(f"  {display_text(result.error, LONGEST)}")
    return "\n".join(lines)


def _outcome(trials: list[Case]) -> str:
    outcomes = {result.outcome for _, result in trials}
    return next(word for word in ("failed", "error", "passed", "unchecked") if word in outcomes)


def _seconds(trials: list[Case]) -> float:
    return sum(result.latency_ms or 0.0 for _, result in trials) / 1000


def _attributes(**values: object) -> str:
    return " ".join(f'{name}="{xml_text(one_line(str(value), LONGEST))}"' for name, value in values.items())
