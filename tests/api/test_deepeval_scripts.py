"""Scripts in the form of DeepEval's guides run here with only their imports changed, and print what DeepEval prints.

`tests/compat/scripts` has them and DeepEval's output, which `tests/compat` keeps true to the installed DeepEval.
"""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tests.compat.deepeval_scripts import results

SCRIPTS = Path(__file__).parents[1] / "compat" / "scripts"
PRINTED = json.loads((SCRIPTS / "printed.json").read_text("utf-8"))


def changed(script: str, folder: Path) -> Path:
    """A copy of the script with other imports."""
    text = (SCRIPTS / f"{script}.py").read_text("utf-8")
    path = folder / f"{script}.py"
    path.write_text(re.sub(r"^(from|import) deepeval\b", r"\1 rightcall.deepeval", text, flags=re.M), "utf-8")
    return path


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("script", sorted(PRINTED.keys() - {"pytest_file"}))
def test_a_script_prints_what_it_prints_with_deepeval(script, tmp_path):
    path = changed(script, tmp_path)
    printed = results(lambda: runpy.run_path(str(path)))
    assert printed == PRINTED[script] != []


@pytest.mark.stories
def test_a_pytest_file_passes_and_fails_the_same_tests(tmp_path):
    path = changed("pytest_file", tmp_path)
    line = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", ".", path.name]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and PRINTED["pytest_file"][0] in done.stdout, done.stdout


def test_a_loop_over_goldens_scores_the_test_cases_that_it_adds(tmp_path):
    """DeepEval scores traces in this loop; here the added test cases are scored too."""
    loop = runpy.run_path(str(changed("iterator", tmp_path)))
    run = loop["dataset"].last_run
    assert run.passed and run.summary.overall.cases == 3
    stored = run.store.runs.get(run.id).run
    assert (stored.name, stored.settings) == ("loop", {"model": "upper"})


def test_every_script_has_a_result():
    assert {path.stem for path in SCRIPTS.glob("*.py")} == PRINTED.keys()
