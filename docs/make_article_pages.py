"""Write a page for each folder of `examples/seeds`: a program by hand beside RightCall's, with what both print.

python docs/make_article_pages.py
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SEEDS = Path(__file__).parents[1] / "examples" / "seeds"
ARTICLES = {
    "tool_evaluation": ("From an evaluator of your own", "weather_suite"),
    "datasets": ("From a list of prompts", "evaluate_single_turn"),
    "tools": ("Tools a model can use", "errors_a_model_can_correct"),
    "single_turn": ("From evaluators of a choice", "file_tools_eval"),
}
"""The folder of each article, the title of its page, and the script that does the same with RightCall."""


def printed(script: Path) -> str:
    """What a script prints, with times made equal."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPATH": str(script.parent), "COLUMNS": "80"}
        environment = {
            name: value for name, value in environment.items() if name not in ("CI", "PYTEST_CURRENT_TEST")
        }
        done = subprocess.run(  # noqa: S603  our own examples
            [sys.executable, str(script)],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
    return re.sub(r"[\d.]+ s$", "… s", done.stdout, flags=re.MULTILINE)


def section(script: Path, title: str) -> str:
    """A program and its output."""
    code = script.read_text("utf-8").strip()
    head = f"## {title}: [{script.stem}]({script.name})\n\n```python\n{code}\n```\n\nprints\n\n"
    return f"{head}```text\n{printed(script)}```\n"


def page(folder: str) -> str:
    title, ours = ARTICLES[folder]
    by_hand, with_ours = (SEEDS / folder / f"{name}.py" for name in ("by_hand", ours))
    return f"# {title}\n\n{section(by_hand, 'By hand')}\n{section(with_ours, 'With RightCall')}"


def main() -> None:
    for folder in ARTICLES:
        (SEEDS / folder / "README.md").write_text(page(folder), "utf-8")


if __name__ == "__main__":
    main()
