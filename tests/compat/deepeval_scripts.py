"""Run by an interpreter that has DeepEval: runs the scripts of `scripts/` one after the other and prints their results.

python tests/compat/deepeval_scripts.py > tests/compat/scripts/printed.json
"""

import contextlib
import io
import json
import os
import re
import runpy
import shutil
import sys
from pathlib import Path

SCRIPTS = Path(__file__).parent / "scripts"
os.environ.setdefault("OPENAI_API_KEY", "none")  # DeepEval makes a client that these scripts never use


def results(run):
    """The results that a script prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        run()
    return [line for line in printed.getvalue().splitlines() if line.startswith("RESULT ")]


def tested(file):
    """How many tests of a copied file passed: `1 failed, 2 passed`."""
    import pytest

    shutil.copy(file, ".")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        pytest.main(["-q", "-p", "no:cacheprovider", "--rootdir", ".", file.name])
    return re.findall(r"\d+ failed, \d+ passed", printed.getvalue())


if __name__ == "__main__":
    names = sorted(path.stem for path in SCRIPTS.glob("*.py") if path.stem != "pytest_file")
    found = {name: results(lambda name=name: runpy.run_path(str(SCRIPTS / f"{name}.py"))) for name in names}
    found["pytest_file"] = tested(SCRIPTS / "pytest_file.py")
    json.dump(found, sys.stdout, indent=1, ensure_ascii=False)
    sys.stdout.write("\n")
