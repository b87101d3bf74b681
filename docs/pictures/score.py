"""The picture in the README: the bundled suite on the baseline without a model, as the terminal shows it.

python docs/pictures/score.py
"""

from __future__ import annotations

import asyncio
import io
import re
import tempfile
from pathlib import Path

from rich.console import Console

from rightcall.demo import FOLDER
from rightcall.report.terminal import print_summary
from rightcall.store import open_store
from rightcall.suite.plan import plan_suite
from rightcall.suite.runner import run_plan
from rightcall.suite.suite import load_suite

TITLE = "rightcall run suite.yaml --model keyword:"


def main() -> None:
    """Write score.svg beside this file."""
    console = Console(record=True, width=92, file=io.StringIO(), highlight=False, force_terminal=True)
    plan = plan_suite(load_suite(FOLDER / "suite.yaml"), FOLDER, model="keyword:")
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "runs.db") as store:
        outcome = asyncio.run(run_plan(plan, store))
        failed = [result for result in store.results(outcome.run.id) if not result.passed]
        print_summary(outcome.summary, failed[:8], console=console)
    picture = console.export_svg(title=TITLE, unique_id="score")
    # The exporter would fetch a font from a server; a page of ours fetches nothing.
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)
    lines = [line.rstrip() for line in picture.splitlines()]
    (Path(__file__).parent / "score.svg").write_text(
        "\n".join(lines).replace("Fira Code", "monospace") + "\n", "utf-8"
    )


if __name__ == "__main__":
    main()
