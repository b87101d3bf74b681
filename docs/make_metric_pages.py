"""The pages of metrics, made from the metrics' own docstrings.

    python docs/make_metric_pages.py [FOLDER]

Writes metrics.md and metrics/NAME.md beside this file, or into FOLDER. A test says when they are out of date.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from rightcall.metrics.resolve import MetricPage, metric_pages

LABELS = {
    "Tools": "With these tools",
    "Golden": "The golden",
    "Fails": "What fails",
    "Passes": "What passes",
}


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    pages = metric_pages()
    (folder / "metrics").mkdir(exist_ok=True)
    (folder / "metrics.md").write_text(overview(pages), "utf-8")
    for page in pages:
        (folder / "metrics" / f"{page.name}.md").write_text(one(page), "utf-8")


def overview(pages: list[MetricPage]) -> str:
    always = [page for page in pages if page.measured == "always"]
    asked_for = [page for page in pages if page.measured == "on request"]
    judged = [page for page in pages if page.measured == "by a model"]
    return f"""# Metrics

A metric measures one case: a value from 0 to 1, passed or not, and the reason. [Scoring](scoring.md) defines the
numbers; `rightcall list metrics NAME` shows a page in the terminal.

## Measured for every case

{table(always)}

## Measured on request

Name them under `metrics` in a suite, or with `--metric NAME`: a case then passes only when they do, and is an error
where they have nothing to check. `measure: NAME` there and `--measure NAME` measure without deciding; a note of the
verdict names those that could not be computed. Settings go in parentheses: `call_count(limit=3)`.

{table(asked_for)}

## Judged by a model

They need a model: `task_completion(model='openai:gpt-5-mini')`. [Judging](judging.md) explains votes, calibration and
cost.

{table(judged)}

## Your own

A frozen dataclass with a method `measure`; its fields are its settings. `async def measure` works too.

<!-- example -->
```python
from dataclasses import dataclass

import rightcall as rc


@dataclass(frozen=True)
class MaxCalls(rc.Metric):
    limit: int = 5

    def measure(self, case: rc.TestCase) -> rc.Score:
        n = len(case.trajectory.calls)
        return rc.Score.passed_if(n <= self.limit, f"{{n}} calls, limit {{self.limit}}")


case = rc.TestCase(rc.Golden("Weather?"), rc.Trajectory(calls=(rc.ToolCall("get_weather"),) * 3))
assert MaxCalls(limit=2).measure(case) == rc.Score(0.0, False, "3 calls, limit 2")
```

In a suite it is `my_pkg.metrics:MaxCalls(limit=3)`; a package can also offer it by name, under the entry point
`rightcall.metrics`. A metric that raises, takes longer than 300 seconds or returns no score makes its case
an error. `nothing_to_check(case)` says why a case has nothing for it. Plain `def` metrics run in threads.

A plain function works as well: `fn(case)`, or parameters named after what it needs (`input`, `output`, `target`,
`calls`, `expected_calls`, `golden`, `trajectory`, `tools`, `state`, `metadata`). It returns true or false, a number
from 0 to 1, or a `Score`. A number passes at 1, at the threshold of a [secondary golden](scoring.md), or at the
`threshold` given in a suite: `my_pkg.checks:closeness(threshold=0.8)`.

<!-- example -->
```python
import rightcall as rc


def same_city(output, target):
    return target.lower() in output.lower()


case = rc.TestCase(rc.Golden("Capital?", expected_output="Hanoi"), rc.Trajectory(output="It is HANOI."))
assert rc.assert_test(case, metrics=[same_city]).passed
```
"""


def table(pages: list[MetricPage]) -> str:
    rows = [f"| [`{page.name}`](metrics/{page.name}.md) | {page.summary} |" for page in pages]
    return "\n".join(["| metric | measures |", "|---|---|", *rows])


def one(page: MetricPage) -> str:
    when = {"always": "for every case", "by a model": "on request, by a model ([Judging](../judging.md))"}
    parts = [f"# {page.name}", page.summary, page.explanation]
    parts = [part for part in parts if part] + [f"Measured {when.get(page.measured, 'on request')}."]
    if page.settings:
        settings = ", ".join(
            f"`{name}` (default: {json.dumps(value)})" for name, value in page.settings.items()
        )
        parts.append(f"Settings: {settings}.")
    for label, words in LABELS.items():
        if label in page.example:
            parts += [f"{words}:", f"```json\n{page.example[label]}\n```"]
    return "\n\n".join([*parts, "[All metrics](../metrics.md)"]) + "\n"


if __name__ == "__main__":
    main()
