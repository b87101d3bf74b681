"""Write the facts of the catalog and the benchmark into the pages of adapters.

    python docs/make_adapter_pages.py [FOLDER]

Each page begins with the adapter's limitations and the tested version; `index.md` has the frameworks, and `evidence.md`
what `python -m benchmarks adapters` measured (`benchmarks/data/adapters.json`).
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


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    for info in ADAPTERS:
        page = folder / "adapters" / f"{info.name}.md"
        page.write_text(with_facts(page.read_text("utf-8"), info), "utf-8")
    index = folder / "adapters" / "index.md"
    index.write_text(with_part(index.read_text("utf-8"), "frameworks", frameworks_table()), "utf-8")
    evidence = folder / "evidence.md"
    results = json.loads(RESULTS.read_text("utf-8"))
    evidence.write_text(
        with_part(evidence.read_text("utf-8"), "frameworks", evidence_table(results)), "utf-8"
    )


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
