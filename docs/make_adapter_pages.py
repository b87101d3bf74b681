"""Write the facts of the catalog and the benchmark into the pages of adapters.

    python docs/make_adapter_pages.py [FOLDER]

Each page begins with the adapter's limitations and the tested version; `index.md` has the frameworks. The tables
of `python -m benchmarks adapters`, `--outages` and `--again`, from `benchmarks/data/adapters.json`, are in
`evidence/adapters.md`.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from rightcall.agents.observed.catalog import ADAPTERS, AdapterInfo

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "data" / "adapters.json"
BEGIN, END = "<!-- {} -->", "<!-- end of {} -->"
EQUAL = "="


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    for info in ADAPTERS:
        page = folder / "adapters" / f"{info.name}.md"
        page.write_text(with_facts(page.read_text("utf-8"), info), "utf-8")
    index, evidence = folder / "adapters" / "index.md", folder / "evidence" / "adapters.md"
    index.write_text(with_part(index.read_text("utf-8"), "frameworks", frameworks_table()), "utf-8")
    results = json.loads(RESULTS.read_text("utf-8"))
    text = with_part(evidence.read_text("utf-8"), "scenarios", scenarios_part(results))
    text = with_part(text, "outages", outages_table(results.get("outages", {})))
    evidence.write_text(with_part(text, "again", again_table(results.get("again", {}))), "utf-8")


def with_facts(page: str, info: AdapterInfo) -> str:
    """The page with the limitations, the tested version and the hook of the catalog."""
    losses = "\n".join(f"- {loss}" for loss in info.loses)
    page = re.sub(
        r"\A# .*\n\nLimitations:\n\n(- .*\n)+",
        lambda _: f"# {info.title}\n\nLimitations:\n\n{losses}\n",
        page,
    )
    beside = f", {' and '.join(info.beside.split(', '))}" if info.beside else ""
    facts = (
        f"Tested with {info.package} {info.tested}{beside}. Observed through {info.hook}. The agent's code"
    )
    return re.sub(r"(?m)^Tested with .*? The agent's code", lambda _: facts, page)


def with_part(page: str, name: str, text: str) -> str:
    """The page with the text between two marks replaced."""
    begin, end = BEGIN.format(name), END.format(name)
    before, _, rest = page.partition(begin)
    return f"{before}{begin}\n{text}\n{end}{rest.partition(end)[2]}"


def frameworks_table() -> str:
    rows = ["| framework | tools can be mocked | functions are observed |", "|---|---|---|"]
    for info in sorted(ADAPTERS, key=lambda info: (not info.functions, info.tools, info.title.lower())):
        mocked = "yes" if info.tools == "mock" else "no"
        rows.append(f"| [{info.title}]({info.name}.md) | {mocked} | {'yes' if info.functions else 'no'} |")
    return "\n".join(rows)


def scenarios_part(results: dict[str, Any]) -> str:
    """The table: a row for each framework, a column for each scenario, and a sentence for what is not equal."""
    titles: dict[str, str] = results["scenarios"]
    by_name = {info.name: info for info in ADAPTERS}
    rows = [
        "| framework | version | equal | " + " | ".join(str(n) for n in range(1, len(titles) + 1)) + " |",
        "|---|---|---|" + "---|" * len(titles),
    ]
    differing: list[str] = []
    missing: list[str] = []
    for name, row in results["frameworks"].items():
        info, cells = by_name[name.partition("__")[0]], row["cells"]
        title = _title(info, name)
        possible = [scenario for scenario in titles if "cannot" not in cells[scenario]]
        equal = [scenario for scenario in possible if not cells[scenario]["differs"]]
        marks = ["–" if s not in possible else EQUAL if s in equal else "**≠**" for s in titles]
        rows.append(
            f"| {title} | {row['version']} | {len(equal)} of {len(possible)} | " + " | ".join(marks) + " |"
        )
        differing += _sentences(title, titles, cells)
        missing += [
            f"- {title}, {number}: {cells[scenario]['cannot']}"
            for number, scenario in enumerate(titles, 1)
            if "cannot" in cells[scenario]
        ]
    legend = "\n".join(f"{n}. {title}" for n, title in enumerate(titles.values(), 1))
    return "\n".join(
        [
            *rows,
            "",
            "Scenarios:",
            "",
            legend,
            "",
            "Not equal:",
            "",
            *differing,
            "",
            "No way to express:",
            "",
            *missing,
        ]
    )


def outages_table(results: dict[str, Any]) -> str:
    """A row for each framework, a column for each failure of the provider, the stop reason in each cell."""
    outages = list(dict.fromkeys(outage for row in results.values() for outage in row["ends"]))
    rows = [
        f"| framework | version | {' | '.join(outages)} |",
        "|---|---|" + "---|" * len(outages),
    ]
    for name, row in results.items():
        cells = " | ".join(f"`{row['ends'][outage]}`" for outage in outages)
        rows.append(f"| {_title_of(name)} | {row['version']} | {cells} |")
    return "\n".join(rows)


def again_table(results: dict[str, Any]) -> str:
    """A row for each framework: how many uses of one agent in one process were equal."""
    rows = ["| framework | version | evaluations | notebook cells | tests |", "|---|---|---|---|---|"]
    for name, row in results.items():
        cells = " | ".join(f"{equal} of {times}" for equal, times in row["equal"].values())
        rows.append(f"| {_title_of(name)} | {row['version']} | {cells} |")
    return "\n".join(rows)


def _title_of(name: str) -> str:
    return _title(next(info for info in ADAPTERS if info.name == name.partition("__")[0]), name)


def _title(info: AdapterInfo, name: str) -> str:
    variant = name.partition("__")[2].replace("_", " ")
    return f"{info.title} ({variant})" if variant else info.title


def _sentences(title: str, titles: dict[str, str], cells: dict[str, Any]) -> list[str]:
    """What differs in each scenario, grouped by the limitation that explains it."""
    groups: dict[str, list[str]] = {}
    for number, scenario in enumerate(titles, 1):
        differs = cells[scenario].get("differs")
        if differs:
            groups.setdefault(cells[scenario].get("limit", ""), []).append(f"{number} ({', '.join(differs)})")
    return [f"- {title}, {', '.join(which)}: {limit}" for limit, which in groups.items()]


if __name__ == "__main__":
    main()
