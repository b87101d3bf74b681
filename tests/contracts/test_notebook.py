"""The tutorial notebook runs from top to bottom in a real kernel, and `evaluate` shows its progress there."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

pytestmark = pytest.mark.stories

NOTEBOOK = Path(__file__).parents[2] / "docs" / "tutorial.ipynb"


@pytest.fixture(scope="module")
def cells(tmp_path_factory) -> list[Any]:
    """The executed cells."""
    folder = tmp_path_factory.mktemp("notebook")
    kernels = folder / "kernels" / "python3"  # a kernel of this interpreter, wherever others are installed
    kernels.mkdir(parents=True)
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (kernels / "kernel.json").write_text(
        json.dumps({"argv": argv, "display_name": "x", "language": "python"})
    )
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PATH", str(folder))
        patch.setenv("IPYTHONDIR", str(folder / "ipython"))
        NotebookClient(
            notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
        ).execute()
    return notebook.cells


def shown(cells: list[Any], source: str) -> str:
    """Everything the cell with this text displayed, as HTML or plain text."""
    cell = next(cell for cell in cells if source in cell.source)
    data = [output.get("data", {}) for output in cell.outputs]
    return "\n".join(one.get("text/html", one.get("text/plain", "")) for one in data)


def test_a_run_is_a_table_with_its_failures(cells):
    html = shown(cells, "before = rc.evaluate")
    assert "FAIL" in html and "hello" in html


def test_the_progress_bar_stays_at_the_last_state(cells):
    assert '<progress value="6" max="6">' in shown(cells, "before = rc.evaluate")
    assert "6/6 · 100.0% passed" in shown(cells, "after = rc.evaluate")


def test_a_data_frame_has_a_row_per_trial(cells):
    assert shown(cells, "to_pandas").count("<tr>") == 6


def test_nothing_is_kept_in_the_notebook_file():
    kept = nbformat.read(NOTEBOOK, as_version=4)
    assert [cell for cell in kept.cells if cell.get("outputs")] == []
