"""Write the facts of the catalog into the page of frameworks, and the measurements into the page of evidence.

    python docs/make_adapter_pages.py [FOLDER]

`frameworks.md` says for each framework what was tested and what is lost, and `evidence.md` what
`python -m benchmarks adapters` measured (`benchmarks/data/adapters.json`).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from rightcall.agents.observed.catalog import ADAPTERS, AdapterInfo

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "data" / "adapters.json"
BEGIN = "<!-- {} -->"
END = "<!-- end of {} -->"


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    page = folder / "frameworks.md"
    results = json.loads(RESULTS.read_text("utf-8"))
    text = with_part(page.read_text("utf-8"), "frameworks", frameworks_table())
    for info in ADAPTERS:
        text = with_part(text, info.name, facts(info, results))
    page.write_text(text, "utf-8")
    evidence = folder / "evidence.md"
    text = with_part(evidence.read_text("utf-8"), "frameworks", evidence_table(results))
    evidence.write_text(with_part(text, "endings", endings_table(results)), "utf-8")


ENDINGS = {
    "done": "single_call", "refused": "refusal", "filtered": "content_filter", "truncated": "length_stop",
    "truncated stream": "streamed_length", "lost stream": "lost_stream", "waits for approval": "approval",
    "tool error": "tool_raises", "agent error": "agent_error", "turn limit": "step_limit",
}  # fmt: skip
"""The ways in which an agent ends, and the scenario of each."""


def endings_table(results: dict[str, Any]) -> str:
    """Whether what is recorded of each ending is what happened; frameworks of which it is equally true share a row."""
    titles: dict[str, list[str]] = {}
    for name, row in results["frameworks"].items():
        cells = " | ".join(_ending(row["cells"].get(scenario)) for scenario in ENDINGS.values())
        titles.setdefault(cells, []).append(_title_of(name))
    rows = [f"| {', '.join(named)} | {cells} |" for cells, named in titles.items()]
    return "\n".join([f"| framework | {' | '.join(ENDINGS)} |", "|---|" + "---|" * len(ENDINGS), *rows])


def _ending(cell: dict[str, Any] | None) -> str:
    if cell is None:
        return "not measured"
    return "–" if "cannot" in cell else "limited" if cell["differs"] else "equal"


def facts(info: AdapterInfo, results: dict[str, Any]) -> str:
    """What was tested, how the framework is observed and what is lost."""
    beside = f", {' and '.join(info.beside.split(', '))}" if info.beside else ""
    tested = f"Tested with {info.package} {info.tested}{beside}; observed through {info.hook}. Limitations:"
    cells = results["frameworks"].get(info.name, {"cells": {}})["cells"]
    endings = [
        f"- {ending}: {cells[scenario]['cannot']}"
        for ending, scenario in ENDINGS.items()
        if "cannot" in cells.get(scenario, {})
    ]
    return "\n".join([tested, "", *(f"- {loss}" for loss in info.loses), *endings])


def with_part(page: str, name: str, text: str) -> str:
    """The page with the text between two marks replaced."""
    begin = BEGIN.format(name)
    end = END.format(name)
    before, _, rest = page.partition(begin)
    return f"{before}{begin}\n{text}\n{end}{rest.partition(end)[2]}"


def frameworks_table() -> str:
    rows = ["| framework | tools can be mocked | functions are observed |", "|---|---|---|"]
    for info in sorted(ADAPTERS, key=lambda info: (not info.functions, info.tools, info.title.lower())):
        mocked = "yes" if info.tools == "mock" else "no"
        heading = info.title.lower().replace(" ", "-")
        rows.append(f"| [{info.title}](#{heading}) | {mocked} | {'yes' if info.functions else 'no'} |")
    return "\n".join(rows)


def evidence_table(results: dict[str, Any]) -> str:
    """A row for each framework: scenarios that are equal, outages that are told apart, uses of one agent."""
    rows = ["| framework | version | equal | outages | again |", "|---|---|---|---|---|"]
    for name, row in results["frameworks"].items():
        cells = [cell for cell in row["cells"].values() if "cannot" not in cell]
        equal = sum(not cell["differs"] for cell in cells)
        ends = results["outages"][name]["ends"]
        right = sum((end == "infra_error") is (outage != "400") for outage, end in ends.items())
        uses = results["again"][name]["equal"].values()
        again = f"{sum(n for n, _ in uses)} of {sum(n for _, n in uses)}"
        rows.append(
            f"| {_title_of(name)} | {row['version']} | {equal} of {len(cells)} "
            f"| {right} of {len(ends)} | {again} |"
        )
    return "\n".join(rows)


def _title_of(name: str) -> str:
    return _title(next(info for info in ADAPTERS if info.name == name.partition("__")[0]), name)


def _title(info: AdapterInfo, name: str) -> str:
    variant = name.partition("__")[2].replace("_", " ")
    return f"{info.title} ({variant})" if variant else info.title


if __name__ == "__main__":
    main()
